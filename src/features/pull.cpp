#include "features/pull.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace bl {

namespace {

struct Quantiles {
  double share;         // of the rows below the lower one, and above the upper one
  double normal_range;  // between the two, for a normal distribution of standard deviation 1
};
constexpr std::array<Quantiles, 4> kRanges = {
    {{0.25, 1.3489795}, {0.10, 2.5631031}, {0.05, 3.2897073}, {0.01, 4.6526957}}};

// The point of the pull at or below the value, where the value lies between two.
std::size_t piece_of(const Pull& pull, double value) {
  const auto above = std::upper_bound(pull.from.begin(), pull.from.end(), value);
  return static_cast<std::size_t>(above - pull.from.begin()) - 1;
}

}  // namespace

double pulled(const Pull& pull, double value) {
  if (pull.from.empty()) return value;
  if (value <= pull.from.front()) return pull.to.front();
  if (value >= pull.from.back()) return pull.to.back();
  const std::size_t i = piece_of(pull, value);
  const double run = pull.from[i + 1] - pull.from[i], rise = pull.to[i + 1] - pull.to[i];
  if (run == rise) return pull.to[i] == pull.from[i] ? value : pull.to[i] + (value - pull.from[i]);
  return pull.to[i] + (value - pull.from[i]) * (rise / run);
}

double unpulled(const Pull& pull, double value) {
  return pulled({.from = pull.to, .to = pull.from}, value);
}

double sorted_quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double part = place - static_cast<double>(below);
  return sorted[below] * (1 - part) + sorted[above] * part;
}

double robust_deviation(std::span<const double> sorted) {
  for (const Quantiles& q : kRanges) {
    const double range = sorted_quantile(sorted, 1 - q.share) - sorted_quantile(sorted, q.share);
    if (range > 0) return range / q.normal_range;
  }
  return sorted.back() - sorted.front();
}

Pull compress_tails(std::span<const double> sorted) {
  constexpr double kInner = 5, kPerDoubling = 2.5;
  constexpr int kDoublings = 3;
  const double median = sorted_quantile(sorted, 0.5), unit = robust_deviation(sorted);
  const double outer = std::ldexp(kInner, kDoublings) * unit;
  if (!(unit > 0) || !std::isfinite(median - outer) || !std::isfinite(median + outer)) return {};
  if (sorted.front() >= median - kInner * unit && sorted.back() <= median + kInner * unit) return {};
  Pull pull;
  const auto add = [&](double distance, double counted) {
    const double from = median + distance * unit, to = median + counted * unit;
    if (!pull.from.empty() && !(from > pull.from.back())) return;
    pull.from.push_back(from);
    pull.to.push_back(std::abs(distance) == kInner ? from : to);
  };
  for (int k = kDoublings; k >= 0; --k) add(-std::ldexp(kInner, k), -kInner - kPerDoubling * k);
  for (int k = 0; k <= kDoublings; ++k) add(std::ldexp(kInner, k), kInner + kPerDoubling * k);
  return pull;
}

Range range_without_outliers(std::span<const double> sorted) {
  constexpr double kInterquartileRanges = 10, kShare = 0.002;
  constexpr std::size_t kRows = 3;
  const double median = sorted_quantile(sorted, 0.5);
  const double reach = kInterquartileRanges * kRanges[0].normal_range * robust_deviation(sorted);
  const std::size_t few =
      std::min(sorted.size() - 1,
               std::max(kRows, static_cast<std::size_t>(kShare * static_cast<double>(sorted.size()))));
  const double low = std::min(median - reach, sorted[few]);
  const double high = std::max(median + reach, sorted[sorted.size() - 1 - few]);
  return {*std::lower_bound(sorted.begin(), sorted.end(), low),
          *(std::upper_bound(sorted.begin(), sorted.end(), high) - 1)};
}

}  // namespace bl
