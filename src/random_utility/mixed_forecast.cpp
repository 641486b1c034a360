// What a mixed logit says about choices that are not made yet, and about the persons who made them.
#include <algorithm>
#include <cmath>

#include "random_utility/mixed_logit.hpp"

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
void mean_responses(const AtDraws& at_draws, const Matrix<double>& slopes, double scale, std::size_t count,
                    double* to) {
  const auto n = static_cast<std::size_t>(slopes.rows());
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k) {
      const double *of_j = at_draws(j), *of_k = at_draws(k), *slope = slopes.row(static_cast<Index>(k));
      double sum = 0;
      for (std::size_t r = 0; r < count; ++r) sum += of_j[r] * ((j == k ? 1 : 0) - of_k[r]) * slope[r];
      to[j * n + k] = scale * sum / static_cast<double>(count);
    }
}

}  // namespace

// Probabilities at every draw, then their means. The chosen entry is one like the others: its probability at
// a draw is what was left in work.likelihood.
void MixedLogit::forecast_situation(std::span<const double> parameters, Index situation, DesignSlopes slopes,
                                    std::int64_t response_begin, DrawnWorkspace& work, Forecast& out) const {
  const ChoiceSets& s = sets();
  const auto t = static_cast<std::size_t>(situation);
  const auto count = static_cast<std::size_t>(spec_.draws.count);
  const auto begin = static_cast<std::size_t>(s.begin[t]);
  const auto n = static_cast<std::size_t>(s.size(situation)), base = static_cast<std::size_t>(s.chosen[t]);
  const auto from = static_cast<Index>(begin), to = static_cast<Index>(begin + n);
  const double scale = utility().scale(s, situation, parameters.data());
  work.probabilities.resize(static_cast<Index>(n) - 1, static_cast<Index>(draws_));
  work.likelihood.resize(draws_);
  std::fill_n(work.likelihood.data(), draws_, 1.0);
  drawn_->utilities(from, to, parameters.data(), work);
  drawn_->choose(situation, 0, parameters.data(), false, work.probabilities.data(), work);
  const auto at_draws = [&](std::size_t j) -> const double* {
    return j == base ? work.likelihood.data()
                     : work.probabilities.row(static_cast<Index>(j < base ? j : j - 1));
  };
  for (std::size_t j = 0; j < n; ++j) {
    out.probability[begin + j] = mean_of(at_draws(j), count);
    out.utility[begin + j] = mean_of(work.utilities.row(static_cast<Index>(j)), count);
  }
  double log_sum = 0;
  for (std::size_t r = 0; r < count; ++r)
    log_sum += work.utilities(static_cast<Index>(base), static_cast<Index>(r)) -
               std::log(work.likelihood[r]) / scale;
  out.log_sum[t] = log_sum / static_cast<double>(count);
  if (slopes.data == nullptr) return;
  drawn_->attribute_slopes(from, to, parameters.data(), slopes, work);
  for (std::size_t j = 0; j < n; ++j) {
    const double* of_entry = work.entry_slopes.row(static_cast<Index>(j));
    out.slope[begin + j] = mean_of(of_entry, count);
    out.negative[begin + j] = negative_share(of_entry, count);
  }
  mean_responses(at_draws, work.entry_slopes, scale, count, out.responses.data() + response_begin);
}

Forecast MixedLogit::forecast(std::span<const double> parameters, DesignSlopes slopes,
                              const Context& job) const {
  const ChoiceSets& s = sets();
  const std::vector<std::int64_t> begins = response_begins(s);
  Forecast out = room_for_forecast(s, slopes.data != nullptr);
  job.run(workspaces_.size(), [&](std::size_t task) {
    DrawnWorkspace& work = workspaces_[task];
    const auto [from, to] = persons_of(task);
    for (Index p = from; p < to; ++p) {
      coefficients_of(parameters, p, work);
      for (auto t = s.persons[static_cast<std::size_t>(p)]; t < s.persons[static_cast<std::size_t>(p) + 1];
           ++t)
        forecast_situation(parameters, static_cast<Index>(t), slopes, begins[static_cast<std::size_t>(t)],
                           work, out);
    }
  });
  return out;
}

Posterior MixedLogit::posterior(std::span<const double> parameters, const Context& job) const {
  const auto random = static_cast<Index>(spec_.random.size());
  Posterior out{Matrix<double>(sets().person_count(), random), Matrix<double>(sets().person_count(), random)};
  job.run(workspaces_.size(), [&](std::size_t task) {
    DrawnWorkspace& work = workspaces_[task];
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
  const Index size = utility().parameters();
  out.coefficients.resize(persons * spec_.draws.count, size);
  out.shares.assign(static_cast<std::size_t>(out.coefficients.rows()),
                    1 / static_cast<double>(out.coefficients.rows()));
  DrawnWorkspace work;
  for (Index p = 0; p < persons; ++p) {
    coefficients_of(parameters, p, work);
    for (Index r = 0; r < spec_.draws.count; ++r) {
      double* row = out.coefficients.row(p * spec_.draws.count + r);
      std::copy_n(parameters.begin(), size, row);
      for (std::size_t k = 0; k < spec_.random.size(); ++k)
        row[spec_.random[k].term] = work.coefficients(static_cast<Index>(k), r);
    }
  }
  return out;
}

}  // namespace bl::random_utility
