// Nested and cross-nested logit. With utilities V and nests m of scale mu_m,
//
//   P(j) = sum_m P(j | m) P(m),  P(j | m) ~ exp(mu_m (V_j + log a_jm)),  P(m) ~ exp(S_m),
//   S_m = 1/mu_m log sum_j exp(mu_m (V_j + log a_jm)),
//
// where a_jm is the share of alternative j that is in nest m. An alternative in no nest is a nest of its own.
// mu = 1 is the logit; 1/mu is the dissimilarity parameter; mu < 1 contradicts utility maximisation.
// Without nests it is the logit.
// Parameters: those of the utility, mu per nest, then the shares of the alternatives in two nests that are
// in the first.
#pragma once

#include <vector>

#include "random_utility/random_utility_model.hpp"

namespace bl::random_utility {

struct NestPlace {
  Index first = -1, second = -1;  // nests; -1: none
  Index share = -1;               // which share says how much is in the first; -1: all of it
};

struct NestedLogitSpec {
  Index nests = 0;
  Index shares = 0;
  std::vector<NestPlace> places;  // per alternative
};

class NestedLogit : public RandomUtilityModel {
 public:
  NestedLogit(const ChoiceSets& sets, Utility utility, NestedLogitSpec spec);

  Index parameters() const override { return utility().parameters() + spec_.nests + spec_.shares; }
  double log_likelihood(std::span<const double> parameters, MatrixView<double> scores, const Context& job,
                        Ranks* ranks = nullptr) const override;
  // Utilities and log-sums are in units of the first data source.
  Forecast forecast(std::span<const double> parameters, DesignSlopes slopes,
                    const Context& job) const override;
  Population population(std::span<const double> parameters) const override;

 private:
  struct Situation;
  void solve(std::span<const double> parameters, Index situation, Situation& at) const;
  void score_situation(std::span<const double> parameters, Index situation, Situation& at,
                       std::span<double> score) const;
  void respond(std::span<const double> parameters, Index situation, const Situation& at, DesignSlopes slopes,
               double* responses, Forecast& out) const;

  NestedLogitSpec spec_;
};

}  // namespace bl::random_utility
