#include <fmt/format.h>

#include "bl/model.hpp"
#include "commands.hpp"
#include "spelling.hpp"

namespace bl::cli {

void add_inspect(CLI::App& app) {
  struct Arguments {
    std::string model;
    bool json = false;
  };
  CLI::App* command = app.add_subcommand("inspect", "What is in a model file");
  auto a = std::make_shared<Arguments>();
  command->add_option("model", a->model, "Model that bl fit wrote")->required()->option_text("MODEL");
  command->add_flag("--json", a->json, "Everything but the parameters' values, as JSON");
  command->footer("Example:\n  bl inspect model.bl");
  command->callback([a] {
    const Model model = Model::load(a->model);
    fmt::print("{}", a->json ? model.information_json() + "\n" : spelled(model.describe()));
  });
}

}  // namespace bl::cli
