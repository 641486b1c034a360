// Identifiable models that are small enough to be found again from a few hundred rows: what root-n rates,
// coverage and efficiency are measured on. Single (one block), shallow (two layers) and deep (three), for a
// class, a number and a choice among alternatives. A new one: write its function in known_models.cpp and list
// it in known_models().
#pragma once

#include "objective/objective.hpp"
#include "simulation/planted_problem.hpp"

namespace bl::simulation {

// Named depth_response: "single_class", "shallow_number", "deep_choice". Parameters are canonical.
const std::vector<PlantedProblem>& known_models();

// Throws UsageError naming the known ones.
const PlantedProblem& known_model(std::string_view name);

// What `bl demo` learns. Not among them: its constraint has a kink.
const PlantedProblem& shopper();

// The likelihood that they are fitted by: quadrature where the response is a number.
ObjectiveSpec likelihood_objective(const PlantedProblem& problem);

// "price*[two]", "spending^2": a class stands in brackets.
std::string term_name(const PlantedProblem& problem, const Term& term);

// What each entry of the flat vector is called: "U.price", "L2.B1.C.bias", "readout.1"; heads are numbered
// where a block has several of a kind, blocks where there are several.
std::vector<std::string> parameter_names(const PlantedProblem& problem);

}  // namespace bl::simulation
