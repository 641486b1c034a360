#include "random_utility/mixed_logit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bl/errors.hpp"
#include "compute/draw_kernels.hpp"
#include "random_utility/mixed_workspace.hpp"

namespace bl::random_utility {

namespace {

constexpr Index kTasks = 32;  // at most; each has a workspace of its own
constexpr double kMostBytes = 16.0 * (1ULL << 30);
// A person's likelihood below this is computed again by logarithms.
constexpr double kSmallLikelihood = 1e-250;

double standard_draw(Distribution distribution, double u) {
  switch (distribution) {
    case Distribution::normal:
    case Distribution::log_normal:
      return normal_draw(u);
    case Distribution::triangular:
      return triangular_quantile(u);
    case Distribution::uniform:
      return 2 * u - 1;
  }
  return 0;
}

}  // namespace

std::vector<Spread> spreads_of(const MixedLogitSpec& spec) {
  std::vector<Spread> spreads;
  for (Index k = 0; k < static_cast<Index>(spec.random.size()); ++k) {
    const bool correlated = spec.random[static_cast<std::size_t>(k)].correlated;
    for (Index l = 0; correlated && l < k; ++l)
      if (spec.random[static_cast<std::size_t>(l)].correlated) spreads.push_back({k, l});
    spreads.push_back({k, k});
  }
  return spreads;
}

MixedLogit::MixedLogit(const ChoiceSets& sets, MixedLogitSpec spec)
    : RandomUtilityModel(sets), spec_(std::move(spec)), spreads_(spreads_of(spec_)) {
  const auto random = static_cast<Index>(spec_.random.size());
  std::vector<bool> is_random(static_cast<std::size_t>(spec_.terms), false);
  for (const RandomTerm& one : spec_.random) is_random[static_cast<std::size_t>(one.term)] = true;
  for (Index k = 0; k < spec_.terms; ++k)
    if (!is_random[static_cast<std::size_t>(k)]) fixed_.push_back(k);
  draws_ = (static_cast<std::size_t>(spec_.draws.count) + kDrawStep - 1) / kDrawStep * kDrawStep;
  const double bytes = 8.0 * static_cast<double>(draws_) * static_cast<double>(random) *
                       static_cast<double>(sets.person_count());
  if (bytes > kMostBytes)
    throw UsageError(
        fmt::format("{} draws of {} coefficients for {} persons need {:.0f} GiB; use fewer draws",
                    spec_.draws.count, random, sets.person_count(), bytes / (1ULL << 30)));
  const Matrix<double> uniform = uniform_draws(spec_.draws, sets.person_count(), random);
  standard_.resize(uniform.rows(), static_cast<Index>(draws_));
  for (Index row = 0; row < uniform.rows(); ++row) {
    const Distribution d = spec_.random[static_cast<std::size_t>(row % random)].distribution;
    for (Index r = 0; r < uniform.cols(); ++r) standard_(row, r) = standard_draw(d, uniform(row, r));
    for (Index r = uniform.cols(); r < standard_.cols(); ++r) standard_(row, r) = 0;
  }
  const Index rows = sets.design.rows() - sets.situations();
  difference_.resize(rows, random);
  fixed_difference_.resize(rows, static_cast<Index>(fixed_.size()));
  rows_.push_back(0);
  Index at = 0;
  for (Index t = 0; t < sets.situations(); ++t) {
    const auto begin = static_cast<Index>(sets.begin[static_cast<std::size_t>(t)]);
    const Index base = begin + sets.chosen[static_cast<std::size_t>(t)];
    for (Index j = begin; j < begin + sets.size(t); ++j) {
      if (j == base) continue;
      for (Index k = 0; k < random; ++k) {
        const Index term = spec_.random[static_cast<std::size_t>(k)].term;
        difference_(at, k) = sets.design(j, term) - sets.design(base, term);
      }
      for (Index k = 0; k < static_cast<Index>(fixed_.size()); ++k) {
        const Index term = fixed_[static_cast<std::size_t>(k)];
        fixed_difference_(at, k) = sets.design(j, term) - sets.design(base, term);
      }
      ++at;
    }
    rows_.push_back(at);
  }
  workspaces_.resize(static_cast<std::size_t>(std::min(kTasks, sets.person_count())));
}

MixedLogit::~MixedLogit() = default;

std::pair<Index, Index> MixedLogit::persons_of(std::size_t task) const {
  const auto tasks = static_cast<Index>(workspaces_.size()), t = static_cast<Index>(task);
  return {t * sets().person_count() / tasks, (t + 1) * sets().person_count() / tasks};
}

void MixedLogit::coefficients_of(std::span<const double> parameters, Index person, Workspace& work) const {
  const auto random = static_cast<Index>(spec_.random.size());
  const std::size_t n = draws_;
  work.coefficients.resize(random, static_cast<Index>(n));
  for (Index k = 0; k < random; ++k)
    std::fill_n(work.coefficients.row(k), n,
                parameters[static_cast<std::size_t>(spec_.random[static_cast<std::size_t>(k)].term)]);
  for (std::size_t s = 0; s < spreads_.size(); ++s) {
    const double spread = parameters[static_cast<std::size_t>(spec_.terms) + s];
    double* to = work.coefficients.row(spreads_[s].row);
    const double* z = standard_.row(person * random + spreads_[s].column);
    for (std::size_t r = 0; r < n; ++r) to[r] += spread * z[r];
  }
  for (Index k = 0; k < random; ++k) {
    const RandomTerm& term = spec_.random[static_cast<std::size_t>(k)];
    if (term.distribution != Distribution::log_normal) continue;
    scaled_exp(term.sign, work.coefficients.row(k), n);
  }
}

void MixedLogit::run_situations(Index person, bool logarithm, Workspace& work) const {
  const ChoiceSets& s = sets();
  const auto random = static_cast<Index>(spec_.random.size());
  const auto from = static_cast<std::size_t>(s.persons[static_cast<std::size_t>(person)]),
             to = static_cast<std::size_t>(s.persons[static_cast<std::size_t>(person) + 1]);
  std::fill_n(work.likelihood.data(), draws_, logarithm ? 0.0 : 1.0);
  std::fill_n(work.slopes.data(), static_cast<std::size_t>(random) * draws_, 0.0);
  const std::int64_t first = rows_[from];
  for (std::size_t t = from; t < to; ++t) {
    const std::int64_t row = rows_[t];
    logit_at_draws({.fixed = work.fixed.data() + (row - first),
                    .difference = difference_.row(static_cast<Index>(row)),
                    .alternatives = static_cast<std::size_t>(rows_[t + 1] - row),
                    .coefficients = static_cast<std::size_t>(random)},
                   work.coefficients.data(), draws_, logarithm, work.likelihood.data(),
                   work.probabilities.row(static_cast<Index>(row - first)), work.slopes.data());
  }
}

// The logarithm of L_p, without its weight; leaves the weights of the draws, which sum to 1, in
// work.likelihood.
double MixedLogit::person_likelihood(std::span<const double> parameters, Index person,
                                     Workspace& work) const {
  const ChoiceSets& s = sets();
  const auto count = static_cast<std::size_t>(spec_.draws.count);
  const std::int64_t first = rows_[static_cast<std::size_t>(s.persons[static_cast<std::size_t>(person)])],
                     last = rows_[static_cast<std::size_t>(s.persons[static_cast<std::size_t>(person) + 1])];
  work.prepare(last - first, static_cast<Index>(spec_.random.size()), draws_);
  coefficients_of(parameters, person, work);
  for (std::int64_t row = first; row < last; ++row) {
    double sum = 0;
    for (std::size_t k = 0; k < fixed_.size(); ++k)
      sum += fixed_difference_(static_cast<Index>(row), static_cast<Index>(k)) *
             parameters[static_cast<std::size_t>(fixed_[k])];
    work.fixed[static_cast<std::size_t>(row - first)] = sum;
  }
  double* likelihood = work.likelihood.data();
  run_situations(person, false, work);
  double sum = 0, shift = 0;
  for (std::size_t r = 0; r < count; ++r) sum += likelihood[r];
  if (!(sum > kSmallLikelihood)) {
    run_situations(person, true, work);
    shift = *std::max_element(likelihood, likelihood + count);
    sum = 0;
    for (std::size_t r = 0; r < count; ++r) sum += likelihood[r] = std::exp(likelihood[r] - shift);
  }
  for (std::size_t r = 0; r < count; ++r) likelihood[r] /= sum;
  std::fill(likelihood + count, likelihood + draws_, 0.0);
  return shift + std::log(sum / static_cast<double>(count));
}

void MixedLogit::person_score(Index person, Workspace& work, std::span<double> score) const {
  const ChoiceSets& s = sets();
  const auto random = static_cast<Index>(spec_.random.size());
  const std::int64_t first = rows_[static_cast<std::size_t>(s.persons[static_cast<std::size_t>(person)])],
                     last = rows_[static_cast<std::size_t>(s.persons[static_cast<std::size_t>(person) + 1])];
  std::fill(score.begin(), score.end(), 0.0);
  if (!fixed_.empty()) {
    weighted_row_sums(work.probabilities.data(), static_cast<std::size_t>(last - first),
                      work.likelihood.data(), draws_, work.sums.data());
    for (std::int64_t row = first; row < last; ++row)
      for (std::size_t k = 0; k < fixed_.size(); ++k)
        score[static_cast<std::size_t>(fixed_[k])] -=
            work.sums[static_cast<std::size_t>(row - first)] *
            fixed_difference_(static_cast<Index>(row), static_cast<Index>(k));
  }
  // d log L_p / d location and spread: the slopes weighted by draw, by d coefficient / d parameter.
  for (Index k = 0; k < random; ++k) {
    const RandomTerm& term = spec_.random[static_cast<std::size_t>(k)];
    double* slope = work.slopes.row(k);
    const double* weight = work.likelihood.data();
    const double* coefficient = work.coefficients.row(k);
    const bool log_normal = term.distribution == Distribution::log_normal;
    double sum = 0;
    for (std::size_t r = 0; r < draws_; ++r) {
      slope[r] *= log_normal ? weight[r] * coefficient[r] : weight[r];
      sum += slope[r];
    }
    score[static_cast<std::size_t>(term.term)] = sum;
  }
  for (std::size_t i = 0; i < spreads_.size(); ++i)
    weighted_row_sums(work.slopes.row(spreads_[i].row), 1,
                      standard_.row(person * random + spreads_[i].column), draws_,
                      &score[static_cast<std::size_t>(spec_.terms) + i]);
}

double MixedLogit::log_likelihood(std::span<const double> parameters, MatrixView<double> scores,
                                  ThreadPool& pool) const {
  const ChoiceSets& s = sets();
  std::vector<double> parts(static_cast<std::size_t>(s.person_count()));
  pool.run(workspaces_.size(), [&](std::size_t task) {
    Workspace& work = workspaces_[task];
    const auto [from, to] = persons_of(task);
    for (Index p = from; p < to; ++p) {
      const double weight = s.weights.empty() ? 1 : s.weights[static_cast<std::size_t>(p)];
      parts[static_cast<std::size_t>(p)] = weight * person_likelihood(parameters, p, work);
      const std::span<double> score(scores.row(p), static_cast<std::size_t>(scores.cols));
      person_score(p, work, score);
      for (double& one : score) one *= weight;
    }
  });
  return ordered_sum(parts);
}

}  // namespace bl::random_utility
