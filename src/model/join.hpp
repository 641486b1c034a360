// Several networks of one architecture, side by side as one network: its utility is the mean of theirs.
//
// Layer l of the joined network has the blocks of all members; a block reads the inputs and those outputs
// that belong to its own member, the other weights are zero. So what was learned from several starts is still
// one model.
#pragma once

#include <span>
#include <vector>

#include "model/architecture.hpp"

namespace bl {

// `members` times as many blocks in every layer. The architecture must have a readout.
Architecture joined_architecture(const Architecture& architecture, Index members);

// Raw parameters of the joined network from those of its members, all in their layouts' order.
std::vector<double> join_parameters(const Architecture& architecture,
                                    std::span<const std::vector<double>> members);

// What join_parameters made of `members` networks, taken apart again. Weights between members are left out.
std::vector<std::vector<double>> split_parameters(const Architecture& architecture, Index members,
                                                  std::span<const double> joined);

}  // namespace bl
