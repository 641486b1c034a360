#include "predict/row_notes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bl {

void RowNotes::add_quadrature(double error, double tolerance) {
  const std::lock_guard lock(mutex_);
  ++rows_;
  tolerance_ = tolerance;
  if (error <= tolerance) return;
  ++missed_;
  largest_error_ = std::max(largest_error_, error);
}

std::vector<std::string> RowNotes::texts() const {
  const std::lock_guard lock(mutex_);
  if (missed_ == 0) return {};
  return {fmt::format(
      "quadrature missed its tolerance of {:.2g} in {} of {} distributions: their probabilities may be "
      "off by up to {:.2g}, means and densities likewise",
      tolerance_, missed_, rows_, largest_error_)};
}

}  // namespace bl
