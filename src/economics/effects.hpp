// What one more unit of a variable does to one row: to the utility at the observed response, and to what is
// predicted.
//
// With the distribution p(y|x) ~ exp(BL/tau), d E[f(y)] / dx = Cov(f(y), dBL/dx) / tau: a class's probability
// has f = [y = c], a predicted number f = y. Everything here is a function of the model's parameters and the
// row alone, so that standard errors can be had by differentiating it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bl/explain.hpp"
#include "predict/row_distribution.hpp"

namespace bl {

// A row this close to the kink of a head stands at it, as a share of the head.
inline constexpr double kAtKink = 1e-6;

// What is predicted: "E[MEDV]" of every continuous response, then "p(yes)" of every class.
std::vector<std::string> outcome_names(const FittedModel& model);

// The outcomes of one response: its numbers in the data's units, then an indicator for every class.
std::vector<double> outcomes_of(const FittedModel& model, const explain::Response& response);

struct RowEffects {
  // By variable of the problem that has a derivative, in the order of the problem, in the data's units.
  std::vector<double> values;
  std::vector<double> marginal;       // d utility; at a kink the change per unit when the variable rises
  std::vector<double> marginal_left;  // differs from it only at a kink: per unit when the variable falls
  // By outcome.
  std::vector<double> outcomes;
  std::vector<std::vector<double>> derivatives;  // [outcome][variable]; 0 for the response's own numbers
};

// Positions of the variables with derivatives.
std::vector<std::size_t> variables_with_derivatives(const explain::Problem& problem);

// `standardised`: the problem of the model. marginal is empty without an observed response.
RowEffects row_effects(const FittedModel& model, const explain::Problem& standardised, const double* features,
                       const std::optional<explain::Response>& observed,
                       const std::vector<WeightedResponse>& distribution);

// The rows that economics are asked of, encoded once for all parameters that they are computed at.
struct EconomicsRows {
  Matrix<double> features;
  std::vector<explain::Response> observed;  // empty: the table has no responses
};
// DataError where there are none.
EconomicsRows economics_rows(const FittedModel& model, const Table& table, const EconomicsOptions& options);
OutputTable economics_at(const FittedModel& model, const EconomicsRows& rows, const EconomicsOptions& options,
                         const Context& job);

}  // namespace bl
