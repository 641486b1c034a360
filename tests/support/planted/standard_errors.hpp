// How close to the truth a fit of these rows can be expected to come: asymptotic standard errors at the
// planted parameters, so that a bad fit cannot widen its own tolerance.
#pragma once

#include <span>
#include <vector>

#include "base/context.hpp"
#include "objective/objective.hpp"
#include "simulation/planted_problem.hpp"

namespace bl::simulation {

// One per parameter, of its effective value; 0 where the data do not decide it (identified_parameters). With
// g a row's gradient, K = mean g g' and n rows: the likelihood has covariance K^-1 / n; an objective with
// noise the sandwich J^-1 K J^-1 / n, J the Hessian by central differences of the gradient (those objectives
// must be smooth). NumericError where the information is singular: the problem is not identified.
std::vector<double> standard_errors(const PlantedProblem& problem, const Objective<double>& objective,
                                    std::uint64_t noise_seed, const Context& job);

}  // namespace bl::simulation
