#include "piecewise/density.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bl/errors.hpp"
#include "piecewise/segment.hpp"

namespace bl::piecewise {

namespace {

// Mass of the segment between two breakpoints, relative to exp(top).
double segment_mass(double width, double from, double to, double top) {
  return width * std::exp(std::max(from, to) - top) * mean_exponential(to - from);
}

}  // namespace

double log_integral(std::span<const double> places, std::span<const double> values) {
  const double top = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (std::size_t k = 0; k + 1 < places.size(); ++k)
    sum += segment_mass(places[k + 1] - places[k], values[k], values[k + 1], top);
  return top + std::log(sum);
}

Density::Density(std::vector<double> places, std::vector<double> values)
    : places_(std::move(places)), values_(std::move(values)) {
  for (std::size_t k = 0; k < places_.size(); ++k)
    if (!std::isfinite(values_[k]) || !std::isfinite(places_[k]))
      throw NumericError(
          fmt::format("the log-density at y = {} is {}, not a finite number", places_[k], values_[k]));
  const std::size_t n = places_.size();
  const double top = *std::max_element(values_.begin(), values_.end());
  mass_.resize(n - 1);
  double sum = 0;
  for (std::size_t k = 0; k + 1 < n; ++k)
    sum += mass_[k] = segment_mass(width(k), values_[k], values_[k + 1], top);
  log_normalizer_ = top + std::log(sum);
  below_.assign(n, 0);
  above_.assign(n, 0);
  for (double& mass : mass_) mass /= sum;
  for (std::size_t k = 0; k + 1 < n; ++k) below_[k + 1] = below_[k] + mass_[k];
  for (std::size_t k = n - 1; k-- > 0;) above_[k] = above_[k + 1] + mass_[k];
}

std::size_t Density::segment_at(double y) const {
  const auto after = std::upper_bound(places_.begin() + 1, places_.end() - 1, y);
  return static_cast<std::size_t>(after - places_.begin()) - 1;
}

double Density::log_density(double y) const {
  if (!(y >= lower() && y <= upper())) return -std::numeric_limits<double>::infinity();
  const std::size_t k = segment_at(y);
  const double t = width(k) > 0 ? (y - places_[k]) / width(k) : 0;
  return values_[k] + rise(k) * t - log_normalizer_;
}

double Density::density(double y) const {
  return std::exp(log_density(y));
}

double Density::share_in(std::size_t k, double y) const {
  return width(k) > 0 ? share_below(rise(k), (y - places_[k]) / width(k)) : 0;
}

double Density::cdf(double y) const {
  if (y <= lower()) return 0;
  if (y >= upper()) return 1;
  const std::size_t k = segment_at(y);
  const double share = share_in(k, y);
  if (below_[k + 1] <= 0.5) return below_[k] + mass_[k] * share;
  return 1 - (above_[k + 1] + mass_[k] * (1 - share));
}

double Density::quantile(double p) const {
  if (p <= 0) return lower();
  if (p >= 1) return upper();
  std::size_t k = 0;
  double below = 0, above = 0;  // shares of the segment's mass
  if (p <= 0.5) {
    k = static_cast<std::size_t>(std::upper_bound(below_.begin(), below_.end() - 1, p) - below_.begin()) - 1;
    below = (p - below_[k]) / mass_[k];
    above = 1 - below;
  } else {
    const double rest = 1 - p;
    // above_ descends: the last place that has more than `rest` to its right begins the segment.
    const auto last =
        std::lower_bound(above_.begin(), above_.end(), rest, [](double a, double b) { return a > b; });
    k = static_cast<std::size_t>(last - above_.begin()) - 1;
    above = (rest - above_[k + 1]) / mass_[k];
    below = 1 - above;
  }
  return places_[k] + width(k) * place_of_share(rise(k), below, above);
}

double Density::mean() const {
  double sum = 0;
  for (std::size_t k = 0; k < segments(); ++k) sum += mass_[k] * (places_[k] + width(k) * centre(rise(k)));
  return sum;
}

double Density::variance() const {
  const double middle = mean();
  double sum = 0;
  for (std::size_t k = 0; k < segments(); ++k) {
    const double away = places_[k] + width(k) * centre(rise(k)) - middle;
    sum += mass_[k] * (away * away + width(k) * width(k) * spread(rise(k)));
  }
  return sum;
}

double Density::log_mean_exponential(double tilt) const {
  std::vector<double> tilted(values_);
  for (std::size_t k = 0; k < tilted.size(); ++k) tilted[k] += tilt * places_[k];
  return log_integral(places_, tilted) - log_normalizer_;
}

double Density::mode() const {
  return places_[static_cast<std::size_t>(std::max_element(values_.begin(), values_.end()) -
                                          values_.begin())];
}

Interval Density::central_interval(double mass) const {
  return {quantile((1 - mass) / 2), quantile((1 + mass) / 2)};
}

double Density::mass_above_level(double level) const {
  double sum = 0;
  for (std::size_t k = 0; k < segments(); ++k) {
    const double from = values_[k], to = values_[k + 1];
    if (std::min(from, to) >= level) {
      sum += mass_[k];
    } else if (std::max(from, to) > level) {
      const double below = share_below(rise(k), (level - from) / rise(k));
      sum += mass_[k] * (rise(k) > 0 ? 1 - below : below);
    }
  }
  return sum;
}

std::vector<Interval> Density::highest_density_region(double mass) const {
  double high = *std::max_element(values_.begin(), values_.end());
  double low = *std::min_element(values_.begin(), values_.end());
  for (double middle = (low + high) / 2; low < middle && middle < high; middle = (low + high) / 2)
    (mass_above_level(middle) >= mass ? low : high) = middle;
  std::vector<Interval> region;
  for (std::size_t k = 0; k < segments(); ++k) {
    const double from = values_[k], to = values_[k + 1];
    if (std::max(from, to) < low || width(k) == 0) continue;
    const double cross =
        rise(k) == 0 ? 0 : places_[k] + width(k) * std::clamp((low - from) / rise(k), 0.0, 1.0);
    const Interval part{from < low ? cross : places_[k], to < low ? cross : places_[k + 1]};
    if (!region.empty() && region.back().upper == part.lower)
      region.back().upper = part.upper;
    else if (part.lower < part.upper)
      region.push_back(part);
  }
  return region;
}

double Density::crps(double observed) const {
  double sum = std::max(0.0, lower() - observed) + std::max(0.0, observed - upper());
  // Integral over the part of segment k between shares of its mass, on one side of the observation.
  const auto add = [&](std::size_t k, double from, double to) {
    const double h = to - from;
    if (!(h > 0)) return;
    const double d = rise(k) * (h / width(k));
    const double share_from = share_in(k, from), share_to = share_in(k, to);
    const double mass = mass_[k] * (share_to - share_from);
    const bool left = to <= observed;
    const double start = left ? below_[k] + mass_[k] * share_from : above_[k + 1] + mass_[k] * (1 - share_to);
    const double one = integral_of_share(left ? d : -d), two = integral_of_squared_share(left ? d : -d);
    sum += h * (start * start + 2 * start * mass * one + mass * mass * two);
  };
  for (std::size_t k = 0; k < segments(); ++k) {
    const double cut = std::clamp(observed, places_[k], places_[k + 1]);
    add(k, places_[k], cut);
    add(k, cut, places_[k + 1]);
  }
  return sum;
}

double Density::crps(double observed, const std::function<double(double)>& raw,
                     const std::function<double(double)>& slope, double steepness) const {
  constexpr double kMostChange = 0.5;  // of logarithms within a panel: five nodes are then nearly exact
  double sum = 0;
  if (observed < lower()) sum += raw(lower()) - raw(observed);
  if (observed > upper()) sum += raw(observed) - raw(upper());
  const auto add = [&](std::size_t k, double from, double to) {
    const double h = to - from;
    if (!(h > 0)) return;
    const double change = (std::abs(rise(k)) / width(k) + steepness) * h;
    const auto panels = static_cast<std::size_t>(std::clamp(std::ceil(change / kMostChange), 1.0, 4096.0));
    for (std::size_t p = 0; p < panels; ++p)
      for (const GaussNode& node : kGauss) {
        const double y = from + h * (static_cast<double>(p) + node.place) / static_cast<double>(panels);
        const double share = share_in(k, y);
        const double tail =
            to <= observed ? below_[k] + mass_[k] * share : above_[k + 1] + mass_[k] * (1 - share);
        sum += node.weight * h / static_cast<double>(panels) * tail * tail * slope(y);
      }
  };
  for (std::size_t k = 0; k < segments(); ++k) {
    const double cut = std::clamp(observed, places_[k], places_[k + 1]);
    add(k, places_[k], cut);
    add(k, cut, places_[k + 1]);
  }
  return sum;
}

double Density::mass(double from, double to) const {
  double sum = 0;
  for (std::size_t k = 0; k < segments(); ++k) {
    const double a = std::max(from, places_[k]), b = std::min(to, places_[k + 1]);
    if (a < b) sum += mass_[k] * (share_in(k, b) - share_in(k, a));
  }
  return sum;
}

double Density::mean_of(const std::function<double(double)>& function) const {
  double sum = 0;
  for (const auto& [y, share] : rule()) sum += share * function(y);
  return sum;
}

Density Density::cut_at(std::span<const double> cuts) const {
  std::vector<double> places, values;
  auto cut = std::upper_bound(cuts.begin(), cuts.end(), lower());
  for (std::size_t k = 0; k < places_.size(); ++k) {
    for (; cut != cuts.end() && *cut < places_[k]; ++cut) {
      places.push_back(*cut);
      values.push_back(log_density(*cut) + log_normalizer_);
    }
    places.push_back(places_[k]);
    values.push_back(values_[k]);
  }
  return {std::move(places), std::move(values)};
}

std::vector<std::pair<double, double>> Density::rule() const {
  constexpr double kMostRise = 1, kNegligible = 1e-14, kFall = 40;  // e^-40 of the higher end: nothing
  std::vector<std::pair<double, double>> points;
  double total = 0;
  for (std::size_t k = 0; k < segments(); ++k) {
    if (mass_[k] < kNegligible) continue;
    const double steep = std::abs(rise(k)), used = std::min(1.0, kFall / std::max(steep, kFall));
    const double first = rise(k) > 0 ? 1 - used : 0;
    const auto panels = static_cast<std::size_t>(std::max(1.0, std::ceil(steep * used / kMostRise)));
    for (std::size_t p = 0; p < panels; ++p)
      for (const GaussNode& node : kGauss) {
        const double t = first + used * (static_cast<double>(p) + node.place) / static_cast<double>(panels);
        const double y = places_[k] + width(k) * t;
        points.emplace_back(y, node.weight * used * width(k) / static_cast<double>(panels) * density(y));
        total += points.back().second;
      }
  }
  for (auto& [y, share] : points) share /= total;
  return points;
}

}  // namespace bl::piecewise
