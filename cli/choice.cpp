// bl choice: fit, predict, evaluate, show, whatif, economics.
#include "bl/choice.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bl/errors.hpp"
#include "bl/output.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

using nlohmann::ordered_json;

struct ChoiceArguments {
  std::string model, data, schema, output = "-", part = "all", attribute, money, withdraw;
  std::vector<std::string> changes;
  bool json = false, quiet = false, shares = false;
  std::size_t threads = 0;
};

using Arguments = std::shared_ptr<ChoiceArguments>;

ordered_json metrics_json(const std::vector<Metric>& metrics) {
  ordered_json object = ordered_json::object();
  for (const Metric& metric : metrics) object[metric.name] = metric.value;
  return object;
}

std::string metric_lines(const std::string& title, const std::vector<Metric>& metrics) {
  std::string out = title + "\n";
  for (const Metric& metric : metrics)
    out += metric.name == "situations" ? fmt::format("  {:<22}{:>14.0f}\n", metric.name, metric.value)
                                       : fmt::format("  {:<22}{:>14.6f}\n", metric.name, metric.value);
  return out;
}

void print_fit(const ChoiceFitSummary& s, const ChoiceArguments& a) {
  if (a.json) {
    ordered_json coefficients = ordered_json::array();
    for (const ChoiceCoefficient& one : s.model.coefficients())
      coefficients.push_back({{"name", one.name},
                              {"estimate", one.estimate},
                              {"standard_error", one.standard_error},
                              {"robust_error", one.robust_error},
                              {"clustered_error", one.clustered_error}});
    const ordered_json out = {{"output", a.output},
                              {"stop_cause", s.stop_cause},
                              {"epochs", s.epochs},
                              {"seconds", s.seconds},
                              {"notes", s.notes},
                              {"coefficients", coefficients},
                              {"train", metrics_json(s.train)},
                              {"validation", metrics_json(s.validation)},
                              {"test", metrics_json(s.test)}};
    fmt::print("{}\n", out.dump(2));
    return;
  }
  if (a.quiet) return;
  fmt::print("{}\n", s.plan);
  for (const std::string& note : s.notes) fmt::print("note      {}\n", note);
  fmt::print("training  {} in {}\n", s.stop_cause, duration(s.seconds));
  if (!s.model.coefficients().empty()) {
    const std::string text = s.model.describe();
    fmt::print("{}\n", text.substr(text.find("\n\n") + 1));
  }
  fmt::print("{}", metric_lines("training situations", s.train));
  if (!s.validation.empty()) fmt::print("{}", metric_lines("validation situations", s.validation));
  if (!s.test.empty()) fmt::print("{}", metric_lines("test situations", s.test));
  fmt::print("saved     {}\n", a.output);
}

void run_fit(const ChoiceArguments& a, const Settings& settings) {
  const auto folder = std::filesystem::absolute(a.output).parent_path();
  if (!std::filesystem::is_directory(folder))
    throw DataError(fmt::format("cannot write '{}': there is no folder {}", a.output, folder.string()));
  const Data data = Data::read(a.data, settings);
  FitOptions options;
  catch_interrupts();
  options.should_stop = interrupted;
  const ChoiceFitSummary summary = [&] {
    ProgressLine line(a.quiet);
    options.on_progress = [&](const FitProgress& p) { line.show(p.seconds, progress_text(p)); };
    return fit_choice(data, a.schema, settings, options);
  }();
  summary.model.save(a.output);
  print_fit(summary, a);
  if (summary.interrupted) exit_code() = kInterrupted;
}

void run_predict(const ChoiceArguments& a, const Settings& reading) {
  const ChoiceModel model = ChoiceModel::load(a.model);
  const Data data = Data::read(a.data, reading);
  const Part part = part_from_name(a.part);
  const OutputTable table =
      a.shares ? model.market_shares(data, part, a.threads) : model.predict(data, part, a.threads);
  write_text(a.output, format_table(table, TableFormat::csv, true));
}

void run_evaluate(const ChoiceArguments& a, const Settings& reading) {
  const ChoiceModel model = ChoiceModel::load(a.model);
  const auto metrics = model.evaluate(Data::read(a.data, reading), part_from_name(a.part), a.threads);
  if (a.json)
    fmt::print("{}\n", metrics_json(metrics).dump(2));
  else
    fmt::print("{}", metric_lines(a.part == "all" ? "all situations" : a.part + " situations", metrics));
}

// "car.cost=cost * 1.1"
ChoiceScenario::Change change_from_text(const std::string& text) {
  const std::size_t equals = text.find('='), dot = text.rfind('.', equals);
  if (equals == std::string::npos || dot == std::string::npos)
    throw UsageError(fmt::format(
        "--change '{}': expected ALTERNATIVE.ATTRIBUTE=EXPRESSION, for example car.cost='cost * 1.1'", text));
  return {text.substr(0, dot), text.substr(dot + 1, equals - dot - 1), text.substr(equals + 1)};
}

void run_whatif(const ChoiceArguments& a, const Settings& reading) {
  ChoiceScenario scenario;
  for (const std::string& text : a.changes) scenario.changes.push_back(change_from_text(text));
  scenario.withdrawn = name_list(a.withdraw);
  if (scenario.changes.empty() && scenario.withdrawn.empty())
    throw UsageError("nothing to change; give --change or --withdraw");
  const ChoiceModel model = ChoiceModel::load(a.model);
  const WhatIf result = model.what_if(Data::read(a.data, reading), scenario, a.money, a.threads);
  if (a.json) {
    ordered_json out = {{"alternatives", result.alternatives},
                        {"before", result.before},
                        {"after", result.after},
                        {"diversion", result.diversion},
                        {"surplus_change", result.surplus_change}};
    if (!a.money.empty()) out["money_change"] = result.money_change;
    fmt::print("{}\n", out.dump(2));
    return;
  }
  fmt::print("{:<22}{:>12}{:>12}{:>12}{:>12}\n", "market shares", "before", "after", "change", "diversion");
  for (std::size_t j = 0; j < result.alternatives.size(); ++j)
    fmt::print("{:<22}{:>12.4f}{:>12.4f}{:>+12.4f}{:>12.4f}\n", result.alternatives[j], result.before[j],
               result.after[j], result.after[j] - result.before[j], result.diversion[j]);
  fmt::print("\nconsumer surplus (log-sum), mean change per situation: {:+.6f} in utility\n",
             result.surplus_change);
  if (!a.money.empty()) fmt::print("{:>53}  {:+.6f} in units of {}\n", "", result.money_change, a.money);
}

void print_elasticities(const ChoiceElasticities& elasticities, const std::string& attribute) {
  fmt::print("elasticities: percent change of the row's share per percent of the column's {}\n{:<16}",
             attribute, "");
  for (const std::string& name : elasticities.alternatives) fmt::print("{:>14}", name);
  fmt::print("\n");
  for (std::size_t j = 0; j < elasticities.alternatives.size(); ++j) {
    fmt::print("{:<16}", elasticities.alternatives[j]);
    for (const double value : elasticities.by[j]) fmt::print("{:>14.4f}", value);
    fmt::print("\n");
  }
}

void print_slopes(const ChoiceSlopes& slopes, const std::string& attribute) {
  fmt::print("marginal utility of {:<14}{:>14}{:>22}\n", attribute, "mean", "situations below 0");
  for (std::size_t j = 0; j < slopes.alternatives.size(); ++j)
    fmt::print("{:<34}{:>14.6f}{:>21.1f}%\n", slopes.alternatives[j], slopes.mean[j],
               100 * slopes.negative[j]);
  fmt::print("\n");
}

void run_economics(const ChoiceArguments& a, const Settings& reading) {
  const ChoiceModel model = ChoiceModel::load(a.model);
  const Data data = Data::read(a.data, reading);
  print_slopes(model.slopes(data, a.attribute, a.threads), a.attribute);
  print_elasticities(model.elasticities(data, a.attribute, a.threads), a.attribute);
  if (a.money.empty()) return;
  const ChoiceTradeOff ratio = model.trade_off(data, a.attribute, a.money, a.threads);
  fmt::print("\nvalue of {} in units of {}: {:.6f}", a.attribute, a.money, ratio.value);
  if (std::isnan(ratio.standard_error))
    fmt::print(" (median; quartiles {:.6f} and {:.6f})\n", ratio.lower_quartile, ratio.upper_quartile);
  else
    fmt::print(" (robust s.e. {:.6f})\n", ratio.standard_error);
}

CLI::App* add_command(CLI::App& choice, const char* name, const char* help, const Arguments& a,
                      bool with_model) {
  CLI::App* command = choice.add_subcommand(name, help);
  if (with_model)
    command->add_option("model", a->model, "Model that bl choice fit wrote")
        ->required()
        ->option_text("MODEL");
  return command;
}

void add_data(CLI::App* command, const Arguments& a) {
  command->add_option("data", a->data, "Choices: CSV or TSV, plain or gzip; - for standard input")
      ->required()
      ->option_text("FILE");
}

void add_part(CLI::App* command, const Arguments& a) {
  command->add_option("--part", a->part, "Only these situations of the file the model was fitted on")
      ->option_text("all|train|validation|test");
  command->add_option("--threads", a->threads, "Threads; 0: one per processor")->option_text("N");
}

void add_choice_fit(CLI::App& choice) {
  const auto a = std::make_shared<ChoiceArguments>();
  CLI::App* command =
      add_command(choice, "fit", "Learn the utility behind choices among alternatives", a, false);
  add_data(command, a);
  // The setting of the same name is about tables.
  command->add_option("--choice", a->schema, "Choice schema (TOML): alternatives, attributes, utility")
      ->required()
      ->option_text("FILE");
  command->add_option("-o,--output", a->output, "Where the model goes")->required()->option_text("FILE");
  command->add_flag("--json", a->json, "Print the result as JSON");
  command->add_flag("-q,--quiet", a->quiet, "Print nothing but errors");
  const auto settings = std::make_shared<SettingOptions>(*command, std::vector<std::string>{});
  command->footer(
      "Example:\n  bl choice fit swissmetro.dat --choice examples/swissmetro_mnl.toml -o model.bl");
  command->callback([a, settings] { run_fit(*a, settings->settings()); });
}

void add_choice_predict(CLI::App& choice) {
  const auto a = std::make_shared<ChoiceArguments>();
  CLI::App* command =
      add_command(choice, "predict", "Probabilities of all alternatives, or market shares", a, true);
  add_data(command, a);
  add_part(command, a);
  command->add_option("-o,--output", a->output, "Where the predictions go; - for standard output")
      ->option_text("FILE");
  command->add_flag("--shares", a->shares, "Market shares in place of one line per situation");
  const auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->callback([a, reading] { run_predict(*a, reading->settings()); });
}

void add_choice_evaluate(CLI::App& choice) {
  const auto a = std::make_shared<ChoiceArguments>();
  CLI::App* command =
      add_command(choice, "evaluate", "Log-likelihood, rho-square, cross-entropy and accuracy", a, true);
  add_data(command, a);
  add_part(command, a);
  command->add_flag("--json", a->json, "Print the result as JSON");
  const auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->callback([a, reading] { run_evaluate(*a, reading->settings()); });
}

void add_choice_show(CLI::App& choice) {
  const auto a = std::make_shared<ChoiceArguments>();
  CLI::App* command =
      add_command(choice, "show", "What a choice model is: alternatives, attributes, coefficients", a, true);
  command->callback([a] { fmt::print("{}", ChoiceModel::load(a->model).describe()); });
}

void add_choice_whatif(CLI::App& choice) {
  const auto a = std::make_shared<ChoiceArguments>();
  CLI::App* command = add_command(
      choice, "whatif", "Market shares and surplus when attributes change or alternatives go", a, true);
  add_data(command, a);
  command
      ->add_option("--change", a->changes,
                   "ALTERNATIVE.ATTRIBUTE=EXPRESSION of its attributes; may be repeated")
      ->option_text("TEXT");
  command->add_option("--withdraw", a->withdraw, "Alternatives to take away, comma-separated")
      ->option_text("NAMES");
  command->add_option("--money", a->money, "The attribute that is a cost, to count the surplus in it")
      ->option_text("NAME");
  command->add_option("--threads", a->threads, "Threads; 0: one per processor")->option_text("N");
  command->add_flag("--json", a->json, "Print the result as JSON");
  const auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->footer(
      "Example:\n  bl choice whatif model.bl trips.csv --change 'car.cost=cost * 1.1' --money cost");
  command->callback([a, reading] { run_whatif(*a, reading->settings()); });
}

void add_choice_economics(CLI::App& choice) {
  const auto a = std::make_shared<ChoiceArguments>();
  CLI::App* command =
      add_command(choice, "economics", "Elasticities of an attribute and its value in money", a, true);
  add_data(command, a);
  command->add_option("--attribute", a->attribute, "The attribute, for example time")
      ->required()
      ->option_text("NAME");
  command->add_option("--money", a->money, "The attribute that is a cost, for the value of the other in it")
      ->option_text("NAME");
  command->add_option("--threads", a->threads, "Threads; 0: one per processor")->option_text("N");
  const auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->callback([a, reading] { run_economics(*a, reading->settings()); });
}

}  // namespace

void add_choice(CLI::App& app) {
  CLI::App* choice =
      app.add_subcommand("choice", "Choices among alternatives with attributes (price, time, ...)");
  choice->require_subcommand(1);
  add_choice_fit(*choice);
  add_choice_predict(*choice);
  add_choice_evaluate(*choice);
  add_choice_show(*choice);
  add_choice_whatif(*choice);
  add_choice_economics(*choice);
}

}  // namespace bl::cli
