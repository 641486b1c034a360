#include "base/random.hpp"

#include <Random123/philox.h>

#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

namespace bl {

namespace {

// One block of the generator as two 64-bit words.
std::array<std::uint64_t, 2> block(std::uint64_t seed, Purpose purpose, std::uint32_t epoch,
                                   std::uint64_t row, std::uint64_t index) {
  using Generator = r123::Philox4x32;
  const Generator::ctr_type counter = {
      {static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(row),
       static_cast<std::uint32_t>((row >> 32) & 0xFFFF) | (static_cast<std::uint32_t>(purpose) << 16),
       epoch}};
  const Generator::key_type key = {
      {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)}};
  const auto words = Generator()(counter, key);
  return {(static_cast<std::uint64_t>(words[1]) << 32) | words[0],
          (static_cast<std::uint64_t>(words[3]) << 32) | words[2]};
}

// The middle of one of 2^53 equal cells of (0, 1): never 0, never 1.
double open_unit(std::uint64_t word) {
  return (static_cast<double>(word >> 11) + 0.5) * 0x1p-53;
}

// Box and Muller's transform.
std::pair<double, double> normal_pair(const std::array<std::uint64_t, 2>& words) {
  const double radius = std::sqrt(-2.0 * std::log(open_unit(words[0])));
  const double angle = 2.0 * std::numbers::pi * open_unit(words[1]);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

template <class T>
void fill_normals(std::uint64_t seed, Purpose purpose, std::uint32_t epoch, std::uint64_t row,
                  std::span<T> out) {
  for (std::size_t i = 0; i < out.size(); i += 2) {
    const auto [first, second] = normal_pair(block(seed, purpose, epoch, row, i / 2));
    out[i] = static_cast<T>(first);
    if (i + 1 < out.size()) out[i + 1] = static_cast<T>(second);
  }
}

}  // namespace

double RandomStream::uniform(std::uint64_t row, std::uint64_t index) const {
  return open_unit(block(seed_, purpose_, epoch_, row, index / 2)[index % 2]);
}

double RandomStream::normal(std::uint64_t row, std::uint64_t index) const {
  const auto pair = normal_pair(block(seed_, purpose_, epoch_, row, index / 2));
  return index % 2 == 0 ? pair.first : pair.second;
}

std::uint64_t RandomStream::below(std::uint64_t bound, std::uint64_t row, std::uint64_t index) const {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t word = block(seed_, purpose_, epoch_, row, index / 2)[index % 2];
  return static_cast<std::uint64_t>((static_cast<Wide>(word) * bound) >> 64);
}

void RandomStream::fill_normal(std::uint64_t row, std::span<double> out) const {
  fill_normals(seed_, purpose_, epoch_, row, out);
}

void RandomStream::fill_normal(std::uint64_t row, std::span<float> out) const {
  fill_normals(seed_, purpose_, epoch_, row, out);
}

void shuffled_order(const RandomStream& stream, std::span<std::int64_t> order) {
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[stream.below(i, i - 1, 0)]);
}

}  // namespace bl
