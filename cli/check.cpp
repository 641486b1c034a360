#include "bl/check.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "spelling.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

struct CheckArguments {
  std::string model, data;
  bool json = false;
  CheckOptions options;
};

void run_check(CheckArguments& a, const CLI::App& command, const Settings& reading) {
  const Model model = open_model(command, a.model);
  const Data data = model.read(a.data, reading);
  catch_interrupts();
  a.options.should_stop = interrupted;
  const CheckReport report = with_progress(a.json, [&](const auto& progress) {
    a.options.on_progress = progress;
    return check_model(model, data, a.options);
  });
  if (a.json) return write_text("-", check_json(report));
  std::string out = check_text(report);
  for (const std::string& finding : report.findings) out += wrapped(spelled(finding), 0) + "\n";
  say(out);
}

}  // namespace

void add_check(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("check", "Simulate from a model and fit it again: do its errors hold?");
  auto a = std::make_shared<CheckArguments>();
  add_model_argument(*command, a->model);
  command
      ->add_option("data", a->data,
                   "Whose features to use (the training rows, where it is the file of the fit)")
      ->required()
      ->option_text("FILE");
  add_number(*command, "--replications", a->options.replications, "Simulated data sets, each fitted again", 2,
             1000000);
  add_number(*command, "--starts", a->options.starts,
             "Random starts of every refit beside the model's own parameters", 0, 1000);
  add_seed(*command, a->options.seed);
  add_threads(*command, a->options.threads);
  add_device(*command, a->options.device, "Where simulated data sets are fitted");
  command->add_flag("--json", a->json, "Print as JSON");
  auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->footer("Example:\n  bl check model.bl data.csv --replications 200");
  command->callback([a, command, reading] { run_check(*a, *command, reading->settings()); });
}

}  // namespace bl::cli
