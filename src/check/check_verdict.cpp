// What a check found, in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/joined.hpp"
#include "bl/check.hpp"
#include "check/recovery.hpp"

namespace bl {

namespace {

constexpr double kMostFailures = 0.05;  // share of refits without standard errors
constexpr double kBias = 0.5;           // of an estimate's standard deviation: worth a sentence
constexpr double kDeviations = 3;       // beyond what chance explains
constexpr double kNominal = 0.95, kSlack = 0.02;
constexpr double kTogether = 0.05;  // chance of a false alarm over all parameters
constexpr double kBeyond = 2.5758;  // standard deviations that chance leaves in 1% of cases

double binomial_error(const RecoveryRound& round) {
  const double counted = static_cast<double>(round.replications - round.failed());
  return counted > 0 ? std::sqrt(kNominal * (1 - kNominal) / counted) : 1;
}

// Names in a sentence, the first few.
std::string listed(const std::vector<std::string>& names) {
  const std::string out = joined(std::span(names).first(std::min<std::size_t>(names.size(), 4)));
  return names.size() > 4 ? fmt::format("{} and {} more", out, names.size() - 4) : out;
}

// The same with how often their intervals hold the truth.
std::string listed_coverage(const RecoveryRound& round, const std::vector<std::string>& names) {
  std::vector<std::string> words;
  for (const std::string& name : names)
    for (const RecoveredParameter& p : round.parameters)
      if (p.name == name) words.push_back(fmt::format("{} ({:.1f}%)", name, 100 * p.coverage));
  return listed(words);
}

std::vector<std::string> biased(const RecoveryRound& round) {
  std::vector<std::string> names;
  const auto counted = static_cast<double>(round.replications - round.failed());
  for (const RecoveredParameter& p : round.parameters) {
    const double shift = std::abs(p.mean - p.truth);
    if (shift > kBias * p.standard_deviation &&
        shift > kDeviations * p.standard_deviation / std::sqrt(counted))
      names.push_back(p.name);
  }
  return names;
}

// Holm's procedure: from the most to the least striking coverage, each against the chance of one so striking
// among those that are left. What is inside 93 to 97% is good enough whatever the replications tell.
std::vector<std::string> badly_covered(const RecoveryRound& round) {
  std::vector<std::pair<double, const RecoveredParameter*>> by_chance;
  for (const RecoveredParameter& p : round.parameters)
    if (const double chance = chance_of_coverage(p); !std::isnan(chance)) by_chance.emplace_back(chance, &p);
  std::sort(by_chance.begin(), by_chance.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> names;
  for (std::size_t i = 0; i < by_chance.size(); ++i) {
    if (!(by_chance[i].first < kTogether / static_cast<double>(by_chance.size() - i))) break;
    if (std::abs(by_chance[i].second->coverage - kNominal) > kSlack)
      names.push_back(by_chance[i].second->name);
  }
  return names;
}

// All parameters together. Their intervals come from the same replications, so that their mean is known no
// better than one of them at worst.
bool badly_covered_together(const RecoveryRound& round) {
  const double shift = std::abs(round.mean_coverage - kNominal);
  return shift > kSlack && shift > kBeyond * binomial_error(round);
}

std::string precision_words(const RecoveryRound& round) {
  return fmt::format(" With {} refits a coverage is known to {:.1f} points, plus or minus (95%).",
                     round.replications - round.failed(), 100 * 1.96 * binomial_error(round));
}

std::string verdict(const RecoveryRound& round, bool enough, bool honest) {
  if (enough && honest)
    return fmt::format(
        "Sound: at {} rows the standard errors of this model mean what they say; its 95% intervals hold the "
        "truth in {:.1f}% of {} simulated fits.{}",
        round.rows, 100 * round.mean_coverage, round.replications, precision_words(round));
  if (!enough)
    return fmt::format(
        "Too much for {} rows: {}; where refits have no standard errors, those of this fit cannot be relied "
        "on.",
        round.rows, failure_words(round));
  return fmt::format(
      "Not sound: at {} rows the 95% intervals of this model hold the truth in {:.1f}% of simulated fits; "
      "read "
      "its standard errors with caution, and prefer more rows, fewer heads or `bootstrap`.{}",
      round.rows, 100 * round.mean_coverage, precision_words(round));
}

}  // namespace

void judge(CheckReport& report) {
  const RecoveryRound& round = report.recovery;
  const bool enough =
      static_cast<double>(round.failed()) <= kMostFailures * static_cast<double>(round.replications);
  const std::vector<std::string> off = badly_covered(round), shifted = biased(round);
  const bool honest = !badly_covered_together(round) && off.empty();
  report.sound = enough && honest && shifted.empty();
  report.findings = {verdict(round, enough, honest && shifted.empty())};
  if (enough && round.failed() > 0) report.findings.push_back("Refits: " + failure_words(round) + ".");
  if (round.lower > 0)
    report.findings.push_back(fmt::format(
        "In {} of {} refits a random start ended lower than the one from the model's own parameters: "
        "there are other optima.",
        round.lower, round.replications));
  if (!off.empty())
    report.findings.push_back("Intervals are off by more than chance for " + listed_coverage(round, off) +
                              ".");
  if (!shifted.empty())
    report.findings.push_back("Estimates are shifted by more than half their standard deviation for " +
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
  out += "  Parameters are those of standardised columns. * outside 93-97% beyond chance.\n\n";
  return out;
}

}  // namespace bl
