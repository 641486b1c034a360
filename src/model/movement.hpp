// Bounds like those of monotone.hpp, where terms of the first layer say themselves how they move.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "model/monotone.hpp"

namespace bl {

// How a term of the inputs moves with those that have a direction. For a class response "up" may mean another
// thing for every class: what matters is that blocks keep it.
enum class Movement {
  none,
  up,
  down,
  unknown,  // it may not enter where there is a direction
  held,     // its weights are zero everywhere
};
// One per parameter. UsageError for a network whose lambdas or readout may be negative where a term moves.
std::vector<Bound> monotone_bounds(const Architecture& architecture,
                                   const std::function<Movement(const Term&)>& movement);

// What keeps both; empty: no bounds. A weight that one of them holds at zero stays there.
std::vector<Bound> joint_bounds(std::vector<Bound> a, std::span<const Bound> b);

}  // namespace bl
