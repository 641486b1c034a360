// Compiled once per instruction set (Highway's foreach_target).
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "compute/update_kernels.cpp"
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SSE4 | HWY_AVX3_DL)
#include <hwy/foreach_target.h>

#include <hwy/highway.h>

#include "compute/every_target.hpp"
#include "compute/tail-inl.hpp"
#include "compute/update_kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace bl::HWY_NAMESPACE {

template <class T, bool DECAY>
void adam_loop(const AdamStep<T>& s, Index n, const T* HWY_RESTRICT gradient, const T* HWY_RESTRICT decay,
               T* HWY_RESTRICT parameters, T* HWY_RESTRICT first, T* HWY_RESTRICT second) {
  const hn::ScalableTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  const auto b1 = hn::Set(d, s.beta1), b2 = hn::Set(d, s.beta2), c1 = hn::Set(d, T(1) - s.beta1),
             c2 = hn::Set(d, T(1) - s.beta2);
  const auto step = hn::Set(d, s.step), correction = hn::Set(d, s.correction),
             epsilon = hn::Set(d, s.epsilon);
  const auto added = hn::Set(d, s.added_decay), shrink = hn::Set(d, s.shrink);
  for (Index i = 0; i < n; i += lanes) {
    const Index count = HWY_MIN(lanes, n - i);
    const bool whole = count == lanes;
    const auto load = [&](const T* from) HWY_ATTR {
      return whole ? hn::LoadU(d, from + i) : load_first(d, from + i, count);
    };
    const auto store = [&](hn::Vec<decltype(d)> value, T* to) HWY_ATTR {
      whole ? hn::StoreU(value, d, to + i) : store_first(value, d, to + i, count);
    };
    auto p = load(parameters), g = load(gradient);
    auto shrinking = hn::Zero(d);
    if constexpr (DECAY) {
      const auto decayed = hn::Mul(load(decay), p);
      g = hn::MulAdd(added, decayed, g);
      shrinking = hn::Mul(shrink, decayed);
    }
    const auto m = hn::MulAdd(b1, load(first), hn::Mul(c1, g));
    const auto v = hn::MulAdd(b2, load(second), hn::Mul(hn::Mul(c2, g), g));
    const auto scale = hn::MulAdd(hn::Sqrt(v), correction, epsilon);
    p = hn::Sub(p, hn::Add(shrinking, hn::Div(hn::Mul(step, m), scale)));
    store(m, first), store(v, second), store(p, parameters);
  }
}

template <class T>
void adam(const AdamStep<T>& step, Index n, const T* gradient, const T* decay, T* parameters, T* first,
          T* second) {
  if (decay)
    adam_loop<T, true>(step, n, gradient, decay, parameters, first, second);
  else
    adam_loop<T, false>(step, n, gradient, decay, parameters, first, second);
}

// In double precision, in eight running sums.
template <class T>
double sum_of_squares(const T* HWY_RESTRICT values, Index n) {
  constexpr Index kSums = 8;
  double sums[kSums] = {};
  Index i = 0;
  for (; i + kSums <= n; i += kSums)
    for (Index j = 0; j < kSums; ++j) {
      const double value = static_cast<double>(values[i + j]);
      sums[j] += value * value;
    }
  for (; i < n; ++i) sums[0] += static_cast<double>(values[i]) * static_cast<double>(values[i]);
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

template <class T>
void sum_parts(const T* const* parts, Index count, Index n, T* HWY_RESTRICT to) {
  const hn::ScalableTag<T> d;
  const Index lanes = static_cast<Index>(hn::Lanes(d));
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    auto sum = hn::LoadU(d, parts[0] + i);
    for (Index k = 1; k < count; ++k) sum = hn::Add(sum, hn::LoadU(d, parts[k] + i));
    hn::StoreU(sum, d, to + i);
  }
  for (; i < n; ++i) {
    T sum = parts[0][i];
    for (Index k = 1; k < count; ++k) sum += parts[k][i];
    to[i] = sum;
  }
}

template <class T>
void running_mean(T past, const T* HWY_RESTRICT values, Index n, T* HWY_RESTRICT mean) {
  for (Index i = 0; i < n; ++i) mean[i] = past * mean[i] + (T(1) - past) * values[i];
}

UpdateKernels<float> update_table_float() {
  return {adam<float>, sum_of_squares<float>, sum_parts<float>, running_mean<float>};
}
UpdateKernels<double> update_table_double() {
  return {adam<double>, sum_of_squares<double>, sum_parts<double>, running_mean<double>};
}

}  // namespace bl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bl {

BL_CHOSEN_KERNELS(UpdateKernels, update_kernels, update_table_float, float)
BL_CHOSEN_KERNELS(UpdateKernels, update_kernels, update_table_double, double)

}  // namespace bl
#endif
