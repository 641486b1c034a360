// Latent classes: every person belongs to one of a few classes, each with a logit of its own.
//
//   L_p = sum_c pi_c(z_p) prod_t P_c(chosen_t),  pi_c(z) ~ exp(g_c'(1, z)),  g_1 = 0
//
// Parameters: the coefficients of class 1, of class 2, ..., then g_2, g_3, ...
#pragma once

#include <functional>
#include <vector>

#include "random_utility/random_utility_model.hpp"

namespace bl::random_utility {

// Of a person with z = 0.
std::vector<double> class_shares(Index classes, Index terms, std::span<const double> parameters);

class LatentClassLogit : public RandomUtilityModel {
 public:
  LatentClassLogit(const ChoiceSets& sets, Index classes) : RandomUtilityModel(sets), classes_(classes) {}

  Index parameters() const override {
    return classes_ * terms() + (classes_ - 1) * (1 + sets().membership.cols());
  }
  double log_likelihood(std::span<const double> parameters, MatrixView<double> scores,
                        ThreadPool& pool) const override;
  Forecast forecast(std::span<const double> parameters, DesignSlopes slopes, ThreadPool& pool) const override;
  // Shares are means over the persons.
  Population population(std::span<const double> parameters) const override;
  // Probability of each class given a person's choices: persons x classes.
  Matrix<double> posterior(std::span<const double> parameters) const;

  Index classes() const { return classes_; }
  Index terms() const { return sets().design.cols(); }
  // log pi_c of a person.
  void log_shares(std::span<const double> parameters, Index person, std::span<double> out) const;
  // Log-probability of a person's choices in a class, and its derivatives by the coefficients.
  double class_likelihood(const double* coefficients, Index person, std::span<double> score) const;

 private:
  Index classes_;
};

struct ExpectationSpec {
  Index starts = 10;
  std::uint64_t seed = 1;
  int iterations = 100;  // of each start
  std::function<bool()> should_stop = {};
};

// The best of several starts of the EM algorithm, begun at logit coefficients that are moved at random; classes
// by falling share. `scales`: how far coefficients are moved.
std::vector<double> expectation_maximisation(const LatentClassLogit& model, std::span<const double> logit,
                                             std::span<const double> scales, const ExpectationSpec& spec,
                                             ThreadPool& pool);

}  // namespace bl::random_utility
