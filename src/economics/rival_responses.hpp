// What a change of one alternative does to the utilities of the others that read it as a rival.
#pragma once

#include "choice/prepared.hpp"
#include "features/choice_terms.hpp"

namespace bl {

class RivalResponses {
 public:
  RivalResponses(const FittedModel& model, PreparedChoices& choices, Index attribute, const Context& job);

  bool none() const { return summaries_.empty(); }
  // d utility of entry j / d attribute of entry k, through the summaries that j reads.
  double slope(std::size_t situation, std::size_t j, std::size_t k) const;

 private:
  const ChoiceData& data_;
  LacksAttribute lacks_;
  std::vector<std::pair<const RivalSummary*, Index>> summaries_;  // of the attribute, with their inputs
  Matrix<double> by_input_;
};

}  // namespace bl
