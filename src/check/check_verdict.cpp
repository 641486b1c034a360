// What a check found, in words.
#include <fmt/format.h>

#include <cmath>

#include "bl/check.hpp"
#include "check/recovery.hpp"

namespace bl {

namespace {

constexpr double kMostFailures = 0.05;  // share of refits without standard errors
constexpr double kBias = 0.5;           // of an estimate's deviation: worth a sentence
constexpr double kDeviations = 3;       // beyond what chance explains
constexpr double kNominal = 0.95, kSlack = 0.02;

double binomial_error(const RecoveryRound& round) {
  const double counted = static_cast<double>(round.replications - round.failed());
  return counted > 0 ? std::sqrt(kNominal * (1 - kNominal) / counted) : 1;
}

// Names in a sentence, the first few.
std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 4); ++i)
    out += (i > 0 ? ", " : "") + names[i];
  return names.size() > 4 ? fmt::format("{} and {} more", out, names.size() - 4) : out;
}

std::vector<std::string> biased(const RecoveryRound& round) {
  std::vector<std::string> names;
  const auto counted = static_cast<double>(round.replications - round.failed());
  for (const RecoveredParameter& p : round.parameters) {
    const double shift = std::abs(p.mean - p.truth);
    if (shift > kBias * p.deviation && shift > kDeviations * p.deviation / std::sqrt(counted))
      names.push_back(p.name);
  }
  return names;
}

std::vector<std::string> badly_covered(const RecoveryRound& round) {
  std::vector<std::string> names;
  for (const RecoveredParameter& p : round.parameters)
    if (std::abs(p.coverage - kNominal) > kSlack + kDeviations * binomial_error(round))
      names.push_back(p.name);
  return names;
}

std::string verdict(const RecoveryRound& round, bool enough, bool honest) {
  if (enough && honest)
    return fmt::format(
        "Sound: at {} rows the standard errors of this model mean what they say; its 95% intervals hold the "
        "truth in {:.1f}% of {} simulated fits.",
        round.rows, 100 * round.mean_coverage, round.replications);
  if (!enough)
    return fmt::format(
        "Too much for {} rows: {}; where refits have no standard errors, those of this fit cannot be relied "
        "on.",
        round.rows, failure_words(round));
  return fmt::format(
      "Not sound: at {} rows the 95% intervals of this model hold the truth in {:.1f}% of simulated fits; "
      "read "
      "its standard errors with caution, and prefer more rows, fewer heads or `bootstrap`.",
      round.rows, 100 * round.mean_coverage);
}

}  // namespace

void judge(CheckReport& report) {
  const RecoveryRound& round = report.recovery;
  const bool enough =
      static_cast<double>(round.failed()) <= kMostFailures * static_cast<double>(round.replications);
  const std::vector<std::string> off = badly_covered(round), shifted = biased(round);
  const bool honest =
      std::abs(round.mean_coverage - kNominal) <= kSlack + binomial_error(round) && off.empty();
  report.sound = enough && honest && shifted.empty();
  report.findings = {verdict(round, enough, honest && shifted.empty())};
  if (enough && round.failed() > 0) report.findings.push_back("Refits: " + failure_words(round) + ".");
  if (round.elsewhere > 0)
    report.findings.push_back(fmt::format(
        "In {} of {} refits a random start ended lower than the one from the model's own parameters: "
        "there are other optima.",
        round.elsewhere, round.replications));
  if (!off.empty())
    report.findings.push_back("Intervals are off by more than chance for " + listed(off) + ".");
  if (!shifted.empty())
    report.findings.push_back("Estimates are shifted by more than half their deviation for " +
                              listed(shifted) + ".");
}

std::string check_json(const CheckReport& report) {
  nlohmann::ordered_json out = {{"response", report.response},
                                {"objective", report.objective},
                                {"sound", report.sound},
                                {"findings", report.findings}};
  out.update(recovery_json(report.recovery));
  return out.dump(2) + "\n";
}

std::string check_text(const CheckReport& report) {
  const RecoveryRound& round = report.recovery;
  std::string out = fmt::format("{} by {}: {} refits to responses drawn from the model at {} rows\n\n",
                                report.response, report.objective, round.replications, round.rows);
  out += recovery_table(round) + "\n";
  if (round.failed() < round.replications)
    out += fmt::format("  intervals that hold the truth: {:.1f}% of 50%, {:.1f}% of 80%, {:.1f}% of 95%\n",
                       100 * round.shares[0], 100 * round.shares[1], 100 * round.shares[2]);
  if (round.median_variance_ratio > 0)
    out +=
        fmt::format("  variance over the information bound: {:.2f} (median)\n", round.median_variance_ratio);
  out += "  Parameters are those of standardised columns. * outside 93.0-97.0%.\n\n";
  return out;
}

}  // namespace bl
