// The planted problems, one function each. A new one: write its function here and in problems.cpp, and list
// it in planted_problems(); every test of the zoo then runs on it.
#pragma once

#include "zoo/planted_problem.hpp"

namespace bl::zoo {

PlantedProblem binary_logit();
PlantedProblem shopper();
PlantedProblem basket();
PlantedProblem product_choice();
PlantedProblem producer();
PlantedProblem consumption();
PlantedProblem allocation();
PlantedProblem workplace();
PlantedProblem commuter();

}  // namespace bl::zoo
