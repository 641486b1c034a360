#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bl/errors.hpp"
#include "gibbs/distribution_1d.hpp"

namespace bl::gibbs {

namespace {

constexpr int kBisections = 80;
constexpr double kPlateauDepth = 1e-6;  // relative fall of the density within a plateau
constexpr double kPlateauMass = 1e-4;   // more than a smooth distribution can have in so thin a layer

// Where `rises_above(t)` turns from false to true in [low, high].
template <class Predicate>
double bisect(double low, double high, Predicate rises_above) {
  for (int k = 0; k < kBisections; ++k) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (rises_above(middle) ? high : low) = middle;
  }
  return low + (high - low) / 2;
}

void check_mass(double mass) {
  if (!(mass > 0 && mass < 1))
    throw UsageError(fmt::format("mass {} of an interval is not between 0 and 1", mass));
}

}  // namespace

Estimate Distribution1d::log_normalizer() const {
  return {log_top_ + std::log(total_), error_};
}

void Distribution1d::log_density(std::span<const double> y, std::span<double> out) const {
  function_(y, out);
  const double normalizer = log_normalizer().value;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const bool inside = y[i] >= lower_ && y[i] <= upper_;
    out[i] = inside ? out[i] - normalizer : -std::numeric_limits<double>::infinity();
  }
}

double Distribution1d::density(double y) const {
  double value = 0;
  log_density(std::span(&y, 1), std::span(&value, 1));
  return std::exp(value);
}

double Distribution1d::mass_below(const Panel& panel, double y) const {
  return panel.below + panel.half() * panel.density.integral_to(panel.place(y));
}

double Distribution1d::cdf(double y) const {
  if (!(y > lower_)) return 0;
  if (y >= upper_) return 1;
  return std::clamp(mass_below(panel_at(y), y) / total_, 0.0, 1.0);
}

double Distribution1d::quantile(double p) const {
  if (!(p >= 0 && p <= 1)) throw UsageError(fmt::format("quantile of {}: a probability lies in [0, 1]", p));
  const double mass = p * total_;
  const auto after = std::upper_bound(panels_.begin(), panels_.end(), mass,
                                      [](double m, const Panel& q) { return m < q.below; });
  const Panel& panel = after == panels_.begin() ? *after : *(after - 1);
  return bisect(panel.lower, panel.upper, [&](double y) { return mass_below(panel, y) >= mass; });
}

Estimate Distribution1d::moment(const std::function<double(double)>& function) const {
  Estimate sum;
  for (const Panel& panel : panels_) {
    RuleValues values = panel.relative(log_top_);
    for (std::size_t i = 0; i < kRulePoints; ++i)
      values[i] *= function(panel.centre() + panel.half() * rule_nodes()[i]);
    const double kronrod = panel.half() * weighted_sum(kronrod_weights(), values) / total_;
    sum.value += kronrod;
    sum.error += std::abs(kronrod - panel.half() * weighted_sum(gauss_weights(), values) / total_);
  }
  return sum;
}

std::vector<std::pair<double, double>> Distribution1d::rule() const {
  std::vector<std::pair<double, double>> points;
  for (const Panel& panel : panels_) {
    const RuleValues values = panel.relative(log_top_);
    for (std::size_t i = 0; i < kRulePoints; ++i)
      points.emplace_back(panel.centre() + panel.half() * rule_nodes()[i],
                          panel.half() * kronrod_weights()[i] * values[i] / total_);
  }
  return points;
}

// Moments are taken about the highest mode, so that a distribution far from zero loses no digits.
Estimate Distribution1d::mean() const {
  const double origin = modes().front().y;
  Estimate estimate = moment([origin](double y) { return y - origin; });
  estimate.value += origin;
  return estimate;
}

Estimate Distribution1d::variance() const {
  const double centre = mean().value;
  return moment([centre](double y) { return (y - centre) * (y - centre); });
}

Estimate Distribution1d::expectation(const LogDensity1d& function) const {
  struct Piece {
    double lower, upper;
    const Panel* panel;
  };
  std::vector<Piece> open;
  for (const Panel& panel : panels_) open.push_back({panel.lower, panel.upper, &panel});
  Estimate sum;
  double magnitude = 0;
  for (int depth = 0; !open.empty(); ++depth) {
    std::vector<double> y, value;
    for (const Piece& piece : open)
      for (const double node : rule_nodes())
        y.push_back((piece.lower + piece.upper) / 2 + (piece.upper - piece.lower) / 2 * node);
    value.resize(y.size());
    function(y, value);
    std::vector<Estimate> parts(open.size());
    for (std::size_t k = 0; k < open.size(); ++k) {
      RuleValues weighted{};
      double absolute = 0;
      for (std::size_t i = 0; i < kRulePoints; ++i) {
        const double at = y[k * kRulePoints + i];
        weighted[i] = value[k * kRulePoints + i] * open[k].panel->density.value(open[k].panel->place(at));
        absolute += kronrod_weights()[i] * std::abs(weighted[i]);
      }
      const double half = (open[k].upper - open[k].lower) / 2 / total_;
      const double kronrod = half * weighted_sum(kronrod_weights(), weighted);
      parts[k] = {kronrod, std::abs(kronrod - half * weighted_sum(gauss_weights(), weighted))};
      if (depth == 0) magnitude += half * absolute;
    }
    std::vector<Piece> next;
    const double share = options_.tolerance * magnitude / static_cast<double>(panels_.size());
    for (std::size_t k = 0; k < open.size(); ++k) {
      const double middle = (open[k].lower + open[k].upper) / 2;
      if (parts[k].error > share && depth < 40) {
        next.push_back({open[k].lower, middle, open[k].panel});
        next.push_back({middle, open[k].upper, open[k].panel});
      } else {
        sum.value += parts[k].value;
        sum.error += parts[k].error;
      }
    }
    open = std::move(next);
  }
  return sum;
}

std::vector<Peak> Distribution1d::modes() const {
  std::vector<Peak> sorted = peaks_;
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Peak& a, const Peak& b) { return a.value > b.value; });
  for (Peak& peak : sorted) peak.value -= log_normalizer().value;
  return sorted;
}

Interval Distribution1d::central_interval(double mass) const {
  check_mass(mass);
  return {quantile((1 - mass) / 2), quantile((1 + mass) / 2)};
}

// The set where the relative density exceeds a level, one interval per connected piece.
std::vector<Interval> Distribution1d::region_above(double level) const {
  std::vector<Interval> region;
  const auto extend = [&](double from, double to) {
    if (!region.empty() && region.back().upper >= from)
      region.back().upper = to;
    else
      region.push_back({from, to});
  };
  for (const Panel& panel : panels_) {
    const auto above = [&](double t) { return panel.density.value(t) > level; };
    const auto y = [&](double t) { return t >= 1 ? panel.upper : panel.centre() + panel.half() * t; };
    double left = -1;
    bool left_above = above(left);
    for (std::size_t i = 0; i <= kRulePoints; ++i) {
      const double right = i < kRulePoints ? rule_nodes()[i] : 1.0;
      const bool right_above = above(right);
      const double from = left == -1 ? panel.lower : y(left);
      if (left_above && right_above) extend(from, y(right));
      if (left_above != right_above) {
        const double crossing = y(bisect(left, right, [&](double t) { return above(t) == right_above; }));
        if (right_above)
          extend(crossing, y(right));
        else
          extend(from, crossing);
      }
      left = right;
      left_above = right_above;
    }
  }
  return region;
}

std::vector<Interval> Distribution1d::highest_density_region(double mass) const {
  check_mass(mass);
  const auto mass_of = [&](const std::vector<Interval>& region) {
    double sum = 0;
    for (const Interval& piece : region) sum += cdf(piece.upper) - cdf(piece.lower);
    return sum;
  };
  const double log_level =
      bisect(-700.0, 0.0, [&](double level) { return mass_of(region_above(std::exp(level))) < mass; });
  // A plateau at the level (a uniform distribution) makes the mass jump there: the whole plateau is taken.
  auto with_plateau = region_above(std::exp(log_level) * (1 - kPlateauDepth));
  if (mass_of(with_plateau) > mass + kPlateauMass) return with_plateau;
  return region_above(std::exp(log_level));
}

// Integral of cdf^2, or of (1 - cdf)^2 above the observation, over a part of a panel.
double Distribution1d::squared_area(const Panel& panel, double from, double to, bool above) const {
  const double half = (to - from) / 2, centre = (from + to) / 2;
  double sum = 0;
  for (std::size_t i = 0; i < kRulePoints; ++i) {
    const double p = mass_below(panel, centre + half * rule_nodes()[i]) / total_;
    sum += kronrod_weights()[i] * (above ? (1 - p) * (1 - p) : p * p);
  }
  return half * sum;
}

double Distribution1d::crps(double observed) const {
  double sum = std::max(0.0, lower_ - observed) + std::max(0.0, observed - upper_);
  for (const Panel& panel : panels_) {
    const double cut = std::clamp(observed, panel.lower, panel.upper);
    if (cut > panel.lower) sum += squared_area(panel, panel.lower, cut, false);
    if (cut < panel.upper) sum += squared_area(panel, cut, panel.upper, true);
  }
  return sum;
}

}  // namespace bl::gibbs
