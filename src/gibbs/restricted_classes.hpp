// A distribution with classes of which a chain may have only those that its row allows.
#pragma once

#include <cstdint>
#include <limits>

#include "gibbs/log_density.hpp"

namespace bl::gibbs {

template <class T>
class RestrictedClasses : public HybridDensity<T> {
 public:
  // allowed: rows x classes, 0 where a row's chains never have the class; every row allows one at least.
  RestrictedClasses(HybridDensity<T>& joint, MatrixView<const std::uint8_t> allowed, Index chains_per_row)
      : joint_(joint), allowed_(allowed), chains_per_row_(chains_per_row) {}

  Index dimension() const override { return joint_.dimension(); }
  Index classes() const override { return joint_.classes(); }
  void evaluate(Index first, MatrixView<const T> points, std::span<T> value,
                MatrixView<T> gradient) const override {
    joint_.evaluate(first, points, value, gradient);
  }
  void conditional_log_probabilities(Index first, MatrixView<const T> points,
                                     MatrixView<T> out) const override {
    joint_.conditional_log_probabilities(first, points, out);
    for (Index i = 0; i < out.rows; ++i)
      for (Index c = 0; c < out.cols; ++c)
        if (allowed_((first + i) / chains_per_row_, c) == 0) out(i, c) = -std::numeric_limits<T>::infinity();
  }
  void set_classes(Index first, std::span<const std::int32_t> chosen) override {
    joint_.set_classes(first, chosen);
  }

 private:
  HybridDensity<T>& joint_;
  MatrixView<const std::uint8_t> allowed_;
  Index chains_per_row_;
};

}  // namespace bl::gibbs
