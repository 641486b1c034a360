#include "predict/row_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/rank_gather.hpp"

namespace bl {

void RowNotes::add_quadrature(double error, double tolerance) {
  const std::lock_guard lock(mutex_);
  ++rows_;
  tolerance_ = tolerance;
  if (error <= tolerance) return;
  ++missed_;
  largest_error_ = std::max(largest_error_, error);
}

void RowNotes::join(Ranks& ranks) {
  const std::lock_guard lock(mutex_);
  const auto rows = gather_one(ranks, rows_), missed = gather_one(ranks, missed_);
  const auto errors = gather_one(ranks, largest_error_), tolerances = gather_one(ranks, tolerance_);
  rows_ = std::accumulate(rows.begin(), rows.end(), std::size_t{0});
  missed_ = std::accumulate(missed.begin(), missed.end(), std::size_t{0});
  largest_error_ = *std::max_element(errors.begin(), errors.end());
  tolerance_ = *std::max_element(tolerances.begin(), tolerances.end());
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
