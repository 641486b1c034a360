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

// The next N lanes, if n has them.
template <std::size_t N, class D, class T>
HWY_INLINE void store_part(D, const T* lanes, T* to, Index n, Index& done) {
  if constexpr (N < hn::MaxLanes(D())) {
    if ((n & static_cast<Index>(N)) == 0) return;
    const hn::CappedTag<T, N> part;
    hn::StoreU(hn::LoadU(part, lanes + done), part, to + done);
    done += static_cast<Index>(N);
  }
}

// By way of memory, in parts of 8, 4, 2 and 1: a store by a mask costs some processors twenty cycles.
template <class D, class T>
HWY_INLINE void store_first(hn::Vec<D> v, D d, T* to, Index n) {
  HWY_ALIGN T lanes[hn::MaxLanes(d)];
  hn::Store(v, d, lanes);
  Index done = 0;
  store_part<8>(d, lanes, to, n, done);
  store_part<4>(d, lanes, to, n, done);
  store_part<2>(d, lanes, to, n, done);
  store_part<1>(d, lanes, to, n, done);
}

}  // namespace bl::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per target
