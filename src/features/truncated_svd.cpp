#include "features/truncated_svd.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "base/slices.hpp"

namespace bl {

namespace {

using Eigen::Index;

constexpr Index kRowsPerTask = 2048;
constexpr Index kOversampling = 10;
constexpr int kPowerIterations = 20;

// y' y, summed over blocks of rows in their order.
Eigen::MatrixXd gram(const DenseRows& y, const Context& job) {
  std::vector<Eigen::MatrixXd> parts(static_cast<std::size_t>((y.rows() + kRowsPerTask - 1) / kRowsPerTask));
  for_row_blocks(job, y.rows(), kRowsPerTask, [&](Index from, Index count) {
    const auto block = y.middleRows(from, count);
    parts[static_cast<std::size_t>(from / kRowsPerTask)].noalias() = block.transpose() * block;
  });
  Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(y.cols(), y.cols());
  for (const Eigen::MatrixXd& part : parts) sum += part;
  return sum;
}

DenseRows times(const DenseRows& y, const Eigen::MatrixXd& right, const Context& job) {
  DenseRows out(y.rows(), right.cols());
  for_row_blocks(job, y.rows(), kRowsPerTask, [&](Index from, Index count) {
    out.middleRows(from, count).noalias() = y.middleRows(from, count) * right;
  });
  return out;
}

// The matrix that makes y's columns orthonormal: principal axes in descending order, divided by their
// lengths. Directions without length are left out.
Eigen::MatrixXd whitening(const DenseRows& y, const Context& job) {
  constexpr double kNegligible = 1e-13;  // of a squared length, against rounding of the sums
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> axes(gram(y, job));
  const Eigen::VectorXd squares = axes.eigenvalues().reverse();
  Index kept = 0;
  while (kept < squares.size() && squares[kept] > kNegligible * squares[0]) ++kept;
  const Eigen::MatrixXd vectors = axes.eigenvectors().rowwise().reverse().leftCols(kept);
  return vectors * squares.head(kept).cwiseSqrt().cwiseInverse().asDiagonal();
}

DenseRows orthonormal(const DenseRows& y, const Context& job) {
  return times(y, whitening(y, job), job);
}

DenseRows normal_matrix(Index rows, Index cols) {
  constexpr std::uint64_t kSeed = 0;
  const RandomStream stream(kSeed, Purpose::projection);
  DenseRows out(rows, cols);
  for (Index i = 0; i < rows; ++i)
    stream.fill_normal(static_cast<std::uint64_t>(i),
                       std::span<double>(out.row(i).data(), static_cast<std::size_t>(cols)));
  return out;
}

}  // namespace

DenseRows product(const SparseRows& a, const DenseRows& b, const Context& job) {
  DenseRows out(a.rows(), b.cols());
  for_row_blocks(job, a.rows(), kRowsPerTask, [&](Index from, Index count) {
    out.middleRows(from, count).noalias() = a.middleRows(from, count) * b;
  });
  return out;
}

DenseRows right_singular_vectors(const SparseRows& a, Index rank, const Context& job) {
  const SparseRows transposed = a.transpose();
  const Index columns = std::min(rank + kOversampling, std::min(a.rows(), a.cols()));
  DenseRows basis = orthonormal(product(a, normal_matrix(a.cols(), columns), job), job);
  for (int i = 0; i < kPowerIterations; ++i) {
    const DenseRows other = orthonormal(product(transposed, basis, job), job);
    basis = orthonormal(product(a, other, job), job);
  }
  basis = orthonormal(basis, job);  // what rounding left of the first time
  DenseRows vectors = orthonormal(product(transposed, basis, job), job);
  DenseRows out = vectors.leftCols(std::min(rank, vectors.cols()));
  for (Index c = 0; c < out.cols(); ++c) {
    Index largest = 0;
    out.col(c).cwiseAbs().maxCoeff(&largest);
    if (out(largest, c) < 0) out.col(c) *= -1;
  }
  return out;
}

}  // namespace bl
