#include "compute/normal_rows.hpp"

#include <algorithm>
#include <array>
#include <numbers>

// Everything up to HWY_AFTER_NAMESPACE is compiled once per instruction set; the best one is taken at run
// time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/normal_rows.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After highway.h, and once per target like this file.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace bl::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<std::uint64_t>;
using Word = hn::Vec<Words>;

// Product of the low halves of two words, as high and low half.
struct Product {
  Word high, low;
};

HWY_INLINE Product multiply(Word a, std::uint64_t factor) {
  const Words d;
#if HWY_TARGET == HWY_SCALAR
  const Word product = hn::Set(d, (hn::GetLane(a) & 0xFFFFFFFF) * factor);
#else
  const hn::Repartition<std::uint32_t, Words> halves;
  const Word product = hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, hn::Set(d, factor)));
#endif
  return {hn::ShiftRight<32>(product), hn::And(product, hn::Set(d, 0xFFFFFFFF))};
}

// Philox4x32-10 (Salmon et al. 2011), each of the four 32-bit numbers in a word of its own.
HWY_INLINE void philox(std::array<Word, 4>& x, std::uint64_t seed) {
  const Words d;
  std::uint32_t key0 = static_cast<std::uint32_t>(seed), key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const Product a = multiply(x[0], 0xD2511F53), b = multiply(x[2], 0xCD9E8D57);
    x = {hn::Xor(hn::Xor(b.high, x[1]), hn::Set(d, key0)), b.low,
         hn::Xor(hn::Xor(a.high, x[3]), hn::Set(d, key1)), a.low};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
}

// The middle of one of 2^53 cells of (0, 1), as in base/random.
template <class D>
HWY_INLINE hn::Vec<D> open_unit(D reals, Word low, Word high) {
  const Word word = hn::Or(hn::ShiftLeft<32>(high), low);
  const hn::RebindToSigned<Words> integers;
  const auto cell = hn::ConvertTo(reals, hn::BitCast(integers, hn::ShiftRight<11>(word)));
  return hn::Mul(hn::Add(cell, hn::Set(reals, 0.5)), hn::Set(reals, 0x1p-53));
}

// cos and sin of 2 pi v for v in (0, 1). v is a quarter turn q plus a rest r within an eighth of a turn
// either side, exactly; on the rest Taylor's series to the 15th and 16th power are exact to 1e-16.
template <class D, class V = hn::Vec<D>>
HWY_INLINE void cos_sin_turns(D d, V v, V& cosine, V& sine) {
  const V quarters = hn::Round(hn::Mul(v, hn::Set(d, 4.0)));
  const V x = hn::Mul(hn::NegMulAdd(quarters, hn::Set(d, 0.25), v), hn::Set(d, 2 * std::numbers::pi));
  const V square = hn::Mul(x, x);
  V s = hn::Set(d, -1 / 1307674368000.0), c = hn::Set(d, 1 / 20922789888000.0);  // 1/15!, 1/16!
  constexpr double kSine[] = {
      1 / 6227020800.0, -1 / 39916800.0, 1 / 362880.0, -1 / 5040.0, 1 / 120.0, -1 / 6.0, 1};
  constexpr double kCosine[] = {-1 / 87178291200.0, 1 / 479001600.0, -1 / 3628800.0, 1 / 40320.0,
                                -1 / 720.0,         1 / 24.0,        -0.5,           1};
  for (const double term : kSine) s = hn::MulAdd(s, square, hn::Set(d, term));
  for (const double term : kCosine) c = hn::MulAdd(c, square, hn::Set(d, term));
  s = hn::Mul(s, x);
  // Quarter turns 1 and 3 exchange the two; 1 and 2 turn the sign of the cosine, 2 and 3 that of the sine.
  const auto is = [&](double q) { return hn::Eq(quarters, hn::Set(d, q)); };
  const auto odd = hn::Or(is(1), is(3)), minus_cosine = hn::Or(is(1), is(2)),
             minus_sine = hn::Or(is(2), is(3));
  const V x_axis = hn::IfThenElse(odd, s, c), y_axis = hn::IfThenElse(odd, c, s);
  cosine = hn::IfThenElse(minus_cosine, hn::Neg(x_axis), x_axis);
  sine = hn::IfThenElse(minus_sine, hn::Neg(y_axis), y_axis);
}

// Pairs of normal numbers from the counters (index, row) of `count` blocks, count a multiple of the lanes.
void NormalPairs(const NormalSource& source, const std::uint64_t* index, const std::uint64_t* row,
                 std::size_t count, double* first, double* second) {
  const Words d;
  const hn::RebindToFloat<Words> reals;
  for (std::size_t b = 0; b < count; b += hn::Lanes(d)) {
    std::array<Word, 4> x = {hn::LoadU(d, index + b), hn::LoadU(d, row + b),
                             hn::Set(d, static_cast<std::uint64_t>(source.purpose) << 16),
                             hn::Set(d, std::uint64_t{source.epoch})};
    philox(x, source.seed);
    const auto u = open_unit(reals, x[0], x[1]), v = open_unit(reals, x[2], x[3]);
    const auto radius = hn::Sqrt(hn::Mul(hn::Set(reals, -2.0), hn::Log(reals, u)));
    hn::Vec<decltype(reals)> cosine, sine;
    cos_sin_turns(reals, v, cosine, sine);
    hn::StoreU(hn::Mul(radius, cosine), reals, first + b);
    hn::StoreU(hn::Mul(radius, sine), reals, second + b);
  }
}

}  // namespace bl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bl {
namespace {

HWY_EXPORT(NormalPairs);

constexpr std::size_t kBatch = 128;  // blocks at a time; a multiple of every vector length
constexpr std::size_t kStep = 16;    // and so is this

// The pairs of one batch into their places; an odd row has no room for the second of its last pair.
template <class T>
void place(const double* first, const double* second, Index from, Index count, MatrixView<T> out) {
  if (out.cols % 2 == 0 && out.stride == out.cols) {
    T* to = out.data + 2 * from;
    for (Index b = 0; b < count; ++b) {
      to[2 * b] = static_cast<T>(first[b]);
      to[2 * b + 1] = static_cast<T>(second[b]);
    }
    return;
  }
  const Index per_row = (out.cols + 1) / 2;
  for (Index b = 0; b < count; ++b) {
    const Index i = (from + b) / per_row, j = 2 * ((from + b) % per_row);
    out(i, j) = static_cast<T>(first[b]);
    if (j + 1 < out.cols) out(i, j + 1) = static_cast<T>(second[b]);
  }
}

// stream_row(i): which row of the stream goes to row i of out.
template <class T, class F>
void fill(const NormalSource& source, F&& stream_row, MatrixView<T> out) {
  const Index per_row = (out.cols + 1) / 2, blocks = out.rows * per_row;
  std::array<std::uint64_t, kBatch> index{}, row{};
  std::array<double, kBatch> even, odd;
  Index i = 0, k = 0;
  for (Index from = 0; from < blocks; from += static_cast<Index>(kBatch)) {
    const auto count = std::min(kBatch, static_cast<std::size_t>(blocks - from));
    for (std::size_t b = 0; b < count; ++b) {
      index[b] = static_cast<std::uint64_t>(k);
      row[b] = stream_row(i);
      if (++k == per_row) k = 0, ++i;
    }
    const std::size_t whole = (count + kStep - 1) / kStep * kStep;  // what lies beyond `count` is not used
    HWY_DYNAMIC_DISPATCH(NormalPairs)(source, index.data(), row.data(), whole, even.data(), odd.data());
    place(even.data(), odd.data(), from, static_cast<Index>(count), out);
  }
}

}  // namespace

void fill_normal_rows(const NormalSource& source, Index first, MatrixView<float> out) {
  fill(
      source, [first](Index i) { return static_cast<std::uint64_t>(first + i); }, out);
}
void fill_normal_rows(const NormalSource& source, Index first, MatrixView<double> out) {
  fill(
      source, [first](Index i) { return static_cast<std::uint64_t>(first + i); }, out);
}
void fill_normal_rows(const NormalSource& source, std::span<const std::int64_t> rows, MatrixView<float> out) {
  fill(
      source, [rows](Index i) { return static_cast<std::uint64_t>(rows[static_cast<std::size_t>(i)]); }, out);
}
void fill_normal_rows(const NormalSource& source, std::span<const std::int64_t> rows,
                      MatrixView<double> out) {
  fill(
      source, [rows](Index i) { return static_cast<std::uint64_t>(rows[static_cast<std::size_t>(i)]); }, out);
}

}  // namespace bl
#endif  // HWY_ONCE
