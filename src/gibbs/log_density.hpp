// The narrow view of a distribution over R^d that samplers and mode search have: its log-density, up to a
// constant.
#pragma once

#include <cstdint>
#include <span>

#include "base/matrix.hpp"

namespace bl::gibbs {

// Chains are worked on in chunks of this many, whatever the number of threads. A call of evaluate never
// straddles a multiple of it, so first / kChainsPerChunk names a workspace nobody else uses meanwhile.
inline constexpr Index kChainsPerChunk = 64;

template <class T>
struct LogDensity {
  virtual ~LogDensity() = default;
  virtual Index dimension() const = 0;

  // value[i] = log p(points row i) + constant and, where gradient.data is not null, its gradient. Row i is
  // chain first + i, which may have a context (covariates, a class) of its own; the distribution is already
  // divided by its temperature. Points are finite; a value or gradient that is not marks a divergence, not an
  // error. Called from several threads at once with disjoint ranges.
  virtual void evaluate(Index first, MatrixView<const T> points, std::span<T> value,
                        MatrixView<T> gradient) const = 0;
};

// A distribution over (continuous point, class): the log-density of the point given the class each chain has
// now.
template <class T>
struct HybridDensity : LogDensity<T> {
  virtual Index classes() const = 0;
  // out (points.rows x classes): log p(class | point of the row) up to a constant per row.
  virtual void conditional_log_probabilities(Index first, MatrixView<const T> points,
                                             MatrixView<T> out) const = 0;
  // From now on chain first + i has class chosen[i]. Called from several threads with disjoint ranges.
  virtual void set_classes(Index first, std::span<const std::int32_t> chosen) = 0;
};

}  // namespace bl::gibbs
