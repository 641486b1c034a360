// How a candidate is drawn from the boxes of a proposal (proposal.hpp), the same on every device.
#pragma once

#include <cstdint>

#include "base/host_device.hpp"

namespace bl {

struct ProposalBoxes {
  const double *lower = nullptr, *upper = nullptr;  // of every box, dimension by dimension
  const double* cumulative = nullptr;               // probability of the boxes up to and including each
  int count = 0, dimension = 0;

  // uniform(i): number i of the row. A candidate takes one for its box and one for every dimension.
  template <class Uniform>
  BL_HOST_DEVICE int box(std::uint64_t index, const Uniform& uniform) const {
    const double p = uniform(index * numbers()) * cumulative[count - 1];
    int first = 0, last = count - 1;  // the first box whose probability up to it is larger
    while (first < last) {
      const int middle = (first + last) / 2;
      if (cumulative[middle] > p)
        last = middle;
      else
        first = middle + 1;
    }
    return first;
  }
  template <class Uniform>
  BL_HOST_DEVICE double place(int box, std::uint64_t index, int axis, const Uniform& uniform) const {
    const int at = box * dimension + axis;
    const std::uint64_t number = index * numbers() + 1 + static_cast<std::uint64_t>(axis);
    return lower[at] + (upper[at] - lower[at]) * uniform(number);
  }

 private:
  BL_HOST_DEVICE std::uint64_t numbers() const { return static_cast<std::uint64_t>(dimension) + 1; }
};

}  // namespace bl
