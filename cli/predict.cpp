#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <optional>

#include "bl/decide.hpp"
#include "bl/distribution.hpp"
#include "bl/errors.hpp"
#include "bl/output.hpp"
#include "bl/shared_data.hpp"
#include "choice.hpp"
#include "commands.hpp"
#include "decide.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

struct PredictArguments {
  std::string model, output = "-", part = "all", quantiles, carry, by, format = "csv";
  std::vector<std::string> data, decide;
  bool shares = false, posterior = false, log_density = false;
  PredictOptions options;
};

// What is asked of every row, or situation, by itself.
const std::vector<std::string> kByRow = {"--carry",      "--quantiles", "--interval", "--highest-density",
                                         "--mode",       "--utilities", "--density",  "--temperature",
                                         "--tolerance",  "--ood",       "--decide",   "--unseen-as-missing",
                                         "--log-density"};

// Predictions, and how likely the response in each row is.
OutputTable with_log_density(const Model& model, const Data& data, const PredictOptions& options) {
  OutputTable table = model.predict(data, Part::all, options);
  const DistributionOptions given{.temperature = options.temperature,
                                  .treat_unseen_as_missing = options.treat_unseen_as_missing,
                                  .threads = options.threads,
                                  .on_note = options.on_note};
  table.columns.push_back({"log_density", log_density(model, data, given), {}});
  return table;
}

void run_predict(PredictArguments& a, const CLI::App& command, const DigitOption& digits,
                 const Settings& reading) {
  check_output_path(command, a.output);
  const Model model = open_model(command, a.model);
  only_for(command, {"--by"}, a.shares && command.count("--part") == 0, "--shares of all rows");
  only_for(command, kByRow, !a.shares && !a.posterior,
           "predictions row by row, not for --shares and --posterior");
  const auto responses = model.responses();
  only_for(command, {"--tolerance"},
           std::count_if(responses.begin(), responses.end(),
                         [](const ResponseInfo& one) { return one.levels.empty(); }) == 1,
           "one continuous response");
  a.options.quantiles = number_list("--quantiles", a.quantiles);
  a.options.carry = name_list(a.carry);
  const TableFormat format = table_format(a.format);
  const std::optional<Decision> decision = decision_of(model, a.decide);
  std::optional<OutputFileWriter> file;
  if (a.output != "-") file.emplace(a.output);
  const auto text = [&](const OutputTable& table, bool first) {
    const OutputTable shown = decision ? decided(model, *decision, table) : table;
    return format_table(digits.rounded(shown), format, first);
  };
  const auto write = [&](std::string_view lines) {
    if (file)
      file->write(lines);
    else
      write_text("-", std::string(lines));
  };
  const auto show = [&](const OutputTable& table) { write(text(table, true)); };
  const Part part = part_from_name(a.part);
  a.options.on_note = tell_note;
  if (a.posterior) {
    only_for(command, {"--part", "--shares"}, false, "predictions, not the persons of --posterior");
    show(posterior_means(model, read_files(model, a.data, reading), a.options.threads));
  } else if (a.shares && !a.by.empty()) {
    show(shares_by(model, read_files(model, a.data, reading), a.by, a.options.threads));
  } else if (a.shares) {
    show(market_shares(model, read_files(model, a.data, reading), part, a.options.threads));
  } else if (a.log_density) {
    only_for(command, {"--part"}, false, "predictions without --log-density");
    show(with_log_density(model, read_files(model, a.data, reading), a.options));
  } else if (part == Part::all) {
    predict_files(model, a.data, reading, a.options, text, write);
  } else {
    show(model.predict(read_files(model, a.data, reading), part, a.options));
  }
  if (file) file->commit();
}

// What is read and written.
void add_files(CLI::App& command, PredictArguments& a) {
  command
      .add_option("data", a.data,
                  "Rows to predict, of any size; - for standard input. Several CSV files, or a pattern in "
                  "quotes, are one table")
      ->required()
      ->option_text("FILE ...");
  command.add_option("-o,--output", a.output, "Where the predictions go; - for standard output")
      ->option_text("FILE");
  command.add_option("--format", a.format, "csv or jsonl (one JSON object a line)")->option_text("csv|jsonl");
}

// What is asked of choices.
void add_choice_questions(CLI::App& command, PredictArguments& a) {
  command.add_flag("--shares", a.shares, "Choices: market shares in place of a line per situation");
  command.add_option("--by", a.by, "With --shares: for each level of this column of the person")
      ->option_text("COLUMN");
  command.add_flag("--posterior", a.posterior,
                   "Mixed logit, latent classes: what each person's choices say about the person");
}

}  // namespace

void add_predict(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("predict", "Probabilities, means, intervals and densities for new rows");
  auto a = std::make_shared<PredictArguments>();
  add_model_argument(*command, a->model);
  add_files(*command, *a);
  auto digits = std::make_shared<DigitOption>(*command);
  command->add_option("--part", a->part, "Only these rows of the file the model was fitted on")
      ->option_text("all|train|validation|test");
  command->add_option("--carry", a->carry, "Columns of the file to repeat, comma-separated")
      ->option_text("NAMES");
  command
      ->add_option("--quantiles", a->quantiles, "Quantiles of a continuous response, for example 0.1,0.5,0.9")
      ->option_text("LIST");
  command->add_option("--interval", a->options.interval, "Central interval of this mass, for example 0.9")
      ->option_text("MASS")
      ->check(inner_share());
  command->add_option("--highest-density", a->options.highest_density, "Highest-density region of this mass")
      ->option_text("MASS")
      ->check(inner_share());
  command->add_flag("--mode", a->options.mode, "The best response: where the utility is highest");
  command->add_flag("--utilities", a->options.utilities, "The utility of every class or alternative");
  command->add_flag("--ood", a->options.ood,
                    "Classes: how unlike the training rows a row is: its energy and its largest probability, "
                    "and where they stand among training rows (0: below all, 100: above)");
  add_decide(*command, a->decide);
  command->add_option("--density", a->options.density_points, "The density on a grid of so many points")
      ->option_text("POINTS")
      ->check(CLI::Range(1, 100000));
  command->add_flag("--log-density", a->log_density,
                    "How likely the response in the file is: its log-density, or log-probability");
  add_temperature(*command, a->options.temperature);
  command
      ->add_option("--tolerance", a->options.tolerance,
                   "Error of any probability of one continuous response; 1e-6 where not given")
      ->option_text("EPS")
      ->check(inner_share());
  command->add_flag("--unseen-as-missing", a->options.treat_unseen_as_missing,
                    "Take levels not seen in training as missing");
  add_choice_questions(*command, *a);
  add_threads(*command, a->options.threads)->option_text("N");
  auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->footer(
      "Examples:\n  bl predict model.bl new.csv --output predictions.csv\n"
      "  bl predict model.bl new.csv --quantiles 0.1,0.5,0.9 --interval 0.9 --carry id\n"
      "  bl predict model.bl new.csv --log-density\n"
      "  bl predict digits.bl images.idx --ood\n"
      "  bl predict choices.bl trips.csv --shares --by income\n"
      "  bl predict model.bl new.csv --decide cost costs.csv\n"
      "  mpirun -n 4 bl predict model.bl 'new-*.csv' --output predictions.csv");
  command->callback(
      [a, command, digits, reading] { run_predict(*a, *command, *digits, reading->settings()); });
}

}  // namespace bl::cli
