#include "choice.hpp"
#include "commands.hpp"

namespace bl::cli {

void add_whatif(CLI::App& app) {
  struct Arguments {
    std::string model, data;
    bool json = false;
    std::size_t threads = 0;
  };
  CLI::App* command =
      app.add_subcommand("whatif", "Choices when attributes change and alternatives come or go");
  auto a = std::make_shared<Arguments>();
  command->add_option("model", a->model, "Model that bl fit --choice wrote")
      ->required()
      ->option_text("MODEL");
  command->add_option("data", a->data, "Situations to look at")->required()->option_text("FILE");
  const auto choice = std::make_shared<ChoiceWhatIfOptions>(*command);
  command->add_flag("--json", a->json, "Print the result as JSON");
  command->add_option("--threads", a->threads, "Threads; 0: one per processor")
      ->option_text("[0]")
      ->check(thread_range());
  const auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->footer(
      "Examples:\n  bl whatif model.bl trips.csv --change 'car.cost=cost * 1.1' --money cost\n"
      "  bl whatif model.bl trips.csv --add taxi=car --change 'taxi.cost=3 * cost'\n"
      "  bl whatif model.bl trips.csv --withdraw train");
  command->callback([a, choice, reading] {
    choice->run(a->model, Data::read(a->data, reading->settings()), a->json, a->threads);
  });
}

}  // namespace bl::cli
