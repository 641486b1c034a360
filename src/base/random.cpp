#include "base/random.hpp"

#include <numeric>
#include <utility>

#include "base/random_block.hpp"

namespace bl {

namespace {

RandomBlock block(std::uint64_t seed, Purpose purpose, std::uint32_t epoch, std::uint64_t row,
                  std::uint64_t index) {
  return random_block(seed, static_cast<std::uint16_t>(purpose), epoch, row, index);
}

std::uint64_t word(const RandomBlock& words, std::uint64_t index) {
  return index % 2 == 0 ? words.first : words.second;
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
  return random_uniform(seed_, static_cast<std::uint16_t>(purpose_), epoch_, row, index);
}

double RandomStream::normal(std::uint64_t row, std::uint64_t index) const {
  const auto pair = normal_pair(block(seed_, purpose_, epoch_, row, index / 2));
  return index % 2 == 0 ? pair.first : pair.second;
}

std::uint64_t RandomStream::below(std::uint64_t bound, std::uint64_t row, std::uint64_t index) const {
  __extension__ using Wide = unsigned __int128;
  const std::uint64_t bits = word(block(seed_, purpose_, epoch_, row, index / 2), index);
  return static_cast<std::uint64_t>((static_cast<Wide>(bits) * bound) >> 64);
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
