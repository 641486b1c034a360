// The length of a long vector, summed in slices so that a pool may share it, always in the same order.
#pragma once

#include <span>

#include "base/parallel.hpp"

namespace bl {

template <class T>
double gradient_norm(std::span<const T> gradient, ThreadPool* pool = nullptr);

}  // namespace bl
