#include "bl/settings.hpp"

#include <fmt/ranges.h>

#include "commands.hpp"
#include "options.hpp"

namespace bl::cli {

namespace {

// docs/settings.md.
std::string reference_page() {
  std::string out =
      "# Settings\n\nMade by `bl settings --markdown` from the one list in `include/bl/settings.def`; do not "
      "edit.\n"
      "On the command line a setting is an option with dashes (`--learning-rate 0.01`) or `--set "
      "learning_rate=0.01`;\n"
      "in a file given with `--config` it is a line `learning_rate = 0.01`. The command line wins over the "
      "file.\n";
  std::string_view group;
  for (const SettingInfo& info : setting_list()) {
    if (info.group != group)
      out +=
          fmt::format("\n## {}\n\n| setting | default | values | meaning |\n|---|---|---|---|\n", info.group);
    group = info.group;
    std::string values;
    switch (info.kind) {
      case SettingInfo::Kind::text:
        values = "text";
        break;
      case SettingInfo::Kind::flag:
        values = "true, false";
        break;
      case SettingInfo::Kind::choice:
        values = fmt::format("{}", fmt::join(info.choices, ", "));
        break;
      case SettingInfo::Kind::number:
      case SettingInfo::Kind::integer:
        values = fmt::format("{} to {}", info.lowest, info.highest);
        break;
    }
    std::string help(info.help);
    for (std::size_t at = 0; (at = help.find('|', at)) != std::string::npos; at += 2) help.insert(at, "\\");
    out += fmt::format("| `{}` | {} | {} | {} |\n", info.name,
                       info.default_value.empty() ? "" : "`" + info.default_value + "`", values, help);
  }
  return out;
}

}  // namespace

void add_settings(CLI::App& app) {
  struct Arguments {
    std::string output = "-";
    bool markdown = false;
  };
  CLI::App* command =
      app.add_subcommand("settings", "Write a settings file: every default and its meaning, commented out");
  auto a = std::make_shared<Arguments>();
  command->add_option("-o,--output", a->output, "Where it goes; - for standard output")->option_text("FILE");
  command->add_flag("--markdown", a->markdown, "As the reference page instead");
  command->footer(
      "Example:\n  bl settings --output fit.toml\n  bl fit data.csv --config fit.toml --target y -o "
      "model.bl");
  command->callback([a, command] {
    check_output_path(*command, a->output);
    write_text(a->output, a->markdown ? reference_page() : write_settings_file(Settings{}));
  });
}

}  // namespace bl::cli
