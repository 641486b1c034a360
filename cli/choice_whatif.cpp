#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bl/errors.hpp"
#include "choice.hpp"
#include "choice_text.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace bl::cli {

using nlohmann::ordered_json;

namespace {

// "car.cost=cost * 1.1"
ChoiceScenario::Change change_from_text(const std::string& text) {
  const std::size_t equals = text.find('='), dot = text.rfind('.', equals);
  if (equals == std::string::npos || dot == std::string::npos)
    throw UsageError(fmt::format(
        "--change '{}': expected ALTERNATIVE.ATTRIBUTE=EXPRESSION, for example car.cost='cost * 1.1'", text));
  return {trimmed(text.substr(0, dot)), trimmed(text.substr(dot + 1, equals - dot - 1)),
          text.substr(equals + 1)};
}

// "taxi=car"
ChoiceScenario::Addition addition_from_text(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    throw UsageError(fmt::format(
        "--add '{}': expected NEW=ALTERNATIVE, the one it is like, for example taxi=car; --change "
        "taxi.ATTRIBUTE=... then says where it differs",
        text));
  return {trimmed(text.substr(0, equals)), trimmed(text.substr(equals + 1))};
}

void print_whatif(const Model& model, const WhatIf& result, const std::string& money,
                  const EconomicsErrors& options) {
  const bool errors = !std::isnan(result.surplus_error);
  say("{:<20}{:>11}{:>11}{:>11}{}{:>12}\n", "market shares", "before", "after", "change",
      errors ? "       s.e." : "", "diversion");
  for (std::size_t j = 0; j < result.alternatives.size(); ++j) {
    say("{:<20.19}{:>11.4f}{:>11.4f}{:>+11.4f}{}{:>12}\n", result.alternatives[j], result.before[j],
        result.after[j], result.after[j] - result.before[j],
        errors ? fmt::format("{:>11.4f}", result.change_error[j]) : "",
        std::isnan(result.diversion[j]) ? "-" : fmt::format("{:.4f}", result.diversion[j]));
    if (errors && options.draws > 0)
      say("{:<42}{:>+11.4f} to {:+.4f}\n", "", result.change_interval[j].lower,
          result.change_interval[j].upper);
  }
  for (const std::string& note : result.notes) say("\n{}\n", wrapped(note, 0));
  if (std::isnan(result.surplus_change)) return;
  say("\nconsumer surplus (log-sum), mean change per situation\n  {:+.6f} in utility{}\n",
      result.surplus_change, error_text(result.surplus_error, result.surplus_interval));
  if (!money.empty())
    say("  {:+.6f} in units of {}{}\n", result.money_change, money,
        error_text(result.money_error, result.money_interval));
  say("{}\n", wrapped(errors ? errors_note(options) : no_errors_note(model), 2));
}

}  // namespace

ChoiceWhatIfOptions::ChoiceWhatIfOptions(CLI::App& command) {
  const std::string group = "Choices among alternatives";
  command
      .add_option("--change", change, "ALTERNATIVE.ATTRIBUTE=EXPRESSION of its attributes; may be repeated")
      ->option_text("TEXT")
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--add", add, "NEW=ALTERNATIVE: a further alternative, like that one; may be repeated")
      ->option_text("TEXT")
      ->allow_extra_args(false)
      ->group(group);
  command.add_option("--withdraw", withdraw, "Alternatives to take away, comma-separated")
      ->option_text("NAMES")
      ->group(group);
  command.add_option("--money", money, "The attribute that is a cost, to count the surplus in it")
      ->option_text("NAME")
      ->group(group);
  command.add_option("--by", by, "Answers for each level of this column of the person")
      ->option_text("COLUMN")
      ->group(group);
  add_error_options(command, errors);
}

void ChoiceWhatIfOptions::run(const Model& model, const Data& data, bool json, std::size_t threads,
                              const std::string& rows, TableFormat format) const {
  ChoiceScenario scenario;
  for (const std::string& text : add) scenario.added.push_back(addition_from_text(text));
  for (const std::string& text : change) scenario.changes.push_back(change_from_text(text));
  scenario.withdrawn = name_list(withdraw);
  if (scenario.added.empty() && scenario.changes.empty() && scenario.withdrawn.empty())
    throw UsageError("nothing to change; give --change, --add or --withdraw");
  const auto write_rows = [&](const OutputTable& table) {
    write_text(rows, format_table(table, format, true));
  };
  if (rows == "-") return write_rows(what_if_rows(model, data, scenario, threads));
  if (by.empty()) {
    const WhatIf result = what_if(model, data, scenario, money, threads, errors);
    if (!rows.empty()) write_rows(result.rows);
    return json ? write_text("-", whatif_json(result).dump(2) + "\n")
                : print_whatif(model, result, money, errors);
  }
  ordered_json all = {{"by", by}, {"segments", ordered_json::object()}};
  for (const Segment& segment : segments(model, data, by)) {
    const WhatIf result = what_if(model, segment.data, scenario, money, threads, errors);
    if (json) {
      all["segments"][segment.level] = whatif_json(result);
      continue;
    }
    say("{}", segment_title(by, segment));
    print_whatif(model, result, money, errors);
    say("\n");
  }
  if (json) write_text("-", all.dump(2) + "\n");
}

ordered_json ChoiceWhatIfOptions::whatif_json(const WhatIf& result) const {
  ordered_json out = {{"alternatives", result.alternatives},
                      {"before", result.before},
                      {"after", result.after},
                      {"change_error", result.change_error},
                      {"diversion", result.diversion},
                      {"surplus_change", result.surplus_change},
                      {"surplus_error", result.surplus_error}};
  if (!money.empty()) {
    out["money_change"] = result.money_change;
    out["money_error"] = result.money_error;
  }
  if (errors.draws > 0) {
    out["change_interval"] = intervals_json(result.change_interval);
    out["surplus_interval"] = interval_json(result.surplus_interval);
    if (!money.empty()) out["money_interval"] = interval_json(result.money_interval);
  }
  if (!result.notes.empty()) out["notes"] = result.notes;
  return out;
}

}  // namespace bl::cli
