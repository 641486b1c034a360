// Mixed logit: parameters of the utility that differ between persons, the likelihood of a person's choices
// averaged over draws.
//
//   L_p = 1/R sum_r prod_t P(chosen_t | parameters_pr)
//
// Parameters: those of the utility, of the random ones their location, then the spreads of the random ones:
// of an independent one its own; of the correlated ones the lower triangle of the Cholesky factor, row by
// row.
#pragma once

#include <utility>
#include <vector>

#include "base/memory.hpp"
#include "random_utility/drawn_utility.hpp"
#include "random_utility/draws.hpp"
#include "random_utility/random_utility_model.hpp"

namespace bl::random_utility {

enum class Distribution : std::uint8_t { normal, log_normal, triangular, uniform };

struct RandomTerm {
  Index term = 0;  // parameter of the utility
  Distribution distribution = Distribution::normal;
  double sign = 1;          // log-normal: of the coefficient
  bool correlated = false;  // with the others that say so; normal and log-normal alone
};

struct MixedLogitSpec {
  std::vector<RandomTerm> random;
  DrawSpec draws;
};

// A spread parameter: how much coefficient `row` moves with draw `column` (indices into random).
struct Spread {
  Index row = 0, column = 0;
};
std::vector<Spread> spreads_of(const MixedLogitSpec& spec);

// Mean and standard deviation of each random coefficient given a person's choices: persons x random.
struct Posterior {
  Matrix<double> mean, standard_deviation;
};

class MixedLogit : public RandomUtilityModel {
 public:
  // UsageError where the draws need more bytes than `memory`.
  MixedLogit(const ChoiceSets& sets, Utility utility, MixedLogitSpec spec, double memory = physical_memory());

  Index parameters() const override { return utility().parameters() + static_cast<Index>(spreads_.size()); }
  double log_likelihood(std::span<const double> parameters, MatrixView<double> scores, const Context& job,
                        Ranks* ranks = nullptr) const override;
  Forecast forecast(std::span<const double> parameters, DesignSlopes slopes,
                    const Context& job) const override;
  Posterior posterior(std::span<const double> parameters, const Context& job) const;

  Population population(std::span<const double> parameters) const override;

 private:
  void coefficients_of(std::span<const double> parameters, Index person, DrawnWorkspace& work) const;
  double person_likelihood(std::span<const double> parameters, Index person, DrawnWorkspace& work) const;
  void person_score(std::span<const double> parameters, Index person, DrawnWorkspace& work,
                    std::span<double> score) const;
  void forecast_situation(std::span<const double> parameters, Index situation, DesignSlopes slopes,
                          std::int64_t response_begin, DrawnWorkspace& work, Forecast& out) const;
  std::pair<Index, Index> persons_of(std::size_t task) const;

  MixedLogitSpec spec_;
  std::vector<Spread> spreads_;
  std::size_t draws_ = 0;    // padded
  Matrix<double> standard_;  // standard draws: (person, random term) x padded draws
  std::unique_ptr<DrawnUtility> drawn_;
  mutable std::vector<DrawnWorkspace> workspaces_;  // one per task, kept between evaluations
};

}  // namespace bl::random_utility
