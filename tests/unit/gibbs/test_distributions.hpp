// Distributions with known moments, and starts for them.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "gibbs/log_density.hpp"

namespace bl::gibbs {

// N(mean, covariance).
template <class T>
class GaussianDistribution : public LogDensity<T> {
 public:
  GaussianDistribution(Eigen::VectorXd mean, const Eigen::MatrixXd& covariance)
      : mean_(std::move(mean)), precision_(covariance.inverse()) {}
  Index dimension() const override { return mean_.size(); }
  void evaluate(Index, MatrixView<const T> points, std::span<T> value,
                MatrixView<T> gradient) const override {
    Eigen::VectorXd centred(mean_.size());
    for (Index i = 0; i < points.rows; ++i) {
      for (Index j = 0; j < points.cols; ++j) centred(j) = static_cast<double>(points(i, j)) - mean_(j);
      const Eigen::VectorXd slope = -(precision_ * centred);
      value[static_cast<std::size_t>(i)] = static_cast<T>(0.5 * centred.dot(slope));
      if (gradient.data)
        for (Index j = 0; j < points.cols; ++j) gradient(i, j) = static_cast<T>(slope(j));
    }
  }

 private:
  Eigen::VectorXd mean_;
  Eigen::MatrixXd precision_;
};

// A distribution from one function of a point: value, and gradient into g.
template <class Function>
class FunctionDistribution : public LogDensity<double> {
 public:
  FunctionDistribution(Index dimension, Function function)
      : dimension_(dimension), function_(std::move(function)) {}
  Index dimension() const override { return dimension_; }
  void evaluate(Index, MatrixView<const double> points, std::span<double> value,
                MatrixView<double> gradient) const override {
    std::vector<double> g(static_cast<std::size_t>(dimension_));
    for (Index i = 0; i < points.rows; ++i) {
      value[static_cast<std::size_t>(i)] = function_(points.row(i), g.data());
      if (gradient.data) std::copy(g.begin(), g.end(), gradient.row(i));
    }
  }

 private:
  Index dimension_;
  Function function_;
};

// A covariance with eigenvalues from 1 to `condition`, in directions that are no axes.
inline Eigen::MatrixXd rotated_covariance(Index d, double condition) {
  const RandomStream stream(99, Purpose::test);
  Eigen::MatrixXd raw(d, d);
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j < d; ++j)
      raw(i, j) = stream.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j));
  const Eigen::MatrixXd rotation = Eigen::HouseholderQR<Eigen::MatrixXd>(raw).householderQ();
  Eigen::VectorXd eigenvalues(d);
  for (Index j = 0; j < d; ++j)
    eigenvalues(j) =
        std::pow(condition, static_cast<double>(j) / static_cast<double>(std::max<Index>(1, d - 1)));
  return rotation * eigenvalues.asDiagonal() * rotation.transpose();
}

template <class T>
Matrix<T> normal_starts(Index chains, Index d, double spread = 1) {
  Matrix<T> starts(chains, d);
  const RandomStream stream(5, Purpose::test);
  for (Index i = 0; i < chains; ++i)
    for (Index j = 0; j < d; ++j)
      starts(i, j) = static_cast<T>(
          spread * stream.normal(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(j)));
  return starts;
}

}  // namespace bl::gibbs
