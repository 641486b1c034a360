#include "bl/model.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "spelling.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

const char* digest_text(FileDigest digest) {
  switch (digest) {
    case FileDigest::none:
      return "none: written by an earlier version";
    case FileDigest::holds:
      return "holds: the contents are those that were written";
    case FileDigest::broken:
      break;
  }
  return "BROKEN: the file was damaged or edited after it was written";
}

}  // namespace

void add_inspect(CLI::App& app) {
  struct Arguments {
    std::string model;
    bool json = false;
  };
  CLI::App* command = app.add_subcommand("inspect", "What is in a model file");
  auto a = std::make_shared<Arguments>();
  add_model_argument(*command, a->model);
  command->add_flag("--json", a->json, "Everything but the parameters' values, as JSON");
  command->footer("Example:\n  bl inspect model.bl");
  command->callback([a, command] {
    if (a->json) return write_text("-", open_model(*command, a->model).information_json() + "\n");
    const InspectedFile file = inspect_file(a->model);
    say("{}{:<12}{}\n", spelled(file.model.describe()), "digest", digest_text(file.digest));
  });
}

}  // namespace bl::cli
