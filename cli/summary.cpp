#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "bl/errors.hpp"
#include "bl/inference.hpp"
#include "bl/output.hpp"
#include "choice.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "spelling.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

struct SummaryArguments {
  std::string model, data, format = "text", units = "original", output = "-", save, compare, cluster,
                           numeraire;
  std::vector<std::string> tests;
  bool economics = false;
  InferenceOptions options;
};

// With data: the minimum for them and its covariance; without: what the model stores.
Inference inference_of(const Model& model, const std::optional<Data>& data, const SummaryArguments& a) {
  if (!data) return {model, stored_inference(model, a.options)};
  return infer(model, *data, a.options);
}

// What a summary is made of: each file is read once.
struct Inputs {
  Model model;
  std::optional<Data> data = {};
  std::optional<Model> other = {};      // to compare with
  std::optional<Data> other_data = {};  // the same file, with the types of its columns
};

std::vector<HypothesisTest> tests_of(const InferenceSummary& summary, const SummaryArguments& a,
                                     const Inputs& in) {
  std::vector<HypothesisTest> tests;
  for (const std::string& test : a.tests) tests.push_back(wald_test(summary, test));
  if (in.other)
    tests.push_back(likelihood_ratio_test(summary, inference_of(*in.other, in.other_data, a).summary));
  return tests;
}

// Tests where they are asked for, else the table.
std::string summary_text(const InferenceSummary& summary, const SummaryArguments& a, const Inputs& in) {
  const std::vector<HypothesisTest> tests = tests_of(summary, a, in);
  return tests.empty() ? render(summary, summary_format(a.format)) : render(tests, summary_format(a.format));
}

// Economics as CSV, of choices as text, then the tests that are asked for; or one document of JSON.
std::string economics_text(const Inference& inference, const SummaryArguments& a, const Inputs& in) {
  const bool json = a.format == "json";
  std::string economics;
  nlohmann::ordered_json document;
  if (inference.model.is_choice()) {
    ChoiceEconomicsRun run{.money = a.numeraire, .threads = a.options.threads};
    run.errors = {.covariance = inference.summary.covariance, .estimated = inference.covariance};
    for (const auto& [column, count] : inference.summary.clusters)
      run.clusters += (run.clusters.empty() ? "" : " and ") + column;
    if (json)
      document = choice_economics_json(inference.model, *in.data, run);
    else
      economics = choice_economics(inference.model, *in.data, run);
  } else {
    const OutputTable table =
        economics_with_errors(inference.model, *in.data, a.numeraire, a.options, inference.covariance);
    if (json)
      document = nlohmann::ordered_json::parse(json_array(table));
    else
      economics = format_table(table, TableFormat::csv, true);
  }
  const std::string tests = render(tests_of(inference.summary, a, in), summary_format(a.format));
  if (!json) return economics + (tests.empty() ? "" : "\n") + tests;
  auto out = nlohmann::ordered_json::parse(tests);
  out["economics"] = std::move(document);
  return out.dump(2) + "\n";
}

std::string output_of(const SummaryArguments& a, const Inputs& in) {
  const Inference inference = inference_of(in.model, in.data, a);
  const std::string out =
      a.economics ? economics_text(inference, a, in) : summary_text(inference.summary, a, in);
  if (!a.save.empty()) inference.model.save(a.save);
  return out;
}

// What can be refused before the work.
void check_arguments(const SummaryArguments& a, const CLI::App& command) {
  static_cast<void>(summary_format(a.format));
  if (a.units != "original" && a.units != "standardised")
    throw UsageError(fmt::format("--units '{}': expected original or standardised", a.units));
  if ((!a.save.empty() || a.economics) && a.data.empty())
    throw UsageError("--save and --economics need data: bl summary MODEL DATA");
  only_for(command, {"--numeraire"}, a.economics, "--economics");
  only_for(command, {"--units"}, !a.economics || !a.tests.empty(), "estimates, not for --economics");
  only_for(command, {"--level"}, !a.economics, "estimates, not for --economics");
  if (a.economics && a.format != "text" && a.format != "csv" && a.format != "json")
    throw UsageError("--economics are written as text (--format text or csv) or as JSON (--format json)");
  if (command.count("--save") > 0) check_model_path(command, a.save, true);
  check_output_path(command, a.output);
}

Inputs read_inputs(const SummaryArguments& a, const CLI::App& command, const Settings& reading) {
  Inputs in{.model = open_model(command, a.model)};
  if (!a.compare.empty()) in.other = open_model(command, a.compare);
  if (a.data.empty()) return in;
  in.data = in.model.read(a.data, reading);
  if (in.other) in.other_data = in.other->read(a.data, reading);
  return in;
}

void run_summary(SummaryArguments& a, const CLI::App& command, const Settings& reading) {
  check_arguments(a, command);
  a.options.standardised = a.units == "standardised";
  a.options.cluster = name_list(a.cluster);
  const Inputs in = read_inputs(a, command, reading);
  catch_interrupts();
  a.options.should_stop = interrupted;
  const std::string out = [&] {
    ProgressLine line(false);
    a.options.on_progress = [&](double seconds, const std::string& text) { line.show(seconds, text); };
    try {
      return output_of(a, in);
    } catch (const NeedsData& error) {
      throw UsageError(fmt::format("{}: bl summary MODEL DATA", error.what()));
    }
  }();
  if (a.format == "json" || a.economics)
    write_text(a.output, spelled(out));
  else
    write_for_people(a.output, spelled(out));
}

// How it is computed, and where it goes.
void add_running_options(CLI::App& command, SummaryArguments& a) {
  add_seed(command, a.options.seed, "Of the resamples");
  add_threads(command, a.options.threads);
  add_device(command, a.options.device, "Where starts and resamples are fitted (bl devices)");
  command.add_option("--save", a.save, "Write the canonical model with its covariance here")
      ->option_text("FILE");
  command.add_option("-o,--output", a.output, "Where the text goes; - for standard output")
      ->option_text("FILE");
}

}  // namespace

void add_summary(CLI::App& app) {
  CLI::App* command = app.add_subcommand("summary", "Estimates with standard errors, tests and intervals");
  auto a = std::make_shared<SummaryArguments>();
  add_model_argument(*command, a->model);
  command
      ->add_option(
          "data", a->data,
          "Rows to estimate from (the training rows, where it is the file of the fit); none: what the "
          "model stores")
      ->option_text("FILE");
  command->add_option("--covariance", a->options.covariance, "How errors are computed")
      ->option_text("robust|classical|cluster");
  command
      ->add_option(
          "--cluster", a->cluster,
          "One or two columns whose rows depend on each other; choices: by person where none is named")
      ->option_text("COLUMN[,COLUMN]");
  command->add_option("--level", a->options.level, "Of the confidence intervals")->option_text("[0.95]");
  command
      ->add_option(
          "--test", a->tests,
          "Wald test of linear hypotheses, all at once: \"U.price = 0, U.a = 2 * U.b\"; may be repeated")
      ->option_text("TEXT")
      ->allow_extra_args(false);
  command->add_option("--compare", a->compare, "Likelihood-ratio test against this model of the same rows")
      ->option_text("MODEL");
  command->add_option("--bootstrap", a->options.bootstrap, "Refit so many resamples as a cross-check")
      ->option_text("N")
      ->check(CLI::Range(0, 1000000));
  command->add_option("--starts", a->options.starts, "Further starts beside the model's own parameters")
      ->option_text("N")
      ->check(CLI::Range(0, 100000));
  command
      ->add_option("--reference", a->options.reference, "The class or alternative whose coefficients are 0")
      ->option_text("CLASS");
  command->add_option("--units", a->units, "Of the data's columns or standardised")
      ->option_text("original|standardised");
  command->add_flag(
      "--economics", a->economics,
      "Marginal utilities, rates of substitution, willingness to pay, effects and elasticities with "
      "delta-method errors (CSV, or JSON by --format)");
  command->add_option("--numeraire", a->numeraire, "With --economics: rates of substitution for this column")
      ->option_text("NAME");
  command->add_option("--format", a->format, "Form of the summary")
      ->option_text("text|json|csv|latex|markdown");
  add_running_options(*command, *a);
  auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->footer(
      "Examples:\n  bl summary model.bl\n  bl summary model.bl data.csv --cluster person\n"
      "  bl summary model.bl --test \"U.price = 0\"\n  bl summary large.bl --compare small.bl");
  command->callback([a, command, reading] { run_summary(*a, *command, reading->settings()); });
}

}  // namespace bl::cli
