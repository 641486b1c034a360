#include "gibbs/peaks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bl::gibbs {

namespace {

constexpr std::size_t kInner = 10;  // points per bracket and round: the bracket shrinks 5.5-fold
constexpr int kRounds = 24;         // 5.5^-24 is below machine precision

struct Bracket {
  double lower, upper;
  Peak best;
};

// Nothing is left to gain: the bracket, or the function on it, is down to rounding.
bool settled(const Bracket& bracket, const double* values) {
  const double rounding = 4 * std::numeric_limits<double>::epsilon();
  const double lowest = *std::min_element(values, values + kInner);
  return bracket.upper - bracket.lower <= rounding * std::abs(bracket.best.y) ||
         bracket.best.value - lowest <= rounding * std::abs(bracket.best.value);
}

void shrink(const LogDensity1d& function, std::vector<Bracket>& brackets) {
  std::vector<double> y(brackets.size() * kInner), value(y.size());
  bool moving = true;
  for (int round = 0; round < kRounds && moving; ++round) {
    for (std::size_t b = 0; b < brackets.size(); ++b)
      for (std::size_t k = 0; k < kInner; ++k)
        y[b * kInner + k] = brackets[b].lower + (brackets[b].upper - brackets[b].lower) *
                                                    static_cast<double>(k + 1) /
                                                    static_cast<double>(kInner + 1);
    function(y, value);
    moving = false;
    for (std::size_t b = 0; b < brackets.size(); ++b) {
      Bracket& bracket = brackets[b];
      const double* own = value.data() + b * kInner;
      for (std::size_t k = 0; k < kInner; ++k)
        if (own[k] > bracket.best.value) bracket.best = {y[b * kInner + k], own[k]};
      const double spacing = (bracket.upper - bracket.lower) / static_cast<double>(kInner + 1);
      bracket.lower = std::max(bracket.lower, bracket.best.y - spacing);
      bracket.upper = std::min(bracket.upper, bracket.best.y + spacing);
      moving = moving || !settled(bracket, own);
    }
  }
}

}  // namespace

std::vector<Peak> find_peaks(const LogDensity1d& function, const Profile& profile,
                             const std::vector<Peak>& known) {
  const auto& value = profile.value;
  const std::size_t n = value.size();
  std::vector<Peak> peaks;
  std::vector<Bracket> brackets;
  for (std::size_t from = 0, to = 0; from < n; from = to) {
    while (to < n && value[to] == value[from]) ++to;
    const bool above_left = from == 0 || value[from - 1] < value[from];
    const bool above_right = to == n || value[to] < value[from];
    if (!above_left || !above_right) continue;
    const double left = profile.y[from == 0 ? 0 : from - 1], right = profile.y[std::min(to, n - 1)];
    const bool is_known = std::any_of(known.begin(), known.end(), [&](const Peak& peak) {
      return peak.y >= left && peak.y <= right && peak.value >= value[from];
    });
    if (is_known) continue;
    if (to - from > 1)
      peaks.push_back({(profile.y[from] + profile.y[to - 1]) / 2, value[from]});
    else
      brackets.push_back({left, right, Peak{profile.y[from], value[from]}});
  }
  if (!brackets.empty()) shrink(function, brackets);
  for (const Bracket& bracket : brackets) peaks.push_back(bracket.best);
  std::sort(peaks.begin(), peaks.end(), [](const Peak& a, const Peak& b) { return a.y < b.y; });
  return peaks;
}

std::vector<Peak> prominent_peaks(std::vector<Peak> peaks, const Profile& profile) {
  std::sort(peaks.begin(), peaks.end(), [](const Peak& a, const Peak& b) { return a.y < b.y; });
  std::vector<Peak> kept;
  for (const Peak& peak : peaks) {
    if (kept.empty()) {
      kept.push_back(peak);
      continue;
    }
    const auto from = std::upper_bound(profile.y.begin(), profile.y.end(), kept.back().y) - profile.y.begin();
    const auto to = std::lower_bound(profile.y.begin(), profile.y.end(), peak.y) - profile.y.begin();
    const double lower_peak = std::min(kept.back().value, peak.value);
    double valley = lower_peak;
    for (auto i = from; i < to; ++i) valley = std::min(valley, profile.value[static_cast<std::size_t>(i)]);
    if (lower_peak - valley > kProminence * std::max(1.0, std::abs(lower_peak)))
      kept.push_back(peak);
    else if (peak.value > kept.back().value)
      kept.back() = peak;
  }
  return kept;
}

}  // namespace bl::gibbs
