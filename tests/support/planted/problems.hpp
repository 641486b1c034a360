// Planted problems, each a single block. A new one: write its function in problems.cpp and list it in
// planted_problems(); every test of recovery then runs on it.
#pragma once

#include <string_view>
#include <vector>

#include "simulation/planted_problem.hpp"

namespace bl::simulation {

const std::vector<PlantedProblem>& planted_problems();

// Throws UsageError naming the known ones.
const PlantedProblem& planted_problem(std::string_view name);

}  // namespace bl::simulation
