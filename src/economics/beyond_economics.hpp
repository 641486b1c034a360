// Elasticities, marginal utilities and trade-offs of choice models beyond the logit, over the draws or
// classes.
#pragma once

#include <string>
#include <vector>

#include "bl/choice.hpp"
#include "choice/prepared.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

// Percent change of the share of j per percent of attribute x of k, row by row: j n + k.
std::vector<double> beyond_elasticities(const FittedModel& model, PreparedChoices& choices, Index x,
                                        const Context& job);

ChoiceSlopes beyond_slopes(const FittedModel& model, PreparedChoices& choices, Index x, const Context& job);

// Values of attribute x in units of m: dV/dx over dV/dm over the population and, where terms make it differ,
// over the situations. What does not depend on the parameters is prepared once. The choices outlive this.
class BeyondRatios {
 public:
  BeyondRatios(const FittedModel& model, PreparedChoices& choices, Index x, Index m);

  // Median and quartiles in all, then the median of every alternative; NaN where m does not count. Empty
  // where it counts nowhere. `model` differs from the one above in its parameters alone.
  std::vector<double> numbers(const FittedModel& model) const;

  // Whether an alternative has entries that differ in their marginal utilities.
  bool by_situation() const { return by_situation_; }

 private:
  // Entries of one alternative that have the same marginal utilities at all parameters.
  struct Pattern {
    std::size_t alternative;
    double share;  // of all entries
    Index entry;   // one of them
    std::vector<double> by_x, by_m;
  };

  const BeyondModel& beyond_;
  std::size_t alternatives_;
  std::vector<Pattern> patterns_;
  bool by_situation_ = false;
};

// UsageError where the marginal utility of money differs between persons or classes: the mean of what divides
// by it may not exist.
void require_common_money(const FittedModel& model, Index m);

}  // namespace bl
