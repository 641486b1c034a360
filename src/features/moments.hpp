// Mean and standard deviation of the training values of a column.
#pragma once

#include <span>
#include <string>

#include "data/table.hpp"

namespace bl {

struct Moments {
  double mean = 0;
  double scale = 0;  // population standard deviation; exactly 0 for equal values
};

Moments moments(std::span<const double> values);
// DataError, naming the column, where they are not finite.
Moments finite_moments(std::span<const double> values, const Table& table, const std::string& column);

}  // namespace bl
