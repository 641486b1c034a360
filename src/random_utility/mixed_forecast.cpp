// What a mixed logit says about choices that are not made yet, and about the persons who made them.
#include <algorithm>
#include <cmath>

#include "compute/draw_kernels.hpp"
#include "random_utility/mixed_workspace.hpp"

namespace bl::random_utility {

namespace {

// At most so many persons' draws stand for the population.
constexpr double kPopulationDraws = 100000;

double mean_of(const double* values, std::size_t count) {
  double sum = 0;
  for (std::size_t r = 0; r < count; ++r) sum += values[r];
  return sum / static_cast<double>(count);
}

double negative_share(const double* values, std::size_t count) {
  return static_cast<double>(std::count_if(values, values + count, [](double one) { return one < 0; })) /
         static_cast<double>(count);
}

// Means over draws of the change of each probability with the attribute of each entry. `at_draws(j)` are the
// probabilities of entry j; slopes are entries x draws.
template <class AtDraws>
void mean_responses(const AtDraws& at_draws, const Matrix<double>& slopes, double* to) {
  const auto n = static_cast<std::size_t>(slopes.rows()), count = static_cast<std::size_t>(slopes.cols());
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k) {
      const double *of_j = at_draws(j), *of_k = at_draws(k), *slope = slopes.row(static_cast<Index>(k));
      double sum = 0;
      for (std::size_t r = 0; r < count; ++r) sum += of_j[r] * ((j == k ? 1 : 0) - of_k[r]) * slope[r];
      to[j * n + k] = sum / static_cast<double>(count);
    }
}

}  // namespace

// Probabilities at every draw, then their means. The base is an alternative like the others: its probability
// at a draw is what the kernel left in work.likelihood.
void MixedLogit::forecast_situation(std::span<const double> parameters, Index situation, DesignSlopes slopes,
                                    Workspace& work, Forecast& out) const {
  const ChoiceSets& s = sets();
  const auto t = static_cast<std::size_t>(situation);
  const auto count = static_cast<std::size_t>(spec_.draws.count), random = spec_.random.size();
  const auto begin = static_cast<std::size_t>(s.begin[t]);
  const auto n = static_cast<std::size_t>(s.size(situation)), base = static_cast<std::size_t>(s.chosen[t]);
  const std::int64_t row = rows_[t];
  work.prepare(static_cast<std::int64_t>(n) - 1, static_cast<Index>(random), draws_);
  for (std::size_t j = 0; j + 1 < n; ++j) {
    const double* difference = fixed_difference_.row(static_cast<Index>(row) + static_cast<Index>(j));
    work.fixed[j] = 0;
    for (std::size_t k = 0; k < fixed_.size(); ++k)
      work.fixed[j] += difference[k] * parameters[static_cast<std::size_t>(fixed_[k])];
  }
  std::fill_n(work.likelihood.data(), draws_, 1.0);
  logit_at_draws({.fixed = work.fixed.data(),
                  .difference = difference_.data() + row * static_cast<std::int64_t>(random),
                  .alternatives = n - 1,
                  .coefficients = random},
                 work.coefficients.data(), draws_, false, work.likelihood.data(), work.probabilities.data(),
                 nullptr);
  const auto at_draws = [&](std::size_t j) -> const double* {
    return j == base ? work.likelihood.data()
                     : work.probabilities.row(static_cast<Index>(j < base ? j : j - 1));
  };
  // sum over terms of value * coefficient at draw r
  const auto combined = [&](auto value, std::size_t r) {
    double sum = 0;
    for (const Index term : fixed_) sum += value(term) * parameters[static_cast<std::size_t>(term)];
    for (std::size_t k = 0; k < random; ++k)
      sum += value(spec_.random[k].term) * work.coefficients(static_cast<Index>(k), static_cast<Index>(r));
    return sum;
  };
  double log_sum = 0;
  for (std::size_t j = 0; j < n; ++j) {
    const auto entry = static_cast<Index>(begin + j);
    const auto value = [&](Index term) { return s.design(entry, term); };
    out.probability[begin + j] = mean_of(at_draws(j), count);
    double utility = 0;
    for (std::size_t r = 0; r < count; ++r) {
      const double v = combined(value, r);
      utility += v;
      if (j == base) log_sum += v - std::log(work.likelihood[r]);
    }
    out.utility[begin + j] = utility / static_cast<double>(count);
  }
  out.log_sum[t] = log_sum / static_cast<double>(count);
  if (slopes.data == nullptr) return;
  work.entry_slopes.resize(static_cast<Index>(n), static_cast<Index>(count));
  for (std::size_t j = 0; j < n; ++j) {
    const auto entry = static_cast<Index>(begin + j);
    double* of_entry = work.entry_slopes.row(static_cast<Index>(j));
    for (std::size_t r = 0; r < count; ++r)
      of_entry[r] = combined([&](Index term) { return slopes(entry, term); }, r);
    out.slope[begin + j] = mean_of(of_entry, count);
    out.negative[begin + j] = negative_share(of_entry, count);
  }
  mean_responses(at_draws, work.entry_slopes, out.responses.data() + work.response_begin);
}

Forecast MixedLogit::forecast(std::span<const double> parameters, DesignSlopes slopes,
                              ThreadPool& pool) const {
  const ChoiceSets& s = sets();
  Forecast out;
  const auto entries = static_cast<std::size_t>(s.design.rows());
  out.probability.resize(entries);
  out.utility.resize(entries);
  out.log_sum.resize(static_cast<std::size_t>(s.situations()));
  const std::vector<std::int64_t> begins = response_begins(s);
  if (slopes.data != nullptr) {
    out.slope.resize(entries);
    out.negative.resize(entries);
    out.responses.resize(static_cast<std::size_t>(begins.back()));
  }
  pool.run(workspaces_.size(), [&](std::size_t task) {
    Workspace& work = workspaces_[task];
    const auto [from, to] = persons_of(task);
    for (Index p = from; p < to; ++p) {
      coefficients_of(parameters, p, work);
      for (auto t = s.persons[static_cast<std::size_t>(p)]; t < s.persons[static_cast<std::size_t>(p) + 1];
           ++t) {
        work.response_begin = begins[static_cast<std::size_t>(t)];
        forecast_situation(parameters, static_cast<Index>(t), slopes, work, out);
      }
    }
  });
  return out;
}

Posterior MixedLogit::posterior(std::span<const double> parameters, ThreadPool& pool) const {
  const auto random = static_cast<Index>(spec_.random.size());
  Posterior out{Matrix<double>(sets().person_count(), random), Matrix<double>(sets().person_count(), random)};
  pool.run(workspaces_.size(), [&](std::size_t task) {
    Workspace& work = workspaces_[task];
    const auto [from, to] = persons_of(task);
    for (Index p = from; p < to; ++p) {
      person_likelihood(parameters, p, work);
      for (Index k = 0; k < random; ++k) {
        double mean = 0, square = 0;
        const double* coefficient = work.coefficients.row(k);
        for (std::size_t r = 0; r < draws_; ++r) mean += work.likelihood[r] * coefficient[r];
        for (std::size_t r = 0; r < draws_; ++r)
          square += work.likelihood[r] * (coefficient[r] - mean) * (coefficient[r] - mean);
        out.mean(p, k) = mean;
        out.standard_deviation(p, k) = std::sqrt(square);
      }
    }
  });
  return out;
}

Population MixedLogit::population(std::span<const double> parameters) const {
  const double per_person = static_cast<double>(spec_.draws.count);
  const auto persons = static_cast<Index>(
      std::clamp(kPopulationDraws / per_person, 1.0, static_cast<double>(sets().person_count())));
  Population out;
  out.coefficients.resize(persons * spec_.draws.count, spec_.terms);
  out.shares.assign(static_cast<std::size_t>(out.coefficients.rows()),
                    1 / static_cast<double>(out.coefficients.rows()));
  Workspace work;
  for (Index p = 0; p < persons; ++p) {
    coefficients_of(parameters, p, work);
    for (Index r = 0; r < spec_.draws.count; ++r) {
      double* row = out.coefficients.row(p * spec_.draws.count + r);
      for (const Index term : fixed_) row[term] = parameters[static_cast<std::size_t>(term)];
      for (std::size_t k = 0; k < spec_.random.size(); ++k)
        row[spec_.random[k].term] = work.coefficients(static_cast<Index>(k), r);
    }
  }
  return out;
}

}  // namespace bl::random_utility
