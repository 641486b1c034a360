// Words that a shell can complete, taken from the commands and options themselves.
#include <fmt/format.h>

#include "bl/errors.hpp"
#include "commands.hpp"
#include "options.hpp"

namespace bl::cli {

namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string names(const CLI::App& app) {
  std::string words;
  for (const CLI::App* command : commands_of(app)) words += command->get_name() + " ";
  return words;
}

// Options, and the commands below this one.
std::string words_of(const CLI::App& command) {
  std::string words;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) words += "--" + name + " ";
    for (const std::string& name : option->get_snames()) words += "-" + name + " ";
  }
  return words + names(command);
}

// The cases of a shell's `case` statement: a command and its words.
std::string cases(const CLI::App& app) {
  std::string out;
  for (const CLI::App* command : commands_of(app))
    out += fmt::format("    {}) choices=\"{}\" ;;\n", command->get_name(), words_of(*command));
  return out;
}

std::string bash(const CLI::App& app) {
  return fmt::format(
      "# bash completion of bl:  bl completion bash > ~/.local/share/bash-completion/completions/bl\n"
      "_bl() {{\n  local current=${{COMP_WORDS[COMP_CWORD]}} choices=\"\"\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W \"{} --help --version\" -- \"$current\"))\n    return\n  fi\n"
      "  case ${{COMP_WORDS[1]}} in\n{}  esac\n"
      "  COMPREPLY=($(compgen -W \"$choices\" -- \"$current\"))\n"
      "  [[ $current == -* ]] || COMPREPLY+=($(compgen -f -- \"$current\"))\n}}\n"
      "complete -o filenames -F _bl bl\n",
      names(app), cases(app));
}

std::string zsh(const CLI::App& app) {
  return fmt::format(
      "#compdef bl\n# zsh completion of bl:  bl completion zsh > a folder of $fpath, as _bl\n"
      "_bl() {{\n"
      "  if ((CURRENT == 2)); then\n    compadd -- {} --help --version\n    return\n  fi\n"
      "  local choices=\"\"\n  case ${{words[2]}} in\n{}  esac\n"
      "  compadd -- ${{=choices}}\n  _files\n}}\n"
      "if [[ $funcstack[1] == _bl ]]; then _bl \"$@\"; else compdef _bl bl; fi\n",
      names(app), cases(app));
}

std::string quoted(std::string text) {
  for (std::size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return "'" + text + "'";
}

std::string fish(const CLI::App& app) {
  std::string out = "# fish completion of bl:  bl completion fish > ~/.config/fish/completions/bl.fish\n";
  for (const CLI::App* command : commands_of(app)) {
    out += fmt::format("complete -c bl -n __fish_use_subcommand -a {} -d {}\n", command->get_name(),
                       quoted(command->get_description()));
    for (const CLI::Option* option : command->get_options()) {
      std::string spelled;
      for (const std::string& name : option->get_lnames()) spelled += " -l " + name;
      for (const std::string& name : option->get_snames()) spelled += " -s " + name;
      if (!spelled.empty())
        out += fmt::format("complete -c bl -n '__fish_seen_subcommand_from {}'{} -d {}\n",
                           command->get_name(), spelled, quoted(option->get_description()));
    }
  }
  return out;
}

}  // namespace

void add_completion(CLI::App& app) {
  CLI::App* command = app.add_subcommand("completion", "Write a script with which a shell completes bl");
  auto shell = std::make_shared<std::string>();
  command->add_option("shell", *shell, "bash, zsh or fish")->required()->option_text("bash|zsh|fish");
  command->footer("Example:\n  source <(bl completion bash)");
  command->callback([&app, shell] {
    if (*shell == "bash") return write_text("-", bash(app));
    if (*shell == "zsh") return write_text("-", zsh(app));
    if (*shell == "fish") return write_text("-", fish(app));
    throw UsageError(fmt::format("'{}': expected bash, zsh or fish", *shell));
  });
}

}  // namespace bl::cli
