#include "spelling.hpp"

#include <algorithm>
#include <map>

#include "bl/settings.hpp"

namespace bl::cli {

namespace {

std::string with_dashes(std::string name) {
  std::replace(name.begin(), name.end(), '_', '-');
  return "--" + name;
}

// The library's names and what they are on the command line.
std::map<std::string, std::string>& options() {
  static std::map<std::string, std::string> all = {{"person", "--group"},
                                                   {"simplify", "bl simplify MODEL DATA"}};
  return all;
}

}  // namespace

void learn_options(const CLI::App& app) {
  for (const SettingInfo& info : setting_list())
    options()[std::string(info.name)] = with_dashes(std::string(info.name));
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    for (const CLI::Option* option : command->get_options())
      for (std::string name : option->get_lnames()) {
        std::replace(name.begin(), name.end(), '-', '_');
        options()[name] = with_dashes(name);
      }
}

std::string spelled(const std::string& text) {
  std::string out;
  std::size_t from = 0;
  for (std::size_t open = text.find('`'); open != std::string::npos;) {
    const std::size_t close = text.find('`', open + 1);
    if (close == std::string::npos) break;
    const auto found = options().find(text.substr(open + 1, close - open - 1));
    if (found == options().end()) {
      open = close;  // it may open the next
      continue;
    }
    out += text.substr(from, open - from) + found->second;
    from = close + 1;
    open = text.find('`', from);
  }
  return out + text.substr(from);
}

}  // namespace bl::cli
