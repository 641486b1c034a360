// A planted block head by head, in effective values.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "simulation/planted_problem.hpp"

namespace bl::simulation {

// One head in effective values; coefficients in the order of the basis.
struct Head {
  double lambda = 1;
  double bias = 0;
  std::vector<double> coefficients;
};

// The heads of a single block by kind; nothing where the block has none of that kind.
using Block = std::array<std::optional<Head>, 3>;

// Between a block's heads and the raw parameter vector. Only for single blocks with at most one head of each
// kind: throws UsageError otherwise. A bias the architecture does not have must be zero.
std::vector<double> raw_parameters(const Architecture& architecture, const Block& block);
Block block_of(const Architecture& architecture, std::span<const double> parameters);

}  // namespace bl::simulation
