// Standard normal numbers for many rows at once, with the vector units of the processor.
#pragma once

#include <cstdint>
#include <span>

#include "base/matrix.hpp"
#include "base/random.hpp"

namespace bl {

struct NormalSource {
  std::uint64_t seed = 0;
  Purpose purpose = Purpose::sampler_move;
  std::uint32_t epoch = 0;
};

// Row i of out gets RandomStream(seed, purpose, epoch).normal(first + i, 0), (first + i, 1), ... up to the
// rounding of logarithm and sine (a few units of the last place; single precision is rounded from double).
// Rows below 2^32.
void fill_normal_rows(const NormalSource& source, Index first, MatrixView<float> out);
void fill_normal_rows(const NormalSource& source, Index first, MatrixView<double> out);

// The same with the numbers of stream row rows[i] in row i of out.
void fill_normal_rows(const NormalSource& source, std::span<const std::int64_t> rows, MatrixView<float> out);
void fill_normal_rows(const NormalSource& source, std::span<const std::int64_t> rows, MatrixView<double> out);

}  // namespace bl
