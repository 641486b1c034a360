#include <fmt/format.h>

#include "bl/datasets.hpp"
#include "bl/output.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

struct DataArguments {
  std::string name, output;
  bool quiet = false;
};

void list_datasets() {
  for (const DatasetInfo& one : datasets()) say("{:<12}{}\n", one.name, wrapped(one.summary, 12));
  say("\nbl data NAME writes NAME.csv.\n");
}

const DatasetInfo& information_of(const std::string& name) {
  for (const DatasetInfo& one : datasets())
    if (one.name == name) return one;
  static_cast<void>(dataset(name));  // says which there are
  return datasets().front();
}

// What to type next; of choices that is a longer line.
std::string next_command(const DatasetInfo& info, const std::string& path) {
  return info.name == "commutes"
             ? fmt::format(
                   "bl fit {} --choice wide --chosen mode --alternatives car,train,bus \\\n"
                   "            --attributes time,cost --group person -o model.bl",
                   path)
             : fmt::format("bl fit {} --target {} -o model.bl", path, info.response);
}

void run_data(const DataArguments& a, const CLI::App& command) {
  if (a.name.empty()) return list_datasets();
  const DatasetInfo& info = information_of(a.name);
  const std::string path = a.output.empty() ? a.name + ".csv" : a.output;
  check_output_path(command, path);
  write_text(path, format_table(dataset(a.name), TableFormat::csv, true));
  if (a.quiet || path == "-") return;
  say("{}\n\nsaved     {}\nnext      {}\n", wrapped(info.description, 0), path, next_command(info, path));
}

}  // namespace

void add_data(CLI::App& app) {
  CLI::App* command = app.add_subcommand("data", "Write a data set that comes with bl");
  auto a = std::make_shared<DataArguments>();
  command->add_option("name", a->name, "Which; without it they are listed")->option_text("NAME");
  command->add_option("-o,--output", a->output, "Where it goes, in place of NAME.csv; - for standard output")
      ->option_text("FILE");
  command->add_flag("-q,--quiet", a->quiet, "Print nothing but errors");
  command->footer("Example:\n  bl data households\n  bl fit households.csv --target spending -o model.bl");
  command->callback([a, command] { run_data(*a, *command); });
}

}  // namespace bl::cli
