#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "gibbs/diagnostics.hpp"

namespace bl::gibbs {

namespace {

constexpr double kGoodRhat = 1.01;
constexpr double kGoodSizePerChain = 100;

struct Worst {
  double value;
  std::size_t column;
};

// The column with the largest `measure`; NaN counts as largest.
template <class Measure>
Worst worst_column(const std::vector<Diagnostics>& columns, Measure measure) {
  Worst worst{-std::numeric_limits<double>::infinity(), 0};
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const double value = measure(columns[j]);
    if (std::isnan(value)) return {value, j};
    if (value > worst.value) worst = {value, j};
  }
  return worst;
}

void append(std::string& text, const std::string& sentence) {
  if (!text.empty()) text += ' ';
  text += sentence;
}

}  // namespace

std::string verdict(const std::vector<Diagnostics>& columns, Index divergences,
                    Index chains_per_distribution) {
  const Worst rhat = worst_column(columns, [](const Diagnostics& d) { return d.rhat; });
  const Worst bulk = worst_column(columns, [](const Diagnostics& d) { return -d.ess_bulk; });
  const Worst tail = worst_column(columns, [](const Diagnostics& d) { return -d.ess_tail; });
  const double enough = std::min(kGoodSize, kGoodSizePerChain * static_cast<double>(chains_per_distribution));
  std::string poor;
  if (std::isnan(rhat.value) || std::isnan(bulk.value) || std::isnan(tail.value))
    append(poor, fmt::format(
                     "Dimension {} gives no diagnostics: its draws are all equal or fewer than 6 per chain; "
                     "draw more, or shorten the step so that moves are accepted.",
                     std::isnan(rhat.value)   ? rhat.column
                     : std::isnan(bulk.value) ? bulk.column
                                              : tail.column));
  if (rhat.value > kGoodRhat)
    append(poor,
           fmt::format("R-hat is {:.3f} in dimension {} (good: at most {}): the chains do not agree yet; "
                       "take more warm-up and more draws, and look for several modes.",
                       rhat.value, rhat.column, kGoodRhat));
  if (-bulk.value < enough)
    append(
        poor,
        fmt::format("Bulk effective sample size is {:.0f} in dimension {} (good: at least {:.0f}): means and "
                    "medians are inexact; take more draws.",
                    -bulk.value, bulk.column, enough));
  if (-tail.value < enough)
    append(
        poor,
        fmt::format("Tail effective sample size is {:.0f} in dimension {} (good: at least {:.0f}): quantiles "
                    "are inexact; take more draws.",
                    -tail.value, tail.column, enough));
  if (divergences > 0)
    append(poor, fmt::format("{} moves diverged: parts of the distribution may be missed; raise the target "
                             "acceptance, or give "
                             "a smaller step.",
                             divergences));
  if (!poor.empty()) return poor;
  return fmt::format(
      "All diagnostics are good: R-hat at most {:.3f}, effective sample size at least {:.0f} (bulk) and "
      "{:.0f} (tail), no divergences.",
      rhat.value, -bulk.value, -tail.value);
}

}  // namespace bl::gibbs
