#include "choice/column_moments.hpp"

#include <cmath>

namespace bl {

ColumnMoments column_moments(const Matrix<double>& columns) {
  ColumnMoments out;
  const auto n = static_cast<double>(columns.rows());
  for (Index k = 0; k < columns.cols(); ++k) {
    double mean = 0, squares = 0;
    for (Index i = 0; i < columns.rows(); ++i) mean += columns(i, k) / n;
    for (Index i = 0; i < columns.rows(); ++i) squares += (columns(i, k) - mean) * (columns(i, k) - mean) / n;
    out.means.push_back(mean);
    out.scales.push_back(squares > 0 ? std::sqrt(squares) : 1);
  }
  return out;
}

}  // namespace bl
