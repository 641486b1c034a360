#include "bl/inference.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

struct CanonicalArguments {
  std::string model, reference, output;
};

void run_canonical(const CanonicalArguments& a, const CLI::App& command) {
  if (command.count("--output") > 0) check_model_path(command, a.output, true);
  const Canonical form = canonical(open_model(command, a.model), a.reference);
  for (const std::string& note : form.notes) say("note      {}\n", note);
  const std::string path = a.output.empty() ? a.model : a.output;
  form.model.save(path);
  say("saved     {}\n", path);
}

}  // namespace

void add_canonical(CLI::App& app) {
  CLI::App* command = app.add_subcommand(
      "canonical", "Write a model in canonical form: signs, scale and order fixed by convention");
  auto a = std::make_shared<CanonicalArguments>();
  add_model_argument(*command, a->model);
  command
      ->add_option("--reference", a->reference,
                   "The class or alternative whose coefficients are 0; none: the first")
      ->option_text("CLASS");
  command->add_option("-o,--output", a->output, "Where the model goes; none: in place of the old one")
      ->option_text("FILE");
  command->footer("Example:\n  bl canonical model.bl --output canonical.bl");
  command->callback([a, command] { run_canonical(*a, *command); });
}

}  // namespace bl::cli
