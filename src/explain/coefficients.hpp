// Every number of a problem by name, as a linear function of the parameters: what standard errors are carried
// over to names and units by.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "explain/problem.hpp"

namespace bl::explain {

struct Coefficient {
  std::string name = {};    // U.price, C2.constant, T.lambda; L1.B2.U.price where there are several blocks;
                            // weight.L1.B2 or weight[class].L1.B2 of the readout; L2.B1.carry.L1.B3
  bool of_response = true;  // false: the term has no factor of the response, nor reads a block
  bool of_bend = false;     // the term has a bend of a curve as a factor
  bool of_utility = false;  // a term or the constant of a utility head
  std::size_t layer = 0;
  // position in the parameter layout, factor; effective values.
  std::vector<std::pair<Index, double>> parts = {};
};

// `inputs`: the variables of the architecture's inputs, in its order; `outputs`: names of the classes of a
// vector form. Terms in graded order, in the given units. Columns that vanish or repeat add up.
std::vector<Coefficient> coefficients(const Architecture& architecture, std::span<const Variable> inputs,
                                      std::span<const std::string> outputs, Units units);

}  // namespace bl::explain
