#include "bl/simplify.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

struct SimplifyArguments {
  std::string model, data, output;
  bool json = false;
  SimplifyOptions options;
};

void run_simplify(SimplifyArguments& a, const CLI::App& command, const Settings& reading) {
  check_model_path(command, a.output);
  const Model model = open_model(command, a.model);
  const Data data = model.read(a.data, reading);
  catch_interrupts();
  a.options.should_stop = interrupted;
  const Simplified result = with_progress(false, [&](const auto& progress) {
    a.options.on_progress = progress;
    return simplify(model, data, a.options);
  });
  result.model.save(a.output);
  if (a.json) return write_text("-", json_array(size_table(result)));
  say("{}saved     {}; bl explain {} --terms all prints it in full\n", render(result), a.output, a.output);
}

}  // namespace

void add_simplify(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("simplify", "From a large model to a small problem that can be read in full");
  auto a = std::make_shared<SimplifyArguments>();
  add_model_argument(*command, a->model);
  command->add_option("data", a->data, "The rows of its fit")->required()->option_text("FILE");
  command->add_option("-o,--output", a->output, "Where the small model goes")
      ->required()
      ->option_text("FILE");
  command
      ->add_option("--blocks", a->options.blocks,
                   "Blocks of the small model; without it the fewest that are as good as the best size")
      ->option_text("N")
      ->check(CLI::Range(1, 64));
  command->add_option("--columns", a->options.columns, "Columns that it reads, those that matter most")
      ->option_text("N")
      ->check(CLI::Range(1, 100000));
  add_number(*command, "--head-columns", a->options.head_columns, "Columns that one head reads, at most", 1,
             100000);
  add_number(*command, "--starts", a->options.starts, "Fits of every size; the best one counts", 1, 100);
  add_threads(*command, a->options.threads);
  command->add_flag("--json", a->json, "Print the table of sizes as JSON");
  auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->footer(
      "Examples:\n  bl simplify model.bl data.csv --output small.bl\n"
      "  bl simplify model.bl data.csv --blocks 3 --columns 8 --output small.bl\n"
      "  bl explain small.bl");
  command->callback([a, command, reading] { run_simplify(*a, *command, reading->settings()); });
}

}  // namespace bl::cli
