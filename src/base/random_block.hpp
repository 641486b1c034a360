// The arithmetic of the random streams (random.hpp), the same on every device.
#pragma once

#include <Random123/philox.h>

#include <cmath>
#include <cstdint>

#include "base/host_device.hpp"

namespace bl {

struct RandomBlock {
  std::uint64_t first, second;
};

struct NormalPair {
  double first, second;
};

// One block of the generator as two 64-bit words.
BL_HOST_DEVICE inline RandomBlock random_block(std::uint64_t seed, std::uint16_t purpose, std::uint32_t epoch,
                                               std::uint64_t row, std::uint64_t index) {
  using Generator = r123::Philox4x32;
  Generator::ctr_type counter;
  counter.v[0] = static_cast<std::uint32_t>(index);
  counter.v[1] = static_cast<std::uint32_t>(row);
  counter.v[2] =
      static_cast<std::uint32_t>((row >> 32) & 0xFFFF) | (static_cast<std::uint32_t>(purpose) << 16);
  counter.v[3] = epoch;
  Generator::key_type key;
  key.v[0] = static_cast<std::uint32_t>(seed);
  key.v[1] = static_cast<std::uint32_t>(seed >> 32);
  const Generator::ctr_type words = Generator()(counter, key);
  return {(static_cast<std::uint64_t>(words.v[1]) << 32) | words.v[0],
          (static_cast<std::uint64_t>(words.v[3]) << 32) | words.v[2]};
}

// The middle of one of 2^53 equal cells of (0, 1): never 0, never 1.
BL_HOST_DEVICE inline double open_unit(std::uint64_t word) {
  return (static_cast<double>(word >> 11) + 0.5) * 0x1p-53;
}

// Number `index` of a row's uniform numbers: every block has two.
BL_HOST_DEVICE inline double random_uniform(std::uint64_t seed, std::uint16_t purpose, std::uint32_t epoch,
                                            std::uint64_t row, std::uint64_t index) {
  const RandomBlock words = random_block(seed, purpose, epoch, row, index / 2);
  return open_unit(index % 2 == 0 ? words.first : words.second);
}

// Box and Muller's transform.
BL_HOST_DEVICE inline NormalPair normal_pair(const RandomBlock& words) {
  const double radius = std::sqrt(-2.0 * std::log(open_unit(words.first)));
  const double angle = 2.0 * 3.141592653589793 * open_unit(words.second);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace bl
