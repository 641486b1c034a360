// The distribution of some coordinates given the others, as a distribution of its own.
#pragma once

#include <fmt/format.h>

#include <vector>

#include "bl/errors.hpp"
#include "gibbs/log_density.hpp"

namespace bl::gibbs {

// Coordinate free[j] of the joint distribution is coordinate j here; the others keep the values of `fixed`
// (chains x all dimensions, its free columns unread), which may differ by chain. The joint distribution must
// outlive this.
template <class T>
class ConditionalDensity : public LogDensity<T> {
 public:
  ConditionalDensity(const LogDensity<T>& joint, std::vector<Index> free, MatrixView<const T> fixed)
      : joint_(joint),
        free_(std::move(free)),
        points_(fixed.rows, fixed.cols),
        gradients_(fixed.rows, fixed.cols) {
    if (fixed.cols != joint.dimension())
      throw UsageError(fmt::format(
          "conditional distribution: {} fixed values per chain, the joint distribution has {} dimensions",
          fixed.cols, joint.dimension()));
    std::vector<bool> seen(static_cast<std::size_t>(fixed.cols), false);
    for (const Index j : free_) {
      if (j < 0 || j >= fixed.cols || seen[static_cast<std::size_t>(j)])
        throw UsageError(
            fmt::format("conditional distribution: free coordinate {} is out of range or named twice", j));
      seen[static_cast<std::size_t>(j)] = true;
    }
    for (Index i = 0; i < fixed.rows; ++i)
      for (Index j = 0; j < fixed.cols; ++j)
        points_(i, j) = seen[static_cast<std::size_t>(j)] ? T{0} : fixed(i, j);
  }

  Index dimension() const override { return static_cast<Index>(free_.size()); }

  // Each chain has a row of scratch space of its own, so disjoint ranges do not meet.
  void evaluate(Index first, MatrixView<const T> points, std::span<T> value,
                MatrixView<T> gradient) const override {
    const auto all = joint_points(first, points);
    MatrixView<T> joint_gradient;
    if (gradient.data) joint_gradient = gradients_.view().row_range(first, points.rows);
    joint_.evaluate(first, all, value, joint_gradient);
    if (!gradient.data) return;
    for (Index i = 0; i < points.rows; ++i)
      for (std::size_t j = 0; j < free_.size(); ++j)
        gradient(i, static_cast<Index>(j)) = joint_gradient(i, free_[j]);
  }

  // The points of the joint distribution where the free coordinates have these values.
  MatrixView<const T> joint_points(Index first, MatrixView<const T> points) const {
    const auto all = points_.view().row_range(first, points.rows);
    for (Index i = 0; i < points.rows; ++i)
      for (std::size_t j = 0; j < free_.size(); ++j) all(i, free_[j]) = points(i, static_cast<Index>(j));
    return all;
  }

 private:
  const LogDensity<T>& joint_;
  std::vector<Index> free_;
  mutable Matrix<T> points_;
  mutable Matrix<T> gradients_;
};

// The same for a distribution with classes: they are drawn, given all coordinates.
template <class T>
class ConditionalHybridDensity : public HybridDensity<T> {
 public:
  ConditionalHybridDensity(HybridDensity<T>& joint, std::vector<Index> free, MatrixView<const T> fixed)
      : joint_(joint), continuous_(joint, std::move(free), fixed) {}

  Index dimension() const override { return continuous_.dimension(); }
  Index classes() const override { return joint_.classes(); }
  void evaluate(Index first, MatrixView<const T> points, std::span<T> value,
                MatrixView<T> gradient) const override {
    continuous_.evaluate(first, points, value, gradient);
  }
  void conditional_log_probabilities(Index first, MatrixView<const T> points,
                                     MatrixView<T> out) const override {
    joint_.conditional_log_probabilities(first, continuous_.joint_points(first, points), out);
  }
  void set_classes(Index first, std::span<const std::int32_t> chosen) override {
    joint_.set_classes(first, chosen);
  }

 private:
  HybridDensity<T>& joint_;
  ConditionalDensity<T> continuous_;
};

}  // namespace bl::gibbs
