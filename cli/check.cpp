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

CheckReport report_of(CheckArguments& a, const CLI::App& command, const Settings& reading) {
  const Model model = open_model(command, a.model);
  const Data data = model.read(a.data, reading);
  catch_interrupts();
  a.options.should_stop = interrupted;
  ProgressLine line(a.json);
  a.options.on_progress = [&](double seconds, const std::string& text) { line.show(seconds, text); };
  return check_model(model, data, a.options);
}

void run_check(CheckArguments& a, const CLI::App& command, const Settings& reading) {
  const CheckReport report = report_of(a, command, reading);
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
  command->add_option("--replications", a->options.replications, "Simulated data sets, each fitted again")
      ->option_text("[100]")
      ->check(CLI::Range(2, 1000000));
  command
      ->add_option("--starts", a->options.starts,
                   "Random starts of every refit beside the model's own parameters")
      ->option_text("[0]")
      ->check(CLI::Range(0, 1000));
  command->add_option("--seed", a->options.seed, "Decides every draw")
      ->option_text("[1]")
      ->check(seed_range());
  command->add_option("--threads", a->options.threads, "Threads; 0: one per processor")
      ->option_text("[0]")
      ->check(thread_range());
  command->add_option("--device", a->options.device, "Where simulated data sets are fitted")
      ->option_text("[cpu]|cuda|auto")
      ->check(CLI::IsMember({"cpu", "cuda", "auto"}));
  command->add_flag("--json", a->json, "Print as JSON");
  auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->footer("Example:\n  bl check model.bl data.csv --replications 200");
  command->callback([a, command, reading] { run_check(*a, *command, reading->settings()); });
}

}  // namespace bl::cli
