// The logit of choices from several data sources, such as stated and revealed ones, whose utilities have
// unobserved parts of different size. With the source s of a situation,
//
//   P(j) ~ exp(scale_s V_j),  scale_s = exp(t_s),  t = 0 for the reference.
//
// Parameters: a coefficient per term, then t per source but the reference.
#pragma once

#include "random_utility/random_utility_model.hpp"

namespace bl::random_utility {

class ScaledLogit : public RandomUtilityModel {
 public:
  ScaledLogit(const ChoiceSets& sets, Index terms, Index sources)
      : RandomUtilityModel(sets), terms_(terms), sources_(sources) {}

  Index parameters() const override { return terms_ + sources_ - 1; }
  double log_likelihood(std::span<const double> parameters, MatrixView<double> scores,
                        ThreadPool& pool) const override;
  // Utilities and log-sums are in units of the reference: (1/scale) log sum exp(scale V).
  Forecast forecast(std::span<const double> parameters, DesignSlopes slopes, ThreadPool& pool) const override;
  Population population(std::span<const double> parameters) const override;

 private:
  double scale(std::span<const double> parameters, Index situation) const;
  // Utilities V of a situation, and their scaled log-sum.
  double solve(std::span<const double> parameters, Index situation, std::vector<double>& utility,
               std::vector<double>& probability) const;

  Index terms_, sources_;
};

}  // namespace bl::random_utility
