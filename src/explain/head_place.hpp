// Heads by name, and where their parameters stand.
#pragma once

#include <string>
#include <vector>

#include "model/parameters.hpp"

namespace bl::explain {

struct HeadPlace {
  std::string name;  // "L1.B2.C1"
  std::size_t layer = 0;
  HeadKind kind = HeadKind::utility;
  Index row = 0;  // in the weights, biases and lambdas of its layer and kind
};

// All heads of a model, layer by layer and block by block.
std::vector<HeadPlace> head_places(const Architecture& architecture);

// UsageError naming the nearest head.
HeadPlace head_place(const Architecture& architecture, const std::string& name);

// The model's parameters with the head's effective lambda multiplied by `factor`, 0 or more; below 0 only
// where lambdas are free. UsageError otherwise.
void scale_lambda(const Architecture& architecture, const HeadPlace& head, double factor,
                  std::vector<double>& parameters);

}  // namespace bl::explain
