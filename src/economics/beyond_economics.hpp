// Elasticities, marginal utilities and trade-offs of choice models beyond the logit, over the draws or classes.
#pragma once

#include <string>
#include <vector>

#include "bl/choice.hpp"
#include "features/choice_data.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

// Percent change of the share of j per percent of attribute x of k, row by row: j n + k.
std::vector<double> beyond_elasticities(const FittedModel& model, const ChoiceData& base, Index x,
                                        ThreadPool& pool);

ChoiceSlopes beyond_slopes(const FittedModel& model, const ChoiceData& base, Index x, ThreadPool& pool);

// Per alternative and in all: median and quartiles over the population of dV/dx over dV/dm; a ratio of
// coefficients that are the same for all is that ratio. Of all: 3 numbers, then one per alternative; NaN where
// m does not count.
std::vector<double> beyond_ratios(const FittedModel& model, const ChoiceData& base, Index x, Index m);

// UsageError where the marginal utility of money differs between persons or classes: the mean of what divides
// by it may not exist.
void require_common_money(const FittedModel& model, Index m);

}  // namespace bl
