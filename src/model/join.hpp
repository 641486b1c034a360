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

// What join_parameters made of `members` networks, split again. Weights between members are left out.
std::vector<std::vector<double>> split_parameters(const Architecture& architecture, Index members,
                                                  std::span<const double> joined);

// Multiplies the utility by a positive factor, in its readout.
void scale_utility(const Architecture& architecture, double factor, std::vector<double>& parameters);

// How many networks were joined: the most members between which all weights are zero. 1 where there is a
// single layer, of which nothing tells.
Index joined_members(const Architecture& joined, std::span<const double> parameters);
// The architecture of each of them.
Architecture member_architecture(const Architecture& joined, Index members);

}  // namespace bl
