// Loads and stores of the first n lanes, for the ends of rows. Included once per target.
#if defined(BL_COMPUTE_TAIL_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef BL_COMPUTE_TAIL_INL
#undef BL_COMPUTE_TAIL_INL
#else
#define BL_COMPUTE_TAIL_INL
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "base/matrix.hpp"

HWY_BEFORE_NAMESPACE();
namespace bl::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// The lanes beyond n are zero; memory beyond is not touched.
template <class D, class T>
HWY_INLINE hn::Vec<D> load_first(D d, const T* from, Index n) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T lanes[hn::MaxLanes(d)] = {};
  std::copy_n(from, n, lanes);
  return hn::Load(d, lanes);
#else
  return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(n)), d, from);
#endif
}

template <class D, class T>
HWY_INLINE void store_first(hn::Vec<D> v, D d, T* to, Index n) {
#if HWY_MEM_OPS_MIGHT_FAULT
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  hn::Store(v, d, lanes);
  std::copy_n(lanes, n, to);
#else
  hn::BlendedStore(v, hn::FirstN(d, static_cast<size_t>(n)), d, to);
#endif
}

}  // namespace bl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
