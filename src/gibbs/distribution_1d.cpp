// Building the panels of a one-dimensional distribution; what is asked of them is in
// distribution_1d_queries.cpp.
#include "gibbs/distribution_1d.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bl/errors.hpp"

namespace bl::gibbs {

namespace {

constexpr std::size_t kPanelPoints = kRulePoints + 2;  // nodes and both ends
constexpr double kNarrowest = 1e-13;  // panels are not cut below this share of their place or range
constexpr int kPeakRounds = 8;

}  // namespace

RuleValues Distribution1d::Panel::relative(double log_top) const {
  RuleValues values{};
  for (std::size_t i = 0; i < kRulePoints; ++i) values[i] = std::exp(log_values[i] - log_top);
  return values;
}

Distribution1d::Distribution1d(LogDensity1d log_density, double lower, double upper,
                               const QuadratureOptions& options)
    : function_(std::move(log_density)), lower_(lower), upper_(upper), options_(options) {
  if (!(lower < upper) || !std::isfinite(lower) || !std::isfinite(upper))
    throw UsageError(
        fmt::format("quadrature needs a finite interval with lower < upper, got [{}, {}]", lower, upper));
  if (!(options.tolerance > 0))
    throw UsageError(fmt::format("tolerance is {}, must be positive", options.tolerance));
  if (options.grid < 16)
    throw UsageError(fmt::format("grid is {}, must be at least 16 points", options.grid));
  const auto n = static_cast<std::size_t>(options.grid);
  Profile grid{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t i = 0; i < n; ++i)
    grid.y[i] = lower + (upper - lower) * static_cast<double>(i) / static_cast<double>(n - 1);
  checked(grid.y, grid.value);
  log_top_ = *std::max_element(grid.value.begin(), grid.value.end());
  peaks_ = find_peaks([this](auto y, auto out) { checked(y, out); }, grid, {});
  for (const Peak& peak : peaks_) log_top_ = std::max(log_top_, peak.value);
  panels_ = initial_panels(peaks_, options.grid / 16);
  evaluate(panels_);
  for (int round = 0; round < kPeakRounds; ++round) {
    refine();
    const std::size_t known = peaks_.size();
    add_unseen_peaks();
    if (peaks_.size() == known) break;
  }
  refine();
  finish();
}

void Distribution1d::checked(std::span<const double> y, std::span<double> out) {
  points_ += static_cast<Index>(y.size());
  function_(y, out);
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!std::isfinite(out[i]))
      throw NumericError(fmt::format("the log-density at y = {} is {}, not a finite number", y[i], out[i]));
}

void Distribution1d::evaluate(std::span<Panel> panels) {
  std::vector<double> y, value;
  y.reserve(panels.size() * kPanelPoints);
  for (const Panel& panel : panels) {
    for (const double node : rule_nodes()) y.push_back(panel.centre() + panel.half() * node);
    y.push_back(panel.lower);
    y.push_back(panel.upper);
  }
  value.resize(y.size());
  checked(y, value);
  for (std::size_t k = 0; k < panels.size(); ++k) {
    const double* own = value.data() + k * kPanelPoints;
    std::copy_n(own, kRulePoints, panels[k].log_values.begin());
    panels[k].log_lower = own[kRulePoints];
    panels[k].log_upper = own[kRulePoints + 1];
  }
  log_top_ = std::max(log_top_, *std::max_element(value.begin(), value.end()));
}

std::vector<Distribution1d::Panel> Distribution1d::initial_panels(const std::vector<Peak>& peaks,
                                                                  Index count) {
  std::vector<double> ends;
  for (Index i = 0; i <= count; ++i)
    ends.push_back(lower_ + (upper_ - lower_) * static_cast<double>(i) / static_cast<double>(count));
  for (const Peak& peak : peaks) ends.push_back(std::clamp(peak.y, lower_, upper_));
  std::sort(ends.begin(), ends.end());
  std::vector<Panel> panels;
  double from = lower_;
  for (const double end : ends) {
    // Rather a short panel less than one that is all rounding: its neighbour grows by as much.
    const bool narrow = end - from <= kNarrowest * std::max(upper_ - lower_, std::abs(end));
    if (narrow && end < upper_) continue;
    if (narrow && !panels.empty()) {
      panels.back().upper = upper_;
      continue;
    }
    Panel panel;
    panel.lower = from;
    panel.upper = end;
    panels.push_back(panel);
    from = end;
  }
  return panels;
}

Estimate Distribution1d::integral(const Panel& panel) const {
  const RuleValues values = panel.relative(log_top_);
  const double kronrod = panel.half() * weighted_sum(kronrod_weights(), values);
  const double gauss = panel.half() * weighted_sum(gauss_weights(), values);
  return {kronrod, std::abs(kronrod - gauss)};
}

// A peak stands at an end of the panel, and all nodes lie far below it: the rule has not seen it.
bool Distribution1d::misses_peak(const Panel& panel) const {
  const double end = std::max(panel.log_lower, panel.log_upper);
  const double seen = *std::max_element(panel.log_values.begin(), panel.log_values.end());
  return end > log_top_ - kNegligible && end - seen > kUnseenFall;
}

void Distribution1d::split(const std::vector<std::size_t>& chosen, std::vector<double> cuts) {
  std::vector<Panel> fresh(2 * chosen.size());
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    const Panel& old = panels_[chosen[k]];
    fresh[2 * k].lower = old.lower;
    fresh[2 * k].upper = fresh[2 * k + 1].lower = cuts[k];
    fresh[2 * k + 1].upper = old.upper;
  }
  evaluate(fresh);
  std::vector<Panel> all;
  all.reserve(panels_.size() + chosen.size());
  for (std::size_t i = 0, k = 0; i < panels_.size(); ++i) {
    if (k < chosen.size() && chosen[k] == i) {
      all.push_back(fresh[2 * k]);
      all.push_back(fresh[2 * k + 1]);
      ++k;
    } else {
      all.push_back(panels_[i]);
    }
  }
  panels_ = std::move(all);
}

// Halves the panels that keep the error above the tolerance; false when it is reached or nothing can be cut.
bool Distribution1d::split_once() {
  std::vector<Estimate> parts;
  double total = 0, error = 0;
  bool unseen = false;
  for (const Panel& panel : panels_) {
    parts.push_back(integral(panel));
    total += parts.back().value;
    error += parts.back().error;
    unseen = unseen || misses_peak(panel);
  }
  total_ = total;
  error_ = error / total;
  if (error <= options_.tolerance * total && !unseen) return false;
  if (points_ > options_.max_points) return false;
  const double share = 0.5 * options_.tolerance * total / static_cast<double>(panels_.size());
  std::vector<std::size_t> chosen;
  std::vector<double> cuts;
  for (std::size_t i = 0; i < panels_.size(); ++i) {
    const Panel& panel = panels_[i];
    const double narrow =
        kNarrowest * std::max({(upper_ - lower_) * 1e-3, std::abs(panel.lower), std::abs(panel.upper)});
    if ((parts[i].error > share || misses_peak(panel)) && panel.upper - panel.lower > narrow) {
      chosen.push_back(i);
      cuts.push_back(panel.centre());
    }
  }
  if (chosen.empty()) return false;
  split(chosen, std::move(cuts));
  return true;
}

void Distribution1d::refine() {
  while (split_once()) {
  }
}

Profile Distribution1d::profile() const {
  Profile all;
  const auto add = [&](double y, double value) {
    all.y.push_back(y);
    all.value.push_back(value);
  };
  for (const Panel& panel : panels_) {
    add(panel.lower, panel.log_lower);
    for (std::size_t i = 0; i < kRulePoints; ++i)
      add(panel.centre() + panel.half() * rule_nodes()[i], panel.log_values[i]);
  }
  add(upper_, panels_.back().log_upper);
  return all;
}

// Panels refined by now may show peaks the grid did not; each becomes an end of panels.
void Distribution1d::add_unseen_peaks() {
  const Profile seen = profile();
  const auto found = find_peaks([this](auto y, auto out) { checked(y, out); }, seen, peaks_);
  std::vector<Peak> all = peaks_;
  all.insert(all.end(), found.begin(), found.end());
  all = prominent_peaks(std::move(all), seen);
  std::vector<std::size_t> chosen;
  std::vector<double> cuts;
  for (const Peak& peak : all) {
    log_top_ = std::max(log_top_, peak.value);
    const auto index = static_cast<std::size_t>(&panel_at(peak.y) - panels_.data());
    const double room = 1e-6 * (panels_[index].upper - panels_[index].lower);
    const bool inside = peak.y > panels_[index].lower + room && peak.y < panels_[index].upper - room;
    if (!inside || (!chosen.empty() && chosen.back() == index)) continue;
    chosen.push_back(index);
    cuts.push_back(peak.y);
  }
  if (!chosen.empty()) split(chosen, std::move(cuts));
  peaks_ = std::move(all);
}

void Distribution1d::finish() {
  double below = 0;
  for (Panel& panel : panels_) {
    panel.density = RulePolynomial(panel.relative(log_top_));
    panel.below = below;
    below += panel.half() * panel.density.integral_to(1);
  }
  total_ = below;
  peaks_ = prominent_peaks(std::move(peaks_), profile());
}

const Distribution1d::Panel& Distribution1d::panel_at(double y) const {
  const auto after = std::upper_bound(panels_.begin(), panels_.end(), y,
                                      [](double v, const Panel& p) { return v < p.lower; });
  return after == panels_.begin() ? *after : *(after - 1);
}

}  // namespace bl::gibbs
