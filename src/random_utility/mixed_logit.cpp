#include "random_utility/mixed_logit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bl/errors.hpp"
#include "compute/draw_kernels.hpp"

namespace bl::random_utility {

namespace {

constexpr Index kTasks = 32;  // at most; each has a workspace of its own
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

MixedLogit::MixedLogit(const ChoiceSets& sets, Utility of_all, MixedLogitSpec spec, double memory)
    : RandomUtilityModel(sets, std::move(of_all)), spec_(std::move(spec)), spreads_(spreads_of(spec_)) {
  const auto random = static_cast<Index>(spec_.random.size());
  draws_ = (static_cast<std::size_t>(spec_.draws.count) + kDrawStep - 1) / kDrawStep * kDrawStep;
  const double bytes = 8.0 * static_cast<double>(draws_) * static_cast<double>(random) *
                       static_cast<double>(sets.person_count());
  if (bytes > memory)
    throw UsageError(fmt::format(
        "{} draws of {} coefficients for {} persons would need {:.3g} GiB of {:.3g} GiB; use fewer "
        "draws",
        spec_.draws.count, random, sets.person_count(), bytes / 0x1p30, memory / 0x1p30));
  const Matrix<double> uniform = uniform_draws(spec_.draws, sets.person_count(), random);
  standard_.resize(uniform.rows(), static_cast<Index>(draws_));
  for (Index row = 0; row < uniform.rows(); ++row) {
    const Distribution d = spec_.random[static_cast<std::size_t>(row % random)].distribution;
    for (Index r = 0; r < uniform.cols(); ++r) standard_(row, r) = standard_draw(d, uniform(row, r));
    for (Index r = uniform.cols(); r < standard_.cols(); ++r) standard_(row, r) = 0;
  }
  std::vector<Index> which;
  for (const RandomTerm& one : spec_.random) which.push_back(one.term);
  drawn_ = drawn_utility(sets, utility(), which, draws_);
  workspaces_.resize(static_cast<std::size_t>(std::min(kTasks, sets.person_count())));
}

std::pair<Index, Index> MixedLogit::persons_of(std::size_t task) const {
  const auto tasks = static_cast<Index>(workspaces_.size()), t = static_cast<Index>(task);
  return {t * sets().person_count() / tasks, (t + 1) * sets().person_count() / tasks};
}

void MixedLogit::coefficients_of(std::span<const double> parameters, Index person,
                                 DrawnWorkspace& work) const {
  const auto random = static_cast<Index>(spec_.random.size());
  const std::size_t n = draws_;
  work.coefficients.resize(random, static_cast<Index>(n));
  for (Index k = 0; k < random; ++k)
    std::fill_n(work.coefficients.row(k), n,
                parameters[static_cast<std::size_t>(spec_.random[static_cast<std::size_t>(k)].term)]);
  for (std::size_t s = 0; s < spreads_.size(); ++s) {
    const double spread = parameters[static_cast<std::size_t>(utility().parameters()) + s];
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

// The logarithm of L_p, without its weight; leaves the weights of the draws, which sum to 1, in
// work.likelihood.
double MixedLogit::person_likelihood(std::span<const double> parameters, Index person,
                                     DrawnWorkspace& work) const {
  const auto count = static_cast<std::size_t>(spec_.draws.count);
  coefficients_of(parameters, person, work);
  drawn_->run(person, parameters.data(), false, work);
  double* likelihood = work.likelihood.data();
  double sum = 0, shift = 0;
  for (std::size_t r = 0; r < count; ++r) sum += likelihood[r];
  if (!(sum > kSmallLikelihood)) {
    drawn_->run(person, parameters.data(), true, work);
    shift = *std::max_element(likelihood, likelihood + count);
    sum = 0;
    for (std::size_t r = 0; r < count; ++r) sum += likelihood[r] = std::exp(likelihood[r] - shift);
  }
  for (std::size_t r = 0; r < count; ++r) likelihood[r] /= sum;
  std::fill(likelihood + count, likelihood + draws_, 0.0);
  return shift + std::log(sum / static_cast<double>(count));
}

void MixedLogit::person_score(std::span<const double> parameters, Index person, DrawnWorkspace& work,
                              std::span<double> score) const {
  const auto random = static_cast<Index>(spec_.random.size());
  std::fill(score.begin(), score.end(), 0.0);
  drawn_->differentiate(person, parameters.data(), work, score);
  // d log L_p / d location and spread: the slopes by draw, by d coefficient / d parameter.
  for (Index k = 0; k < random; ++k) {
    const RandomTerm& term = spec_.random[static_cast<std::size_t>(k)];
    double* slope = work.slopes.row(k);
    const double* coefficient = work.coefficients.row(k);
    double sum = 0;
    for (std::size_t r = 0; r < draws_; ++r) {
      if (term.distribution == Distribution::log_normal) slope[r] *= coefficient[r];
      sum += slope[r];
    }
    score[static_cast<std::size_t>(term.term)] = sum;
  }
  for (std::size_t i = 0; i < spreads_.size(); ++i)
    weighted_row_sums(work.slopes.row(spreads_[i].row), 1,
                      standard_.row(person * random + spreads_[i].column), draws_,
                      &score[static_cast<std::size_t>(utility().parameters()) + i]);
}

double MixedLogit::log_likelihood(std::span<const double> parameters, MatrixView<double> scores,
                                  const Context& job, Ranks* ranks) const {
  const ChoiceSets& s = sets();
  const PersonTasks tasks(workspaces_.size(), ranks,
                          [&](std::size_t task) { return persons_of(task).first; });
  return tasks.sum(job, scores, [&](std::size_t task, std::span<double> parts) {
    DrawnWorkspace& work = workspaces_[task];
    const auto [from, to] = persons_of(task);
    for (Index p = from; p < to; ++p) {
      const double weight = s.weights.empty() ? 1 : s.weights[static_cast<std::size_t>(p)];
      parts[static_cast<std::size_t>(p)] = weight * person_likelihood(parameters, p, work);
      const std::span<double> score(scores.row(p), static_cast<std::size_t>(scores.cols));
      person_score(parameters, p, work, score);
      for (double& one : score) one *= weight;
    }
  });
}

}  // namespace bl::random_utility
