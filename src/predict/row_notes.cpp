#include "predict/row_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/rank_gather.hpp"

namespace bl {

namespace {

// A mean that more than this share of its own distribution lies below (or above) is made by the rest.
constexpr double kOutInTheTail = 0.95;

}  // namespace

void RowNotes::add_quadrature(double error, double tolerance) {
  const std::lock_guard lock(mutex_);
  ++rows_;
  tolerance_ = tolerance;
  if (error <= tolerance) return;
  ++missed_;
  if (!(error <= largest_error_)) largest_error_ = error;  // NaN stays
}

void RowNotes::add_mean(double below) {
  const std::lock_guard lock(mutex_);
  ++means_;
  if (std::max(below, 1 - below) > kOutInTheTail) ++in_tail_;
}

void RowNotes::join(Ranks& ranks) {
  const std::lock_guard lock(mutex_);
  const auto rows = gather_one(ranks, rows_), missed = gather_one(ranks, missed_);
  const auto means = gather_one(ranks, means_), in_tail = gather_one(ranks, in_tail_);
  const auto errors = gather_one(ranks, largest_error_), tolerances = gather_one(ranks, tolerance_);
  rows_ = std::accumulate(rows.begin(), rows.end(), std::size_t{0});
  missed_ = std::accumulate(missed.begin(), missed.end(), std::size_t{0});
  means_ = std::accumulate(means.begin(), means.end(), std::size_t{0});
  in_tail_ = std::accumulate(in_tail.begin(), in_tail.end(), std::size_t{0});
  for (const double error : errors)
    if (!(error <= largest_error_)) largest_error_ = error;  // NaN stays
  tolerance_ = *std::max_element(tolerances.begin(), tolerances.end());
}

std::vector<std::string> RowNotes::texts() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> texts;
  if (missed_ > 0)
    texts.push_back(fmt::format(
        "quadrature missed its tolerance of {:.2g} in {} of {} distributions: their probabilities may be "
        "off by up to {:.2g}, means and densities likewise",
        tolerance_, missed_, rows_, largest_error_));
  if (in_tail_ > 0)
    texts.push_back(fmt::format(
        "the mean of {} of {} rows lies beyond {:.0f}% of its own distribution: the tail dominates "
        "it; the median (`quantiles` 0.5) and other quantiles are sound",
        in_tail_, means_, 100 * kOutInTheTail));
  return texts;
}

}  // namespace bl
