#include "random_utility/scaled_logit.hpp"

#include <algorithm>
#include <cmath>

#include "compute/log_sum_exp.hpp"

namespace bl::random_utility {

namespace {

constexpr Index kScaledPerTask = 256;

}  // namespace

double ScaledLogit::scale(std::span<const double> parameters, Index situation) const {
  const std::int32_t source = sets().source[static_cast<std::size_t>(situation)];
  return source == 0 ? 1 : std::exp(parameters[static_cast<std::size_t>(terms_ + source - 1)]);
}

double ScaledLogit::solve(std::span<const double> parameters, Index situation, std::vector<double>& utility,
                          std::vector<double>& probability) const {
  const ChoiceSets& s = sets();
  const auto begin = static_cast<Index>(s.begin[static_cast<std::size_t>(situation)]);
  const auto n = static_cast<std::size_t>(s.size(situation));
  const double size = scale(parameters, situation);
  utility.assign(n, 0);
  probability.resize(n);
  for (std::size_t j = 0; j < n; ++j) {
    for (Index k = 0; k < terms_; ++k)
      utility[j] += s.design(begin + static_cast<Index>(j), k) * parameters[static_cast<std::size_t>(k)];
    probability[j] = size * utility[j];
  }
  const double log_sum = log_sum_exp<double>(probability);
  for (double& one : probability) one = std::exp(one - log_sum);
  return log_sum;
}

double ScaledLogit::log_likelihood(std::span<const double> parameters, MatrixView<double> scores,
                                   ThreadPool& pool) const {
  const ChoiceSets& s = sets();
  std::vector<double> parts(static_cast<std::size_t>(s.person_count()), 0);
  const Index tasks = (s.person_count() + kScaledPerTask - 1) / kScaledPerTask;
  pool.run(static_cast<std::size_t>(tasks), [&](std::size_t task) {
    std::vector<double> utility, probability;
    const Index from = static_cast<Index>(task) * kScaledPerTask,
                to = std::min(from + kScaledPerTask, s.person_count());
    for (Index p = from; p < to; ++p) {
      const double weight = s.weights.empty() ? 1 : s.weights[static_cast<std::size_t>(p)];
      double* score = scores.row(p);
      std::fill_n(score, parameters.size(), 0.0);
      double& part = parts[static_cast<std::size_t>(p)];
      for (auto t = static_cast<Index>(s.persons[static_cast<std::size_t>(p)]);
           t < static_cast<Index>(s.persons[static_cast<std::size_t>(p) + 1]); ++t) {
        const double log_sum = solve(parameters, t, utility, probability), size = scale(parameters, t);
        const auto begin = static_cast<Index>(s.begin[static_cast<std::size_t>(t)]);
        const auto chosen = static_cast<std::size_t>(s.chosen[static_cast<std::size_t>(t)]);
        part += weight * (size * utility[chosen] - log_sum);
        double by_scale = 0;
        for (std::size_t j = 0; j < utility.size(); ++j) {
          const double by_utility = weight * size * ((j == chosen ? 1 : 0) - probability[j]);
          by_scale += by_utility * utility[j];
          for (Index k = 0; k < terms_; ++k)
            score[k] += by_utility * s.design(begin + static_cast<Index>(j), k);
        }
        const std::int32_t source = s.source[static_cast<std::size_t>(t)];
        if (source > 0) score[terms_ + source - 1] += by_scale;
      }
    }
  });
  return ordered_sum(parts);
}

Forecast ScaledLogit::forecast(std::span<const double> parameters, DesignSlopes slopes,
                               ThreadPool& pool) const {
  const ChoiceSets& s = sets();
  const bool respond = slopes.data != nullptr;
  const auto entries = static_cast<std::size_t>(s.design.rows());
  Forecast out;
  out.probability.resize(entries);
  out.utility.resize(entries);
  out.log_sum.resize(static_cast<std::size_t>(s.situations()));
  const std::vector<std::int64_t> begins = respond ? response_begins(s) : std::vector<std::int64_t>();
  if (respond) {
    out.slope.resize(entries);
    out.negative.resize(entries);
    out.responses.resize(static_cast<std::size_t>(begins.back()));
  }
  const Index tasks = (s.situations() + kScaledPerTask - 1) / kScaledPerTask;
  pool.run(static_cast<std::size_t>(tasks), [&](std::size_t task) {
    std::vector<double> utility, probability;
    const Index from = static_cast<Index>(task) * kScaledPerTask,
                to = std::min(from + kScaledPerTask, s.situations());
    for (Index t = from; t < to; ++t) {
      const double size = scale(parameters, t);
      out.log_sum[static_cast<std::size_t>(t)] = solve(parameters, t, utility, probability) / size;
      const auto begin = static_cast<std::size_t>(s.begin[static_cast<std::size_t>(t)]);
      const std::size_t n = utility.size();
      for (std::size_t k = 0; k < n; ++k) {
        out.probability[begin + k] = probability[k];
        out.utility[begin + k] = utility[k];
        if (!respond) continue;
        double slope = 0;
        for (Index c = 0; c < terms_; ++c)
          slope += slopes(static_cast<Index>(begin + k), c) * parameters[static_cast<std::size_t>(c)];
        out.slope[begin + k] = slope;
        out.negative[begin + k] = slope < 0 ? 1 : 0;
        double* response = out.responses.data() + begins[static_cast<std::size_t>(t)];
        for (std::size_t j = 0; j < n; ++j)
          response[j * n + k] = probability[j] * ((j == k ? 1 : 0) - probability[k]) * size * slope;
      }
    }
  });
  return out;
}

Population ScaledLogit::population(std::span<const double> parameters) const {
  Population out{Matrix<double>(1, terms_), {1.0}};
  std::copy_n(parameters.begin(), terms_, out.coefficients.row(0));
  return out;
}

}  // namespace bl::random_utility
