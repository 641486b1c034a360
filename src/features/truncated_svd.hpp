// The leading right singular vectors of a large sparse matrix, by random projections and power iterations
// (Halko, Martinsson and Tropp, 2011).
#pragma once

#include <Eigen/SparseCore>

#include "base/context.hpp"

namespace bl {

using SparseRows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
using DenseRows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// a times b, bit-identical for any number of threads.
DenseRows product(const SparseRows& a, const DenseRows& b, const Context& job);

// Columns: singular vectors in descending order of their values, the entry of the largest magnitude positive.
// At most `rank` of them, fewer where the matrix has a lower rank. The same for any number of threads.
DenseRows right_singular_vectors(const SparseRows& a, Eigen::Index rank, const Context& job);

}  // namespace bl
