#include "bl/settings.hpp"

#include "commands.hpp"
#include "options.hpp"

namespace bl::cli {

void add_settings(CLI::App& app) {
  struct Arguments {
    std::string output = "-";
    bool markdown = false;
  };
  CLI::App* command =
      app.add_subcommand("settings", "Write a settings file with every default and its meaning");
  auto a = std::make_shared<Arguments>();
  command->add_option("-o,--output", a->output, "Where it goes; - for standard output")->option_text("FILE");
  command->add_flag("--markdown", a->markdown, "As the reference page instead");
  command->footer(
      "Example:\n  bl settings --output fit.toml\n  bl fit data.csv --config fit.toml --target y -o "
      "model.bl");
  command->callback(
      [a] { write_text(a->output, a->markdown ? settings_reference() : write_settings_file(Settings{})); });
}

}  // namespace bl::cli
