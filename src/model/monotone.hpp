// Bounds on weights under which a utility never falls, or never rises, with some of its inputs, at any point.
//
// A block is lambda phi(U) - lambda rho(C) - lambda psi(T) with phi and rho non-decreasing, psi even and
// lambda >= 0. So it never falls with an input whose weights are >= 0 in U, <= 0 in C and 0 in T, and never
// rises with one whose weights have the opposite signs. The blocks that read such inputs (carriers) are read
// by later layers under the first rule. In every layer but the last the second half of the blocks reads
// neither such inputs nor carriers: their weights are free there and above, also in T, so that what may
// depend on the other inputs in any way still does. The readout is >= 0.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/parameters.hpp"

namespace bl {

enum class Bound : std::int8_t { none, non_negative, non_positive, zero };

// One per parameter. `directions` has one entry per value of the response (attributes of an alternative): 1
// where the utility may not fall with it, -1 where it may not rise, 0 where it is free. A product of such an
// attribute with anything but class indicators is held at zero. UsageError for a network whose lambdas or
// readout may be negative.
std::vector<Bound> monotone_bounds(const Architecture& architecture, std::span<const int> directions);

// The nearest values within the bounds.
template <class T>
void project(std::span<const Bound> bounds, std::span<T> parameters);

// Starting values within the bounds: a value of the wrong sign is mirrored, so that none starts at its bound.
template <class T>
void mirror(std::span<const Bound> bounds, std::span<T> parameters);

}  // namespace bl
