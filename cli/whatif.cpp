#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bl/errors.hpp"
#include "bl/output.hpp"
#include "bl/scenario.hpp"
#include "choice.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

struct WhatIfArguments {
  std::string model, data, rows, format = "csv";
  std::vector<std::string> scale;
  bool json = false;
  Scenario scenario;
};

// "L1.B1.T1=2".
std::pair<std::string, double> factor_of(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(fmt::format("--scale-lambda '{}': expected HEAD=FACTOR, for example L1.B1.T1=2", text));
  const std::vector<double> factor = number_list("--scale-lambda", text.substr(equals + 1));
  if (factor.size() != 1)
    throw UsageError(fmt::format("--scale-lambda '{}': expected one number after =", text));
  return {text.substr(0, equals), factor[0]};
}

void print_text(const ScenarioResult& result, std::size_t rows) {
  const auto& columns = result.summary.columns;
  say("Mean over {} rows\n\n  {:<22} {:>10} {:>10} {:>10} {:>10} {:>10}\n", rows, "", "before", "after",
      "change", "smallest", "largest");
  for (std::size_t i = 0; i < result.summary.rows; ++i) {
    say("  {:<22}", columns[0].texts[i]);
    for (std::size_t k = 1; k < columns.size(); ++k)
      say(" {:>10}", k < 3 ? fmt::format("{:.5g}", columns[k].numbers[i])
                           : fmt::format("{:+.4g}", columns[k].numbers[i]));
    say("\n");
  }
  for (const std::string& note : result.notes) say("\n{}\n", wrapped(note, 0));
}

void print_json(const ScenarioResult& result, std::size_t rows) {
  const nlohmann::ordered_json out = {{"rows", rows},
                                      {"summary", nlohmann::ordered_json::parse(json_array(result.summary))},
                                      {"notes", result.notes}};
  write_text("-", out.dump(2) + "\n");
}

void run_whatif(WhatIfArguments& a, const ChoiceWhatIfOptions& choice, const CLI::App& command,
                const Settings& reading) {
  if (command.count("--rows") > 0) check_output_path(command, a.rows);
  const Model model = open_model(command, a.model);
  only_for(command, {"--format"}, !a.rows.empty(), "--rows");
  only_for(command, {"--json"}, a.rows != "-", "the summary, which --rows - leaves out");
  if (command.count("--rows") > 0 && command.count("--by") > 0)
    throw UsageError("--by sums up by segment, and --rows writes every situation; give one of them");
  const TableFormat format = table_format(a.format);
  if (model.is_choice()) {
    only_for(command, {"--set", "--drop-constraint", "--scale-lambda"}, false, kForTables);
    check_error_options(command, choice.errors);
    const bool summary = a.rows != "-";
    only_for(command, kErrorOptions, summary, "the summary, which --rows - leaves out");
    only_for(command, {"--money"}, summary, "the summary, which --rows - leaves out");
    return choice.run(model, model.read(a.data, reading), a.json, a.scenario.threads, a.rows, format);
  }
  only_for(command, {"--change", "--add", "--withdraw", "--money", "--by"}, false,
           std::string(kForChoices) + "; --set changes a column");
  only_for(command, kErrorOptions, false, kForChoices);
  for (const std::string& text : a.scale) a.scenario.scale_lambdas.push_back(factor_of(text));
  const Data data = model.read(a.data, reading);
  const ScenarioResult result = solve_scenario(model, data, a.scenario);
  if (!a.rows.empty()) write_text(a.rows, format_table(result.rows, format, true));
  if (a.rows == "-") return;
  if (a.json)
    print_json(result, data.rows());
  else
    print_text(result, data.rows());
}

}  // namespace

void add_whatif(CLI::App& app) {
  CLI::App* command = app.add_subcommand("whatif", "Change data or the learned problem, and solve it again");
  auto a = std::make_shared<WhatIfArguments>();
  add_model_argument(*command, a->model);
  command->add_option("data", a->data, "Rows to solve it for")->required()->option_text("FILE");
  command
      ->add_option("--set", a->scenario.set,
                   "Change a column by =, +=, -=, *= or /= and an expression; may be repeated")
      ->option_text("\"COLUMN*=EXPRESSION\"")
      ->allow_extra_args(false);
  command
      ->add_option("--drop-constraint", a->scenario.drop_constraints,
                   "Solve without this constraint, for example L1.B2.C1; may be repeated")
      ->option_text("HEAD")
      ->allow_extra_args(false);
  command
      ->add_option("--scale-lambda", a->scale,
                   "Multiply the weight of a head, for example L1.B1.T1=2; may be repeated")
      ->option_text("HEAD=FACTOR")
      ->allow_extra_args(false);
  command
      ->add_option("--rows", a->rows,
                   "Also write every row before, after and its change; - for standard output, then alone")
      ->option_text("FILE");
  command->add_option("--format", a->format, "Of --rows: csv or jsonl")->option_text("csv|jsonl");
  command->add_flag("--json", a->json, "Print the summary as JSON");
  add_threads(*command, a->scenario.threads);
  const auto choice = std::make_shared<ChoiceWhatIfOptions>(*command);
  const auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->footer(
      "Examples:\n  bl whatif model.bl data.csv --set \"price*=1.1\"\n"
      "  bl whatif model.bl data.csv --drop-constraint L1.B2.C1 --rows changes.csv\n"
      "  bl whatif model.bl data.csv --scale-lambda L1.B1.T1=2\n"
      "  bl whatif choices.bl trips.csv --change 'car.cost=cost * 1.1' --money cost\n"
      "  bl whatif choices.bl trips.csv --add taxi=car --change 'taxi.cost=3 * cost'\n"
      "  bl whatif choices.bl trips.csv --change 'car.cost=cost*2' --draws 1000\n"
      "  bl whatif choices.bl trips.csv --withdraw bus --by income");
  command->callback(
      [a, choice, command, reading] { run_whatif(*a, *choice, *command, reading->settings()); });
}

}  // namespace bl::cli
