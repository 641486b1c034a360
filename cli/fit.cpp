#include "bl/fit.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "bl/choice.hpp"
#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "bl/ranks.hpp"
#include "bl/shared_data.hpp"
#include "bl/simplify.hpp"
#include "choice_declaration.hpp"
#include "commands.hpp"
#include "mpi_ranks.hpp"
#include "options.hpp"
#include "spelling.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

using nlohmann::ordered_json;

struct FitArguments {
  std::vector<std::string> data;
  std::string output;
  bool json = false, quiet = false, resume = false, readable = false;
};

template <class Source>
void print_columns(const Source& data) {
  constexpr std::size_t kMost = 12;
  const auto columns = data.columns();
  say("{}: {} rows, {} columns\n", data.source(), data.rows(), columns.size());
  for (std::size_t i = 0; i < std::min(kMost, columns.size()); ++i) {
    const ColumnSummary& c = columns[i];
    const std::string missing = c.missing > 0 ? fmt::format(", {} missing", c.missing) : "";
    if (c.missing == data.rows())
      say("  {:<26.26} no values\n", c.name);
    else if (c.numeric)
      say("  {:<26.26} number, {:.6g} to {:.6g}{}\n", c.name, c.lowest, c.highest, missing);
    else
      say("  {:<26.26} text, {} levels{}\n", c.name, c.distinct, missing);
  }
  if (columns.size() > kMost) say("  ... and {} more (bl schema lists them all)\n", columns.size() - kMost);
}

void print_summary(const FitSummary& s, const std::string& output) {
  constexpr std::size_t kLabel = 10;
  say("{}\n", wrapped(s.plan, kLabel));
  for (const std::string& note : s.notes) say("{}\n", wrapped("note      " + note, kLabel));
  const std::string training = s.best_epoch > 0
                                   ? fmt::format("{} epochs in {}, best at epoch {}: {}", s.epochs,
                                                 duration(s.seconds), s.best_epoch, s.stop_cause)
                                   : fmt::format("{} in {}", s.stop_cause, duration(s.seconds));
  say("{}\n", wrapped("training  " + training, kLabel));
  if (!coefficients(s.model).empty()) say("\n{}\n", coefficients_text(s.model));
  const auto print = [&](const char* part, std::size_t rows, const std::vector<Metric>& metrics) {
    if (!metrics.empty())
      say("{}", metrics_text(fmt::format("{} ({} {})", part, rows, s.model.row_unit()), metrics));
  };
  print("training", s.train_rows, s.train);
  print("validation", s.validation_rows, s.validation);
  print("test", s.test_rows, s.test);
  say("saved     {}\n", output);
}

// What people ask next: of a linear utility its errors, of other models what they learned, and from which
// rows where one response is followed.
std::string next_command(const FitSummary& s, const FitArguments& a) {
  if (!coefficients(s.model).empty()) return fmt::format("bl summary {}", a.output);
  const bool followed = !s.model.is_choice() && a.data.size() == 1 && a.data[0] != "-" &&
                        s.model.responses().size() == 1 && s.model.features().size() <= kMostResponseColumns;
  return fmt::format("bl explain {}{}", a.output, followed ? " " + a.data[0] : "");
}

ordered_json coefficients_json(const Model& model) {
  ordered_json out = ordered_json::array();
  for (const ChoiceCoefficient& one : coefficients(model))
    out.push_back({{"name", one.name},
                   {"estimate", one.estimate},
                   {"standard_error", one.standard_error},
                   {"robust_error", one.robust_error},
                   {"clustered_error", one.clustered_error}});
  return out;
}

void print_json(const FitSummary& s, const std::string& output) {
  ordered_json out = {
      {"output", output},
      {"parameters", s.parameters},
      {"rows", {{"train", s.train_rows}, {"validation", s.validation_rows}, {"test", s.test_rows}}},
      {"stop_reason", s.stop_reason},
      {"stop_cause", s.stop_cause},
      {"epochs", s.epochs},
      {"best_epoch", s.best_epoch},
      {"seconds", s.seconds},
      {"ranks", current_ranks() ? current_ranks()->size() : 1},
      {"communication",
       {{"megabytes", traffic().bytes / (1 << 20)},
        {"seconds", traffic().seconds},
        {"calls", traffic().calls}}},
      {"peak_megabytes", s.peak_megabytes},
      {"table_megabytes", s.table_megabytes},
      {"encoded_megabytes", s.encoded_megabytes},
      {"notes", s.notes},
      {"validation", metrics_json(s.validation)},
      {"test", metrics_json(s.test)}};
  if (s.model.is_choice()) {
    out["train"] = metrics_json(s.train);
    out["coefficients"] = coefficients_json(s.model);
  }
  write_text("-", out.dump(2) + "\n");
}

// One per member: PATH, PATH.1, PATH.2, ... Members that ended early may have left none.
void remove_checkpoints(const std::string& path) {
  const std::filesystem::path first = std::filesystem::absolute(path);
  const std::string name = first.filename().string();
  std::vector<std::filesystem::path> found;
  for (const auto& entry : std::filesystem::directory_iterator(first.parent_path())) {
    const std::string other = entry.path().filename().string();
    const bool numbered = other.starts_with(name + ".") &&
                          other.find_first_not_of("0123456789", name.size() + 1) == std::string::npos;
    if (other == name || numbered) found.push_back(entry.path());
  }
  for (const auto& one : found) std::filesystem::remove(one);
}

// A small problem in the place of the large model that was saved.
void keep_readable(const FitArguments& arguments, const Model& large, const Data& data,
                   const Settings& settings) {
  SimplifyOptions options{.most_blocks = kReadableBlocks};
  options.threads = static_cast<std::size_t>(settings.threads);
  options.should_stop = interrupted;
  const Simplified result = with_progress(arguments.quiet, [&](const auto& progress) {
    options.on_progress = progress;
    return simplify(large, data, options);
  });
  result.model.save(arguments.output);
  if (!arguments.quiet)
    say("\n{}saved     {}, in place of the large model\n", render(result), arguments.output);
}

void run_fit(const FitArguments& arguments, const ChoiceOptions& choice, const CLI::App& command,
             Settings settings) {
  const bool choices = choice.given();
  if (arguments.readable && (choices || arguments.json))
    throw UsageError(
        "--readable is for tables and prints text; use it without --choice, --classes and --json");
  check_model_path(command, arguments.output);
  FitOptions options;
  options.checkpoint = arguments.output + ".checkpoint";
  options.resume = arguments.resume;
  catch_interrupts();
  options.should_stop = interrupted;
  const bool talk = !arguments.quiet && !arguments.json;
  std::optional<Data> data;
  FitSummary summary = [&] {
    const auto watched = [&](const auto& learn) {
      ProgressLine line(arguments.quiet);
      options.on_progress = [&](const FitProgress& p) { line.show(p.seconds, progress_text(p)); };
      options.on_trained = [&](const Model& model) { model.save(arguments.output); };
      return learn();
    };
    if (current_ranks() && !choices && !arguments.readable) {
      const SharedData shared = SharedData::read(arguments.data, settings);
      if (talk) print_columns(shared);
      return watched([&] { return fit(shared, settings, options); });
    }
    data = read_files(arguments.data, settings);
    if (talk && (!choices || choice.of_table())) print_columns(*data);
    return watched([&] {
      return choices ? fit(*data, choice.declaration(*data, settings), settings, options)
                     : fit(*data, settings, options);
    });
  }();
  summary.model.save(arguments.output);
  for (std::string& note : summary.notes) note = spelled(note);
  summary.stop_cause = spelled(summary.stop_cause);
  if (!summary.interrupted) remove_checkpoints(options.checkpoint);
  if (arguments.json) print_json(summary, arguments.output);
  if (talk) print_summary(summary, arguments.output);
  if (summary.interrupted)
    exit_code() = kInterrupted;
  else if (arguments.readable)
    keep_readable(arguments, summary.model, *data, settings);
  if (talk) say("next      {}\n", next_command(summary, arguments));
}

}  // namespace

void add_fit(CLI::App& app) {
  CLI::App* command = app.add_subcommand("fit", "Learn a model from a data file");
  auto arguments = std::make_shared<FitArguments>();
  command
      ->add_option("data", arguments->data,
                   "CSV, TSV, ARFF, IDX or NPY file, plain or gzip, or a folder of PNG images; - for "
                   "standard input. Several CSV files, or a pattern in quotes, are one table")
      ->required()
      ->option_text("FILE ...");
  command->get_help_ptr()->group(kCommon);
  command->add_option("-o,--output", arguments->output, "Where the model goes")
      ->required()
      ->option_text("FILE")
      ->group(kCommon);
  auto settings = std::make_shared<SettingOptions>(*command, std::vector<std::string>{});
  command->add_flag("--resume", arguments->resume, "Go on from OUTPUT.checkpoint, if an earlier run left one")
      ->group(kCommon);
  command
      ->add_flag("--readable", arguments->readable,
                 "Keep a small problem that can be read in full in place of the large one, as bl simplify "
                 "chooses it: at most 3 blocks, at most 8 columns a head")
      ->group(kCommon);
  command->add_flag("--json", arguments->json, "Print the result as JSON")->group(kCommon);
  command->add_flag("-q,--quiet", arguments->quiet, "Print nothing but errors")->group(kCommon);
  auto choice = std::make_shared<ChoiceOptions>(*command);
  command->footer(
      "Examples:\n  bl fit data.csv --target y --output model.bl\n"
      "  bl fit data.csv --target y --single --degree 2 --seed 7 -o model.bl\n"
      "  bl fit data.csv --target price,volume --layers 36,6 -o model.bl\n"
      "  bl fit train-images-idx3-ubyte --layers 88,42 -o digits.bl\n"
      "  bl fit trips.csv --choice schema.toml -o model.bl\n"
      "  bl fit visits.csv --target buys --group customer --classes 2 -o model.bl\n"
      "  bl fit 'rows-*.csv' --target y -o model.bl\n"
      "  mpirun -n 4 bl fit data.csv --target y --threads 2 -o model.bl");
  command->callback([arguments, choice, command, settings] {
    run_fit(*arguments, *choice, *command, settings->settings());
  });
}

}  // namespace bl::cli
