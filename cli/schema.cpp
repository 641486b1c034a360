#include "bl/data.hpp"
#include "commands.hpp"
#include "options.hpp"

namespace bl::cli {

void add_schema(CLI::App& app) {
  struct Arguments {
    std::string data, output = "-";
  };
  CLI::App* command =
      app.add_subcommand("schema", "Write the roles and types of a file's columns, to edit and give to fit");
  auto a = std::make_shared<Arguments>();
  command->add_option("data", a->data, "Data file")->required()->option_text("FILE");
  command->add_option("-o,--output", a->output, "Where the schema goes; - for standard output")
      ->option_text("FILE");
  auto settings = std::make_shared<SettingOptions>(
      *command, std::vector<std::string>{"target", "ignore", "weight", "group", "id", "continuous", "nominal",
                                         "schema", "delimiter", "decimal_comma", "labels"});
  command->footer(
      "Example:\n  bl schema data.csv --target y --output schema.toml\n"
      "  bl fit data.csv --schema schema.toml --output model.bl");
  command->callback([a, command, settings] {
    check_output_path(*command, a->output);
    const Settings chosen = settings->settings();
    write_text(a->output, schema_file(Data::read(a->data, chosen), chosen));
  });
}

}  // namespace bl::cli
