// Choosing the axis of a number on its training rows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/quantile.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "features/number_scale.hpp"

namespace bl {

namespace {

constexpr double kMassShare = 0.05;  // of the rows: a value that holds more is a point mass
constexpr std::size_t kMassRows = 10;
constexpr std::size_t kMostWholeNumbers = 60;  // different ones
constexpr double kMostSlots = 500;
constexpr double kMargin = 0.1;  // log-likelihood per row that a transform has to gain

// Log-likelihood per row of a normal distribution on the axis, at its best mean and standard deviation, up to
// a constant.
double normal_fit(const NumberScale& scale, std::span<const double> values) {
  double mean = 0, square = 0, slope = 0;
  const auto n = static_cast<double>(values.size());
  for (const double y : values) mean += scale.place(y) / n;
  for (const double y : values) {
    const double x = scale.place(y);
    square += (x - mean) * (x - mean) / n;
    slope += scale.log_slope(x) / n;
  }
  return -0.5 * std::log(square) - slope;
}

// To three digits: the numbers of an axis are free to choose, and people read them.
double readable(double value) {
  const double rounded = std::strtod(fmt::format("{:.3g}", value).c_str(), nullptr);
  return std::isfinite(rounded) && rounded != 0 ? rounded : value;
}

NumberScale log_scale(std::span<const double> sorted) {
  NumberScale scale{.transform = ResponseTransform::log, .masses = {}};
  if (sorted.front() > 0) return scale;
  const auto positive = std::upper_bound(sorted.begin(), sorted.end(), 0.0);
  constexpr double kShift = 0.1;  // of the median of what is positive
  scale.location =
      readable(-kShift * quantile(sorted.subspan(static_cast<std::size_t>(positive - sorted.begin())), 0.5));
  return scale;
}

NumberScale asinh_scale(std::span<const double> sorted) {
  constexpr double kNormalRange = 1.349;  // between the quartiles of a standard normal distribution
  const double range = quantile(sorted, 0.75) - quantile(sorted, 0.25);
  return {.transform = ResponseTransform::asinh,
          .location = quantile(sorted, 0.5),
          .unit = range > 0 ? readable(range / kNormalRange) : 1,
          .masses = {}};
}

NumberScale choose_transform(std::span<const double> sorted, const NumberPolicy& policy,
                             const std::string& column) {
  const bool can_log = sorted.front() >= 0 && sorted.back() > 0;
  if (policy.transform == NumberPolicy::Transform::log) {
    if (!can_log)
      throw DataError(
          fmt::format("`response_transform` = 'log' needs responses that are not negative; {} has {}",
                      in_quotes(column), format_number(sorted.front())));
    return log_scale(sorted);
  }
  if (policy.transform == NumberPolicy::Transform::asinh) return asinh_scale(sorted);
  NumberScale best;
  if (policy.transform == NumberPolicy::Transform::none) return best;
  double highest = normal_fit(best, sorted) + kMargin;
  std::vector<NumberScale> others = {asinh_scale(sorted)};
  if (can_log) others.insert(others.begin(), log_scale(sorted));
  for (const NumberScale& other : others) {
    const double fit = normal_fit(other, sorted);
    if (!(fit > highest)) continue;
    highest = fit;
    best = other;
  }
  return best;
}

bool few_whole_numbers(std::span<const double> sorted) {
  std::size_t distinct = 1;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != std::round(sorted[i]) || std::abs(sorted[i]) > 1e9) return false;
    if (i > 0 && sorted[i] != sorted[i - 1]) ++distinct;
  }
  return distinct > 2 && distinct <= kMostWholeNumbers && distinct * 5 <= sorted.size() &&
         2 * (sorted.back() - sorted.front()) + 4 <= kMostSlots;
}

// A slot for every whole number, as wide as it is on the axis that suits the values.
NumberScale whole_number_scale(std::span<const double> sorted) {
  const double range = sorted.back() - sorted.front(), room = std::max(2.0, std::ceil(range / 2));
  double first = sorted.front() - room;
  if (sorted.front() >= 0) first = std::max(0.0, first);
  NumberScale skewed{.transform = ResponseTransform::log, .location = first - 1, .masses = {}};
  const bool wide_tail = normal_fit(skewed, sorted) > normal_fit({}, sorted) + kMargin;
  const auto on_axis = [&](double y) { return wide_tail ? std::log(y - first + 1) : y; };
  NumberScale scale{.masses = {}, .whole_numbers = true};
  for (double value = first; value <= sorted.back() + room; ++value)
    scale.masses.push_back({value, on_axis(first - 0.5), on_axis(value + 0.5) - on_axis(value - 0.5)});
  return scale;
}

struct Repeated {
  double value;
  double share;
};

std::vector<Repeated> repeated_values(std::span<const double> sorted) {
  std::vector<Repeated> found;
  for (std::size_t from = 0, to = 0; from < sorted.size(); from = to) {
    while (to < sorted.size() && sorted[to] == sorted[from]) ++to;
    const double share = static_cast<double>(to - from) / static_cast<double>(sorted.size());
    if (share >= kMassShare && to - from >= kMassRows) found.push_back({sorted[from], share});
  }
  return found;
}

}  // namespace

NumberScale choose_number_scale(std::span<const double> values, const NumberPolicy& policy,
                                const std::string& column) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  if (policy.point_masses && policy.transform == NumberPolicy::Transform::automatic &&
      few_whole_numbers(sorted))
    return whole_number_scale(sorted);
  const std::vector<Repeated> repeated =
      policy.point_masses ? repeated_values(sorted) : std::vector<Repeated>{};
  std::vector<double> rest;
  for (const double y : sorted)
    if (std::none_of(repeated.begin(), repeated.end(), [&](const Repeated& r) { return r.value == y; }))
      rest.push_back(y);
  constexpr std::size_t kFewestRows = 20;  // to have a density of their own
  if (rest.size() < kFewestRows || rest.front() == rest.back())
    return repeated.empty() ? choose_transform(sorted, policy, column) : NumberScale{};
  NumberScale scale = choose_transform(rest, policy, column);
  std::vector<double> places;
  for (const double y : rest) places.push_back(scale.place(y));
  double middle = quantile(places, 0.75) - quantile(places, 0.25);
  if (!(middle > 0)) middle = (places.back() - places.front()) / 4;
  const double floor = places.front() - middle, ceiling = places.back() + middle;
  NumberScale with_masses = scale;
  for (const Repeated& one : repeated) {
    // As dense as the middle half of the rest; at most ten times as wide as it.
    const double width = middle * std::min(10.0, 2 * one.share / (1 - one.share));
    with_masses.masses.push_back({one.value, std::clamp(scale.place(one.value), floor, ceiling), width});
  }
  return with_masses;
}

}  // namespace bl
