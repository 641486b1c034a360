#include "compute/gradient_norm.hpp"

#include <array>
#include <cmath>

#include "base/slices.hpp"
#include "compute/update_kernels.hpp"

namespace bl {

template <class T>
double gradient_norm(std::span<const T> gradient, const Context* job) {
  std::array<double, kMostSlices> squares{};
  for_slices(job, static_cast<Index>(gradient.size()), [&](Index slice, Index from, Index to) {
    squares[static_cast<std::size_t>(slice)] =
        update_kernels<T>().sum_of_squares(gradient.data() + from, to - from);
  });
  double square = 0;
  for (const double one : squares) square += one;
  return std::sqrt(square);
}

template double gradient_norm<float>(std::span<const float>, const Context*);
template double gradient_norm<double>(std::span<const double>, const Context*);

}  // namespace bl
