#include "economics/choice_sums.hpp"

#include <algorithm>

#include "base/unknown.hpp"

namespace bl {

ElasticitySums::ElasticitySums(const ChoiceData& data)
    : data_(data),
      shares_(data.alternatives.size(), 0),
      responses_(data.alternatives.size() * data.alternatives.size(), 0) {}

std::vector<double> ElasticitySums::elasticities() const {
  std::vector<double> out = responses_;
  const std::size_t n = shares_.size();
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k)
      out[j * n + k] = shares_[j] > 0 ? out[j * n + k] / shares_[j] : kUnknown;
  return out;
}

ChoiceSlopes mean_slopes(const ChoiceData& data, const std::vector<double>& slope,
                         const std::vector<double>& negative) {
  const std::size_t n = data.alternatives.size();
  ChoiceSlopes out{data.alternatives, std::vector<double>(n, 0), std::vector<double>(n, 0)};
  std::vector<double> counts(n, 0);
  for (std::size_t i = 0; i < data.chosen.size(); ++i)
    for (auto j = static_cast<std::size_t>(data.begin[i]); j < static_cast<std::size_t>(data.begin[i + 1]);
         ++j) {
      const auto alternative = static_cast<std::size_t>(data.classes[j]);
      counts[alternative] += data.weight(i);
      out.mean[alternative] += data.weight(i) * slope[j];
      out.negative[alternative] += data.weight(i) * negative[j];
    }
  for (std::size_t a = 0; a < n; ++a) {
    out.mean[a] = counts[a] > 0 ? out.mean[a] / counts[a] : kUnknown;
    out.negative[a] = counts[a] > 0 ? out.negative[a] / counts[a] : kUnknown;
  }
  return out;
}

std::vector<double> worth_of_money(const ChoiceData& data, const ChoiceScores& scores,
                                   const Matrix<double>& slopes, Index cost) {
  std::vector<double> worth(data.chosen.size(), 0);
  for (std::size_t i = 0; i < worth.size(); ++i)
    for (auto j = data.begin[i]; j < data.begin[i + 1]; ++j)
      worth[i] -= scores.probability[static_cast<std::size_t>(j)] * slopes(static_cast<Index>(j), cost);
  return worth;
}

std::optional<std::size_t> worthless(const std::vector<double>& worth) {
  const auto found = std::find_if(worth.begin(), worth.end(), [](double one) { return !(one > 0); });
  if (found == worth.end()) return std::nullopt;
  return static_cast<std::size_t>(found - worth.begin());
}

Surplus surplus_change(const ChoiceData& data, const ChoiceScores& before, const ChoiceScores& after,
                       const std::vector<double>& worth) {
  const bool valued = !worth.empty() && !worthless(worth);
  double total = 0, utility = 0, money = 0;
  for (std::size_t i = 0; i < data.chosen.size(); ++i) {
    const double w = data.weight(i), gain = after.log_sum[i] - before.log_sum[i];
    total += w;
    utility += w * gain;
    if (valued) money += w * gain / worth[i];
  }
  return {utility / total, valued ? money / total : kUnknown};
}

}  // namespace bl
