// bl fit --choice: choices among alternatives with attributes.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bl/errors.hpp"
#include "choice.hpp"
#include "spelling.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

using nlohmann::ordered_json;

ordered_json metrics_json(const std::vector<Metric>& metrics) {
  ordered_json object = ordered_json::object();
  for (const Metric& metric : metrics) object[metric.name] = metric.value;
  return object;
}

void print_json(const ChoiceFitSummary& s, const std::string& output) {
  ordered_json coefficients = ordered_json::array();
  for (const ChoiceCoefficient& one : s.model.coefficients())
    coefficients.push_back({{"name", one.name},
                            {"estimate", one.estimate},
                            {"standard_error", one.standard_error},
                            {"robust_error", one.robust_error},
                            {"clustered_error", one.clustered_error}});
  const ordered_json out = {{"output", output},
                            {"stop_cause", s.stop_cause},
                            {"epochs", s.epochs},
                            {"seconds", s.seconds},
                            {"notes", s.notes},
                            {"coefficients", coefficients},
                            {"train", metrics_json(s.train)},
                            {"validation", metrics_json(s.validation)},
                            {"test", metrics_json(s.test)}};
  fmt::print("{}\n", out.dump(2));
}

void print_text(const ChoiceFitSummary& s, const std::string& output) {
  constexpr std::size_t kLabel = 10;
  fmt::print("{}\n", wrapped(s.plan, kLabel));
  for (const std::string& note : s.notes) fmt::print("{}\n", wrapped("note      " + note, kLabel));
  fmt::print("{}\n", wrapped(fmt::format("training  {} in {}", s.stop_cause, duration(s.seconds)), kLabel));
  if (!s.model.coefficients().empty()) {
    const std::string text = s.model.describe();
    fmt::print("{}\n", text.substr(text.find("\n\n") + 1));
  }
  fmt::print("{}", situation_metrics("training situations", s.train));
  if (!s.validation.empty()) fmt::print("{}", situation_metrics("validation situations", s.validation));
  if (!s.test.empty()) fmt::print("{}", situation_metrics("test situations", s.test));
  fmt::print("saved     {}\n", output);
}

}  // namespace

ChoiceFitOptions::ChoiceFitOptions(CLI::App& command) {
  const std::string group = "Choices among alternatives";
  command
      .add_option("--choice", choice_,
                  "Learn choices: a schema (TOML), or long (a line per alternative) or wide (a line per "
                  "situation) with the options below; --group names the person")
      ->option_text("FILE|long|wide")
      ->group(group);
  const auto add = [&](const char* name, std::string& text, const char* help, const char* shown) {
    of_declaration_.push_back(command.add_option(name, text, help)->option_text(shown)->group(group));
  };
  ChoiceDeclaration& d = declaration_;
  add("--chosen", d.chosen, "Wide: column of the chosen alternative; long: true where chosen", "COLUMN");
  add("--situation", d.situation, "Long: column of the situation's id", "COLUMN");
  add("--alternative", d.alternative, "Long: column of the alternative", "COLUMN");
  add("--alternatives", alternatives_, "Names, or names and codes in the data: train=1,car=2", "NAMES");
  add("--attributes", attributes_, "Attributes, or attributes and columns: time=TT,cost=CO", "NAMES");
  add("--columns", d.pattern, "Wide: how columns are called, by prefix or suffix",
      "[{alternative}_{attribute}]");
  add("--available", d.available, "Not 0 where available; wide: as in --columns", "NAME");
  add("--outside", d.outside, "Long: an option with utility 0, in every set", "NAME");
  add("--filter", d.filter, "Only rows for which this is true: 'PURPOSE in (1, 3)'", "EXPRESSION");
  add("--context", context_, "Columns of the person; makes the utility a network", "NAMES");
  add("--reference", d.reference, "Linear: the alternative without a constant", "NAME");
  add("--specific", specific_, "Linear: attributes with a coefficient per alternative", "NAMES");
  add("--negative", negative_, "Attributes that never please: costs, times", "NAMES");
  add("--positive", positive_, "Attributes that never displease", "NAMES");
  of_declaration_.push_back(
      command.add_flag("--network", d.network, "A network without context; else linear")->group(group));
}

bool ChoiceFitOptions::given() const {
  for (const CLI::Option* option : of_declaration_)
    if (!declared() && option->count() > 0)
      throw UsageError(fmt::format("{} goes with --choice long or --choice wide{}", option->get_name(),
                                   choice_.empty() ? "" : "; a schema file says it itself"));
  return !choice_.empty();
}

bool ChoiceFitOptions::fit(const Run& run, Settings settings) const {
  const Data data = Data::read(run.data, settings);
  std::string text;
  if (declared()) {
    ChoiceDeclaration d = declaration_;
    d.wide = choice_ == "wide";
    d.alternatives = name_list(alternatives_);
    d.attributes = name_list(attributes_);
    d.context = name_list(context_);
    d.specific = name_list(specific_);
    d.negative = name_list(negative_);
    d.positive = name_list(positive_);
    // Settings that say the same for choices as for tables.
    const Settings defaults;
    d.nominal = name_list(std::exchange(settings.nominal, defaults.nominal));
    d.person = std::exchange(settings.group, defaults.group);
    d.weight = std::exchange(settings.weight, defaults.weight);
    text = choice_schema(d, data);
  }
  ChoiceFitSummary summary = [&] {
    ProgressLine line(run.quiet);
    FitOptions options = run.options;
    options.on_progress = [&](const FitProgress& p) { line.show(p.seconds, progress_text(p)); };
    return declared() ? fit_choice_text(data, text, "--choice " + choice_, settings, options)
                      : fit_choice(data, choice_, settings, options);
  }();
  summary.model.save(run.output);
  for (std::string& note : summary.notes) note = spelled(note);
  summary.stop_cause = spelled(summary.stop_cause);
  if (run.json) print_json(summary, run.output);
  if (!run.json && !run.quiet) print_text(summary, run.output);
  return summary.interrupted;
}

}  // namespace bl::cli
