// Random numbers as pure functions of (seed, purpose, epoch, row, index): nothing is advanced, so results
// depend neither on the number of threads, nor on resuming, nor on which worker holds a row.
// The generator is Philox4x32-10 from the Random123 library.
#pragma once

#include <cstdint>
#include <span>

namespace bl {

// What a number is for. Two purposes never share numbers. Values are part of saved results: append only.
enum class Purpose : std::uint16_t {
  initial_values = 1,
  shuffle = 2,
  score_noise = 3,
  validation_noise = 4,
  split = 5,
  simulation = 6,
  sampler_start = 7,
  sampler_move = 8,
  sampler_accept = 9,
  sampler_class = 10,
  bootstrap = 11,
  test = 12,
  mode_start = 13,
  projection = 14,
  row_version = 15,
};

class RandomStream {
 public:
  RandomStream(std::uint64_t seed, Purpose purpose, std::uint32_t epoch = 0)
      : seed_(seed), purpose_(purpose), epoch_(epoch) {}

  // Uniform in the open interval (0, 1), 53 bits. Rows below 2^48, indices below 2^33.
  double uniform(std::uint64_t row, std::uint64_t index) const;
  // Standard normal.
  double normal(std::uint64_t row, std::uint64_t index) const;
  // Uniform in {0, ..., bound - 1}, without bias to within 2^-64 * bound.
  std::uint64_t below(std::uint64_t bound, std::uint64_t row, std::uint64_t index) const;

  // normal(row, 0), normal(row, 1), ...: the same numbers, two for one call of the generator.
  void fill_normal(std::uint64_t row, std::span<double> out) const;
  void fill_normal(std::uint64_t row, std::span<float> out) const;

  std::uint64_t seed() const { return seed_; }
  Purpose purpose() const { return purpose_; }
  std::uint32_t epoch() const { return epoch_; }

 private:
  std::uint64_t seed_;
  Purpose purpose_;
  std::uint32_t epoch_;
};

// order becomes a uniformly random permutation of 0 ... n - 1 (Fisher-Yates), a function of the stream alone.
void shuffled_order(const RandomStream& stream, std::span<std::int64_t> order);

}  // namespace bl
