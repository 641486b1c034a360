// The length of a long vector, summed in slices so that threads may share it, always in the same order.
#pragma once

#include <span>

#include "base/context.hpp"

namespace bl {

template <class T>
double gradient_norm(std::span<const T> gradient, const Context* job = nullptr);

}  // namespace bl
