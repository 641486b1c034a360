// Sums over situations, by weight, that economics of choices are made of.
#pragma once

#include <optional>
#include <vector>

#include "bl/choice.hpp"
#include "choice/scores.hpp"

namespace bl {

// Responses of probabilities to a percent of an attribute, over the sums of the probabilities themselves.
class ElasticitySums {
 public:
  explicit ElasticitySums(const ChoiceData& data);

  // By entries of one situation: the probability of j, and what it gains per percent of the attribute of k.
  void add_share(std::size_t j, double share) { shares_[alternative(j)] += share; }
  void add_response(std::size_t j, std::size_t k, double response) {
    responses_[alternative(j) * shares_.size() + alternative(k)] += response;
  }
  // Row by row: j n + k; NaN for an alternative that nobody can choose.
  std::vector<double> elasticities() const;

 private:
  std::size_t alternative(std::size_t entry) const { return static_cast<std::size_t>(data_.classes[entry]); }

  const ChoiceData& data_;
  std::vector<double> shares_, responses_;
};

// Means by alternative of dV/dx of entries and of how far it is below zero, from 0 to 1.
ChoiceSlopes mean_slopes(const ChoiceData& data, const std::vector<double>& slope,
                         const std::vector<double>& negative);

// The marginal utility of money in every situation: minus that of the cost, averaged by the probabilities.
// `slopes`: of entries, by attribute.
std::vector<double> worth_of_money(const ChoiceData& data, const ChoiceScores& scores,
                                   const Matrix<double>& slopes, Index cost);

// Mean change of the log-sum; in money, of the log-sum over what money is worth: NaN where that is not known
// or not above zero in some situation.
struct Surplus {
  double utility = 0, money = 0;
};
Surplus surplus_change(const ChoiceData& data, const ChoiceScores& before, const ChoiceScores& after,
                       const std::vector<double>& worth);
// A situation in which money has no positive marginal utility.
std::optional<std::size_t> worthless(const std::vector<double>& worth);

}  // namespace bl
