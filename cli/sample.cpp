#include "bl/sample.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bl/errors.hpp"
#include "bl/output.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

struct SampleArguments {
  std::string model, data, output = "-", carry, format = "csv";
  bool quiet = false;
  SampleOptions options;
};

void run_sample(SampleArguments& a, const CLI::App& command, const DigitOption& digits,
                const Settings& reading) {
  check_output_path(command, a.output);
  const Model model = open_model(command, a.model);
  a.options.carry = name_list(a.carry);
  const TableFormat format = table_format(a.format);
  catch_interrupts();
  a.options.should_stop = interrupted;
  const SampleResult result = [&] {
    ProgressLine line(a.quiet);
    a.options.on_progress = [&](double seconds, const std::string& text) { line.show(seconds, text); };
    return a.data.empty() ? sample(model, a.options) : sample(model, model.read(a.data, reading), a.options);
  }();
  write_text(a.output, format_table(digits.rounded(result.draws), format, true));
  if (!result.warning.empty()) complain(printable(wrapped("warning: " + result.warning, 0) + "\n"));
  if (a.quiet) return;
  if (!result.note.empty()) complain(printable(wrapped("note: " + result.note, 0) + "\n"));
  const std::string figures = fmt::format(
      "method {}, acceptance {:.3f}, divergences {}, worst R-hat {:.4f}, effective size at least {:.0f} "
      "(bulk), {:.0f} (tail)",
      result.method, result.acceptance, result.divergences, result.worst_rhat, result.least_bulk_size,
      result.least_tail_size);
  complain(printable(fmt::format("{}\n{}\n", wrapped(figures, 0), wrapped(result.verdict, 0))));
}

}  // namespace

void add_sample(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("sample", "Draw responses from the learned distribution, given rows");
  auto a = std::make_shared<SampleArguments>();
  add_model_argument(*command, a->model);
  command->add_option("rows", a->data, "Rows to draw for; not needed by a model without features")
      ->option_text("FILE");
  command->add_option("-o,--output", a->output, "Where the draws go; - for standard output")
      ->option_text("FILE");
  command->add_option("--format", a->format, "csv or jsonl")->option_text("csv|jsonl");
  auto digits = std::make_shared<DigitOption>(*command);
  add_number(*command, "--draws", a->options.draws, "Draws per row", 1, 1000000000);
  command->add_option("--method", a->options.method, "Sampler; auto: exact where possible, else hmc")
      ->option_text("auto|exact|hmc|mala|langevin|paper");
  add_number(*command, "--chains", a->options.chains, "Chains per row", 1, 1000000);
  add_number(*command, "--warmup", a->options.warmup,
             "Moves before the first draw, in which steps are adapted", 0, 1000000000);
  command->add_option("--step", a->options.step, "Step size; 0: adapted")
      ->option_text("[0]")
      ->check(CLI::NonNegativeNumber);
  add_temperature(*command, a->options.temperature);
  command
      ->add_option("--given", a->options.given, "Hold these responses at the rows' values, comma-separated")
      ->option_text("NAMES");
  command->add_option("--carry", a->carry, "Columns of the file to repeat, comma-separated")
      ->option_text("NAMES");
  add_seed(*command, a->options.seed);
  add_threads(*command, a->options.threads, "Threads; 0: one per processor. Draws do not depend on it");
  add_device(*command, a->options.device, "Where chains with a given step run (bl devices)");
  command->add_flag("-q,--quiet", a->quiet, "No diagnostics");
  auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->footer("Example:\n  bl sample model.bl rows.csv --draws 500 --output draws.csv");
  command->callback(
      [a, command, digits, reading] { run_sample(*a, *command, *digits, reading->settings()); });
}

}  // namespace bl::cli
