// What the commands print for models of choices among alternatives.
#include "choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "bl/errors.hpp"
#include "choice_text.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

using nlohmann::ordered_json;

std::string warnings_text(const std::vector<std::string>& warnings) {
  std::string out;
  for (const std::string& one : warnings) out += wrapped("warning: " + one, 2) + "\n";
  return warnings.empty() ? out : "\n" + out;
}

// Whether they differ between situations.
bool have_quartiles(const ChoiceSlopes& slopes) {
  for (std::size_t j = 0; j < slopes.lower_quartile.size(); ++j)
    if (slopes.upper_quartile[j] - slopes.lower_quartile[j] > 1e-9 * std::abs(slopes.mean[j])) return true;
  return false;
}

std::string slopes_text(const ChoiceSlopes& slopes, const std::string& attribute) {
  const bool quartiles = have_quartiles(slopes);
  std::string out = quartiles ? fmt::format("marginal utility of {:<14.14}{:>9}{:>24}{:>9}\n", attribute,
                                            "mean", "quartiles", "below 0")
                              : fmt::format("marginal utility of {:<14}{:>14}{:>22}\n", attribute, "mean",
                                            "situations below 0");
  for (std::size_t j = 0; j < slopes.alternatives.size(); ++j)
    out += quartiles ? fmt::format("{:<31.30}{:>12.6f}{:>12.6f}{:>12.6f}{:>8.1f}%\n", slopes.alternatives[j],
                                   slopes.mean[j], slopes.lower_quartile[j], slopes.upper_quartile[j],
                                   100 * slopes.negative[j])
                     : fmt::format("{:<34.33}{:>14.6f}{:>21.1f}%\n", slopes.alternatives[j], slopes.mean[j],
                                   100 * slopes.negative[j]);
  return out + warnings_text(slopes.warnings);
}

// "from -1.2 to -0.8", what the members of a network say.
std::string members_words(double low, double high) {
  return fmt::format("from {:.4f} to {:.4f}", low, high);
}

std::string interval_lines(const std::vector<Interval>& all, std::size_t from, std::size_t to) {
  std::string lower = fmt::format("{:<16}", "  from"), upper = fmt::format("{:<16}", "  to");
  for (std::size_t k = from; k < to; ++k) {
    lower += fmt::format("{:>12.4f}", all[k].lower);
    upper += fmt::format("{:>12.4f}", all[k].upper);
  }
  return lower + "\n" + upper + "\n";
}

std::string elasticities_text(const ChoiceElasticities& e, const std::string& attribute, int draws) {
  const std::size_t n = e.alternatives.size();
  const bool errors = n > 0 && !std::isnan(e.errors[0][0]);
  std::string out = fmt::format(
      "\n{}\n", wrapped(fmt::format("elasticities: percent change of the row's share per percent of "
                                    "the column's {}{}",
                                    attribute, errors ? "; standard errors below" : ""),
                        2));
  constexpr std::size_t kColumns = 5;  // of alternatives that fit into a line
  for (std::size_t from = 0; from < n; from += kColumns) {
    const std::size_t to = std::min(n, from + kColumns);
    out += fmt::format("{:<16}", "");
    for (std::size_t k = from; k < to; ++k) out += fmt::format("{:>12.11}", e.alternatives[k]);
    out += fmt::format("\n");
    for (std::size_t j = 0; j < n; ++j) {
      out += fmt::format("{:<16.15}", e.alternatives[j]);
      for (std::size_t k = from; k < to; ++k) out += fmt::format("{:>12.4f}", e.by[j][k]);
      if (errors) out += fmt::format("\n{:<16}", "");
      for (std::size_t k = from; errors && k < to; ++k)
        out += fmt::format("{:>12}", fmt::format("({:.4f})", e.errors[j][k]));
      out += fmt::format("\n");
      if (errors && draws > 0) out += interval_lines(e.intervals[j], from, to);
    }
  }
  for (std::size_t j = 0; j < e.members.size(); ++j)
    out += fmt::format("  {:<30}{}\n", (j == 0 ? "members, own: " : "              ") + e.alternatives[j],
                       members_words(e.members[j][j].lower, e.members[j][j].upper));
  return out + warnings_text(e.warnings);
}

std::string trade_off_text(const ChoiceTradeOff& ratio, const std::string& attribute,
                           const std::string& money) {
  const double value = ratio.value == 0 ? 0 : ratio.value;  // no minus before a zero
  std::string out = fmt::format("\nvalue of {} in units of {}: {:.6f}", attribute, money, value);
  if (value == 0 && ratio.standard_error == 0)
    return out + " (its coefficient is held at 0, so there is no error)\n";
  if (!std::isnan(ratio.standard_error))
    return out + error_text(ratio.standard_error, ratio.interval) + "\n" + warnings_text(ratio.warnings);
  out += fmt::format(" (median; quartiles {:.6f} and {:.6f})\n", ratio.lower_quartile, ratio.upper_quartile);
  for (std::size_t j = 0; j < ratio.alternatives.size(); ++j)
    if (!std::isnan(ratio.by[j]))
      out += fmt::format("  {:<20.19}{:>12.6f}{}\n", ratio.alternatives[j], ratio.by[j],
                         error_text(ratio.errors[j], ratio.intervals[j]));
  if (!ratio.members.empty()) {
    const auto [low, high] = std::minmax_element(ratio.members.begin(), ratio.members.end());
    out += fmt::format("  {} members: {}\n", ratio.members.size(), members_words(*low, *high));
  }
  return out + warnings_text(ratio.warnings);
}

ordered_json economics_json(const AttributeEconomics& of, int draws) {
  const ChoiceSlopes& slopes = of.slopes;
  const ChoiceElasticities& elasticities = of.elasticities;
  const std::optional<ChoiceTradeOff>& ratio = of.trade_off;
  ordered_json out = {
      {"alternatives", slopes.alternatives},      {"marginal_utility", slopes.mean},
      {"share_below_zero", slopes.negative},      {"elasticities", elasticities.by},
      {"elasticity_errors", elasticities.errors},
  };
  if (have_quartiles(slopes)) {
    out["lower_quartile"] = slopes.lower_quartile;
    out["upper_quartile"] = slopes.upper_quartile;
  }
  if (!slopes.members.empty()) out["members"] = slopes.members;
  for (const auto& row : elasticities.members) out["elasticity_members"].push_back(intervals_json(row));
  out["warnings"] = slopes.warnings;
  for (const std::string& one : elasticities.warnings) out["warnings"].push_back(one);
  for (const auto& row : elasticities.intervals)
    if (draws > 0) out["elasticity_intervals"].push_back(intervals_json(row));
  if (ratio)
    out["value"] = {{"value", ratio->value},
                    {"standard_error", ratio->standard_error},
                    {"lower_quartile", ratio->lower_quartile},
                    {"upper_quartile", ratio->upper_quartile},
                    {"by_alternative", ratio->by},
                    {"errors", ratio->errors},
                    {"members", ratio->members},
                    {"warnings", ratio->warnings}};
  if (ratio && draws > 0) {
    out["value"]["interval"] = interval_json(ratio->interval);
    out["value"]["intervals"] = intervals_json(ratio->intervals);
  }
  return out;
}

}  // namespace

void add_error_options(CLI::App& command, EconomicsErrors& errors) {
  const std::string group = "Choices among alternatives";
  command.add_option("--covariance", errors.covariance, "Of errors; cluster: by person")
      ->option_text("robust|classical|cluster")
      ->group(group);
  add_number(command, "--draws", errors.draws,
             "Also intervals of Krinsky and Robb, from so many draws of the coefficients", 0, 1000000)
      ->group(group);
  command.add_option("--level", errors.level, "Of these intervals")->option_text("[0.95]")->group(group);
  add_seed(command, errors.seed, "Of what is drawn")->group(group);
}

void check_error_options(const CLI::App& command, const EconomicsErrors& errors, bool drawn) {
  only_for(command, {"--level"}, errors.draws > 0, "intervals; give --draws");
  only_for(command, {"--seed"}, errors.draws > 0 || drawn, "what is drawn; give --draws");
}

OutputTable shares_by(const Model& model, const Data& data, const std::string& column, std::size_t threads) {
  OutputTable out;
  OutputColumn levels{column, {}, {}};
  for (const Segment& segment : segments(model, data, column)) {
    const OutputTable one = market_shares(model, segment.data, Part::all, threads);
    levels.texts.insert(levels.texts.end(), one.rows, segment.level);
    out.rows += one.rows;
    out.columns.resize(one.columns.size());
    for (std::size_t k = 0; k < one.columns.size(); ++k) {
      OutputColumn& to = out.columns[k];
      const OutputColumn& from = one.columns[k];
      to.name = from.name;
      to.numbers.insert(to.numbers.end(), from.numbers.begin(), from.numbers.end());
      to.texts.insert(to.texts.end(), from.texts.begin(), from.texts.end());
    }
  }
  out.columns.insert(out.columns.begin(), std::move(levels));
  return out;
}

namespace {

std::vector<AttributeEconomics> answers_of(const Model& model, const Data& data,
                                           const ChoiceEconomicsRun& run) {
  std::vector<std::string> names = name_list(run.attributes);
  if (names.empty()) names = attributes(model);
  return attribute_economics(model, data, names, run.money, run.threads, run.errors);
}

}  // namespace

ordered_json choice_economics_json(const Model& model, const Data& data, const ChoiceEconomicsRun& run) {
  ordered_json out = ordered_json::object();
  if (run.by.empty()) {
    for (const AttributeEconomics& one : answers_of(model, data, run))
      out[one.attribute] = economics_json(one, run.errors.draws);
    return out;
  }
  ChoiceEconomicsRun of_segment = run;
  of_segment.by = "";
  out = {{"by", run.by}, {"segments", ordered_json::object()}};
  for (const Segment& segment : segments(model, data, run.by))
    out["segments"][segment.level] = choice_economics_json(model, segment.data, of_segment);
  return out;
}

std::string choice_economics(const Model& model, const Data& data, const ChoiceEconomicsRun& run) {
  std::string out;
  if (!run.by.empty()) {
    ChoiceEconomicsRun of_segment = run;
    of_segment.by = "";
    for (const Segment& segment : segments(model, data, run.by))
      out += (out.empty() ? "" : "\n") + segment_title(run.by, segment) +
             choice_economics(model, segment.data, of_segment);
    return out;
  }
  for (const AttributeEconomics& one : answers_of(model, data, run)) {
    if (!out.empty()) out += "\n";
    out += slopes_text(one.slopes, one.attribute) +
           elasticities_text(one.elasticities, one.attribute, run.errors.draws);
    if (one.trade_off) out += trade_off_text(*one.trade_off, one.attribute, run.money);
  }
  const bool known =
      out.find("s.e. ") != std::string::npos || out.find("standard errors below") != std::string::npos;
  return out + "\n" + wrapped(known ? errors_note(run.errors, run.clusters) : no_errors_note(model), 2) +
         "\n";
}

}  // namespace bl::cli
