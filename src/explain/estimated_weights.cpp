#include "explain/estimated_weights.hpp"

#include <algorithm>
#include <cmath>

#include "base/unknown.hpp"
#include "bl/errors.hpp"
#include "inference/hypothesis.hpp"

namespace bl::explain {

EstimatedWeights::EstimatedWeights(const Estimates& estimates, Index first, const CurveParts& parts) {
  const auto count = static_cast<Eigen::Index>(parts.size());
  values_ = Eigen::VectorXd::Zero(count);
  covariance_ = Eigen::MatrixXd::Zero(count, count);
  std::vector<std::vector<std::pair<Eigen::Index, double>>> sums(parts.size());  // of estimates, by place
  for (std::size_t part = 0; part < parts.size(); ++part) {
    for (const auto& [term, factor] : parts[part]) {
      const Index position = first + static_cast<Index>(term);
      values_(static_cast<Eigen::Index>(part)) +=
          factor * estimates.parameters[static_cast<std::size_t>(position)];
      if (const auto place = estimates.places.find(position); place != estimates.places.end())
        sums[part].emplace_back(place->second, factor);
    }
    if (!sums[part].empty()) free_.push_back(static_cast<Eigen::Index>(part));
  }
  for (const Eigen::Index a : free_)
    for (const Eigen::Index b : free_)
      for (const auto& [i, factor] : sums[static_cast<std::size_t>(a)])
        for (const auto& [j, other] : sums[static_cast<std::size_t>(b)])
          covariance_(a, b) += factor * estimates.covariance(i, j) * other;
}

double EstimatedWeights::error(const Eigen::VectorXd& factors) const {
  double variance = 0;  // weights without a variance count only where they have a factor
  for (const Eigen::Index a : free_)
    for (const Eigen::Index b : free_)
      if (factors(a) != 0 && factors(b) != 0) variance += factors(a) * covariance_(a, b) * factors(b);
  return std::sqrt(std::max(variance, 0.0));  // in this order NaN stays NaN
}

bool EstimatedWeights::fixed(Eigen::Index weight) const {
  return !std::binary_search(free_.begin(), free_.end(), weight);
}

WaldTest EstimatedWeights::zero_from(Eigen::Index first) const {
  const std::vector<Eigen::Index> tested(std::lower_bound(free_.begin(), free_.end(), first), free_.end());
  const auto count = static_cast<Eigen::Index>(tested.size());
  if (count == 0) return {kUnknown, 0, kUnknown};
  try {
    const inference::TestResult result =
        inference::wald({Eigen::MatrixXd::Identity(count, count), Eigen::VectorXd::Zero(count)},
                        values_(tested), covariance_(tested, tested));
    return {result.statistic, result.degrees, result.p};
  } catch (const Error&) {
    return {kUnknown, static_cast<int>(count), kUnknown};
  }
}

}  // namespace bl::explain
