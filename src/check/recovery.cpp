#include "check/recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace bl {

namespace {

constexpr double kNominalCoverage = 0.95, kLowest = 0.93, kHighest = 0.97;
constexpr double kRare = 0.01;  // chance below which a coverage is starred

nlohmann::ordered_json number(double value) {
  return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json();
}

std::string percent(double share) {
  return std::isnan(share) ? "-" : fmt::format("{:.1f}", 100 * share);
}

// At most 8 characters: a column of 9 keeps its distance.
std::string figure(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  const std::string text = fmt::format("{:.{}g}", value, digits);
  return text.size() <= 8 ? text : fmt::format("{:.1e}", value);
}

}  // namespace

nlohmann::ordered_json recovery_json(const RecoveryRound& round) {
  nlohmann::ordered_json out = {{"rows", round.rows},
                                {"replications", round.replications},
                                {"not_converged", round.not_converged},
                                {"at_bound", round.at_bound},
                                {"unidentified", round.unidentified},
                                {"starts_found_again", round.found_again},
                                {"lower_optimum", round.lower},
                                {"starts_ended_higher", round.worse},
                                {"error", number(round.error)},
                                {"mean_coverage", number(round.mean_coverage)},
                                {"median_variance_ratio", number(round.median_variance_ratio)},
                                {"share_of_50", number(round.shares[0])},
                                {"share_of_80", number(round.shares[1])},
                                {"share_of_95", number(round.shares[2])}};
  for (const RecoveredParameter& p : round.parameters)
    out["parameters"].push_back({{"name", p.name},
                                 {"truth", p.truth},
                                 {"mean", number(p.mean)},
                                 {"standard_deviation", number(p.standard_deviation)},
                                 {"standard_error", number(p.standard_error)},
                                 {"coverage", number(p.coverage)},
                                 {"classical_coverage", number(p.classical_coverage)},
                                 {"bound", number(p.bound)},
                                 {"variance_ratio", number(std::pow(p.standard_deviation / p.bound, 2))},
                                 {"intervals", p.intervals}});
  return out;
}

std::string decimals(double value, int digits) {
  if (!std::isfinite(value)) return "-";
  return std::abs(value) < 1e5 ? fmt::format("{:.{}f}", value, digits) : fmt::format("{:.1e}", value);
}

namespace {

// Log of the probability of k of n, each with probability p.
double log_binomial(double k, double n, double p) {
  return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) + k * std::log(p) +
         (n - k) * std::log1p(-p);
}

}  // namespace

double chance_of_coverage(const RecoveredParameter& parameter) {
  const auto n = static_cast<double>(parameter.intervals);
  const double covered = std::round(parameter.coverage * n);
  if (!(n > 0) || std::isnan(covered)) return std::numeric_limits<double>::quiet_NaN();
  double below = 0, above = 0;
  for (double k = 0; k <= n; ++k) {
    const double p = std::exp(log_binomial(k, n, kNominalCoverage));
    if (k <= covered) below += p;
    if (k >= covered) above += p;
  }
  return std::min(1.0, 2 * std::min(below, above));
}

bool is_off(const RecoveredParameter& parameter) {
  const bool outside = parameter.coverage < kLowest || parameter.coverage > kHighest;  // unknown is neither
  return outside && chance_of_coverage(parameter) < kRare;
}

std::string recovery_table(const RecoveryRound& round) {
  std::string out = fmt::format("  {:<24}{:>9}{:>9}{:>9}{:>9}{:>9}{:>8}\n", "parameter", "truth", "mean",
                                "sd", "s.e.", "var/J^-1", "cover");
  constexpr std::size_t kNameWidth = 24;
  for (const RecoveredParameter& p : round.parameters) {
    const bool fits = p.name.size() < kNameWidth;  // else on a line of its own
    if (!fits) out += fmt::format("  {}\n", p.name);
    out += fmt::format("  {:<{}}{:>9}{:>9}{:>9}{:>9}{:>9}{:>7}{}\n", fits ? p.name : "", kNameWidth,
                       figure(p.truth, 4), figure(p.mean, 4), figure(p.standard_deviation, 3),
                       figure(p.standard_error, 3), figure(std::pow(p.standard_deviation / p.bound, 2), 3),
                       percent(p.coverage), is_off(p) ? '*' : ' ');
  }
  return out;
}

std::string failure_words(const RecoveryRound& round) {
  std::string out;
  const auto add = [&](std::size_t count, const char* what) {
    if (count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", count, what);
  };
  add(round.not_converged, "reached no minimum");
  add(round.at_bound, "ended with a weight at zero");
  add(round.unidentified, "left a direction open");
  return out.empty() ? out : fmt::format("of {} replications {}", round.replications, out);
}

}  // namespace bl
