#include "compute/draw_kernels.hpp"

// Everything up to HWY_AFTER_NAMESPACE is compiled once per instruction set; the best one is taken at run
// time.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/draw_kernels.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>
// After highway.h, and once per target like this file.
#include <hwy/contrib/math/math-inl.h>

HWY_BEFORE_NAMESPACE();
namespace bl::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Reals = hn::CappedTag<double, 8>;
using Real = hn::Vec<Reals>;

// exp(x) for |x| <= kLargestDifference: 2^n exp(r) with |r| <= log(2)/2, exp(r) by Taylor's series to the
// 13th power (below 4e-18).
HWY_INLINE Real exp_bounded(Real x) {
  const Reals d;
  const auto n = hn::Round(hn::Mul(x, hn::Set(d, 1.4426950408889634)));
  Real r = hn::NegMulAdd(n, hn::Set(d, 0x1.62e42fefa0000p-1), x);
  r = hn::NegMulAdd(n, hn::Set(d, 0x1.cf79abc9e3b3ap-40), r);
  // Two halves of the polynomial in r^2 run side by side.
  const Real r2 = hn::Mul(r, r);
  Real even = hn::Set(d, 1.0 / 479001600), odd = hn::Set(d, 1.0 / 6227020800.0);
  constexpr double kEven[] = {1.0 / 3628800, 1.0 / 40320, 1.0 / 720, 1.0 / 24, 0.5, 1};
  constexpr double kOdd[] = {1.0 / 39916800, 1.0 / 362880, 1.0 / 5040, 1.0 / 120, 1.0 / 6, 1};
  for (int k = 0; k < 6; ++k) {
    even = hn::MulAdd(even, r2, hn::Set(d, kEven[k]));
    odd = hn::MulAdd(odd, r2, hn::Set(d, kOdd[k]));
  }
  const Real value = hn::MulAdd(odd, r, even);
  const hn::RebindToSigned<Reals> words;
  const auto exponent = hn::ShiftLeft<52>(hn::ConvertTo(words, n));
  return hn::BitCast(d, hn::Add(hn::BitCast(words, value), exponent));
}

template <bool kLogarithm>
void LogitAtDraws(const DrawnSituation& s, const double* beta, std::size_t draws, double* base,
                  double* probabilities, double* slopes) {
  const Reals d;
  const std::size_t lanes = hn::Lanes(d);
  const auto most = hn::Set(d, kLargestDifference);
  const std::size_t n = s.alternatives, count = s.coefficients;
  for (std::size_t r = 0; r < draws; r += lanes) {
    Real sum = hn::Set(d, 1.0);
    for (std::size_t j = 0; j < n; ++j) {
      Real v = hn::Set(d, s.fixed[j]);
      const double* difference = s.difference + j * count;
      for (std::size_t k = 0; k < count; ++k)
        v = hn::MulAdd(hn::Set(d, difference[k]), hn::Load(d, beta + k * draws + r), v);
      const Real e = exp_bounded(hn::Clamp(v, hn::Neg(most), most));
      hn::Store(e, d, probabilities + j * draws + r);
      sum = hn::Add(sum, e);
    }
    const Real share = hn::Div(hn::Set(d, 1.0), sum);
    if constexpr (kLogarithm)
      hn::Store(hn::Sub(hn::Load(d, base + r), hn::Log(d, sum)), d, base + r);
    else
      hn::Store(hn::Mul(hn::Load(d, base + r), share), d, base + r);
    for (std::size_t j = 0; j < n; ++j) {
      const Real p = hn::Mul(hn::Load(d, probabilities + j * draws + r), share);
      hn::Store(p, d, probabilities + j * draws + r);
    }
    if (slopes == nullptr) continue;
    for (std::size_t k = 0; k < count; ++k) {
      Real slope = hn::Load(d, slopes + k * draws + r);
      for (std::size_t j = 0; j < n; ++j)
        slope = hn::NegMulAdd(hn::Set(d, s.difference[j * count + k]),
                              hn::Load(d, probabilities + j * draws + r), slope);
      hn::Store(slope, d, slopes + k * draws + r);
    }
  }
}

void Products(const DrawnSituation& s, const double* beta, std::size_t draws, double* base,
              double* probabilities, double* slopes) {
  LogitAtDraws<false>(s, beta, draws, base, probabilities, slopes);
}

void Logarithms(const DrawnSituation& s, const double* beta, std::size_t draws, double* base,
                double* probabilities, double* slopes) {
  LogitAtDraws<true>(s, beta, draws, base, probabilities, slopes);
}

void ScaledExp(double sign, double* values, std::size_t draws) {
  const Reals d;
  const auto most = hn::Set(d, kLargestDifference), factor = hn::Set(d, sign);
  for (std::size_t r = 0; r < draws; r += hn::Lanes(d)) {
    const Real x = hn::Clamp(hn::Load(d, values + r), hn::Neg(most), most);
    hn::Store(hn::Mul(factor, exp_bounded(x)), d, values + r);
  }
}

void WeightedRowSums(const double* values, std::size_t rows, const double* weights, std::size_t draws,
                     double* sums) {
  const Reals d;
  const std::size_t lanes = hn::Lanes(d);
  for (std::size_t i = 0; i < rows; ++i) {
    const double* row = values + i * draws;
    Real a = hn::Zero(d), b = hn::Zero(d);
    for (std::size_t r = 0; r < draws; r += 2 * lanes) {
      a = hn::MulAdd(hn::Load(d, row + r), hn::Load(d, weights + r), a);
      b = hn::MulAdd(hn::Load(d, row + r + lanes), hn::Load(d, weights + r + lanes), b);
    }
    sums[i] = hn::GetLane(hn::SumOfLanes(d, hn::Add(a, b)));
  }
}

}  // namespace bl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bl {
namespace {

HWY_EXPORT(Products);
HWY_EXPORT(Logarithms);
HWY_EXPORT(ScaledExp);
HWY_EXPORT(WeightedRowSums);

}  // namespace

void logit_at_draws(const DrawnSituation& situation, const double* coefficients, std::size_t draws,
                    bool logarithm, double* base, double* probabilities, double* slopes) {
  if (logarithm)
    HWY_DYNAMIC_DISPATCH(Logarithms)(situation, coefficients, draws, base, probabilities, slopes);
  else
    HWY_DYNAMIC_DISPATCH(Products)(situation, coefficients, draws, base, probabilities, slopes);
}

void scaled_exp(double sign, double* values, std::size_t draws) {
  HWY_DYNAMIC_DISPATCH(ScaledExp)(sign, values, draws);
}

void weighted_row_sums(const double* values, std::size_t rows, const double* weights, std::size_t draws,
                       double* sums) {
  HWY_DYNAMIC_DISPATCH(WeightedRowSums)(values, rows, weights, draws, sums);
}

}  // namespace bl
#endif  // HWY_ONCE
