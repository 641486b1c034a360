// Latent classes: every person belongs to one of a few classes, each with a utility of its own.
//
//   L_p = sum_c pi_c(z_p) prod_t P_c(chosen_t),  pi_c(z) ~ exp(g_c'(1, z)),  g_1 = 0
//
// Parameters: those of the utility of class 1, of class 2, ..., then g_2, g_3, ...
#pragma once

#include <functional>
#include <vector>

#include "random_utility/random_utility_model.hpp"

namespace bl::random_utility {

// Of a person with z = 0.
std::vector<double> class_shares(Index classes, Index each, std::span<const double> parameters);

class LatentClassLogit : public RandomUtilityModel {
 public:
  // The utility has no scales.
  LatentClassLogit(const ChoiceSets& sets, Utility utility, Index classes)
      : RandomUtilityModel(sets, std::move(utility)), classes_(classes) {}

  Index parameters() const override {
    return classes_ * each() + (classes_ - 1) * (1 + sets().membership.cols());
  }
  double log_likelihood(std::span<const double> parameters, MatrixView<double> scores, const Context& job,
                        Ranks* ranks = nullptr) const override;
  Forecast forecast(std::span<const double> parameters, DesignSlopes slopes,
                    const Context& job) const override;
  // Shares are means over the persons.
  Population population(std::span<const double> parameters) const override;
  // Probability of each class given a person's choices: persons x classes.
  Matrix<double> posterior(std::span<const double> parameters) const;

  Index classes() const { return classes_; }
  // Parameters of one class.
  Index each() const { return utility().parameters(); }
  // log pi_c of a person.
  void log_shares(std::span<const double> parameters, Index person, std::span<double> out) const;
  // Log-probability of a person's choices in a class, and its derivatives by the class's parameters.
  double class_likelihood(const double* parameters, Index person, std::span<double> score,
                          UtilityAt& at) const;

 private:
  Index classes_;
};

struct ExpectationSpec {
  Index starts = 10;
  std::uint64_t seed = 1;
  int iterations = 100;  // of each start
};

// The best of several starts of the EM algorithm, begun at the parameters of the utility that is the same for
// all, moved at random; classes by falling share. `scales`: how far they are moved, a lambda in its
// logarithm.
std::vector<double> expectation_maximisation(const LatentClassLogit& model, std::span<const double> common,
                                             std::span<const double> scales, const ExpectationSpec& spec,
                                             const Context& job);

}  // namespace bl::random_utility
