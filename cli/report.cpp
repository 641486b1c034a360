#include "bl/report.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

struct ReportArguments {
  std::string model, data, output;
  ReportOptions options;
};

std::string command_text(const ReportArguments& a) {
  std::string text = fmt::format("bl report {} {} --output {}", a.model, a.data, a.output);
  if (a.options.row > 0) text += fmt::format(" --row {}", a.options.row);
  if (!a.options.money.empty()) text += " --money " + a.options.money;
  return text;
}

void run_report(ReportArguments& a, const CLI::App& command, const Settings& reading) {
  check_output_path(command, a.output);
  const Model model = open_model(command, a.model);
  const Data data = model.read(a.data, reading);
  catch_interrupts();
  a.options.should_stop = interrupted;
  a.options.command = command_text(a);
  const std::string page = [&] {
    ProgressLine line(false);
    a.options.on_progress = [&](double seconds, const std::string& text) { line.show(seconds, text); };
    return report_html(model, data, a.options);
  }();
  write_text(a.output, page);
  if (a.output != "-")
    say("saved     {}, {:.1f} MB; open it in a browser\n", a.output, static_cast<double>(page.size()) / 1e6);
}

}  // namespace

void add_report(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "report", "One HTML file that shows a model to people: what was learned, how sure, what if");
  auto a = std::make_shared<ReportArguments>();
  add_model_argument(*command, a->model);
  command->add_option("data", a->data, "Rows with known responses, best those of its fit")
      ->required()
      ->option_text("FILE");
  command->add_option("-o,--output", a->output, "Where the page goes")->required()->option_text("FILE");
  command->add_option("--title", a->options.title, "Its heading")->option_text("TEXT");
  command
      ->add_option(
          "--row", a->options.row,
          "Begin at this row of the data (1 is the first) instead of a typical one; its values then stand in "
          "the file")
      ->option_text("N")
      ->check(CLI::PositiveNumber);
  command
      ->add_option(
          "--money", a->options.money,
          "Of choices: the attribute that is a cost; without it one called cost, price, fare or toll")
      ->option_text("NAME");
  add_threads(*command, a->options.threads);
  auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->footer(
      "The file needs nothing else: no network, no program. It holds the model's\n"
      "parameters, names of columns and levels, and aggregates of the data: quantiles,\n"
      "histograms, shares, means and counts over rows. No row of the data goes into it\n"
      "unless --row asks for one.\n\n"
      "Examples:\n  bl report model.bl data.csv --output report.html\n"
      "  bl report swissmetro.bl swissmetro.dat --money cost --output report.html");
  command->callback([a, command, reading] { run_report(*a, *command, reading->settings()); });
}

}  // namespace bl::cli
