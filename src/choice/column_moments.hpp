// Means and standard deviations of the columns of a matrix.
#pragma once

#include <vector>

#include "base/matrix.hpp"

namespace bl {

struct ColumnMoments {
  std::vector<double> means, scales;  // a constant column keeps scale 1
};

ColumnMoments column_moments(const Matrix<double>& columns);

}  // namespace bl
