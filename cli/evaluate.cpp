#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "bl/decide.hpp"
#include "bl/shared_data.hpp"
#include "commands.hpp"
#include "decide.hpp"
#include "options.hpp"
#include "spelling.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

struct EvaluateArguments {
  std::string model, part = "all";
  std::vector<std::string> data, decide;
  bool json = false;
  PredictOptions options;
};

void run_evaluate(EvaluateArguments& a, const CLI::App& command, const Settings& reading) {
  const Model model = open_model(command, a.model);
  const SharedData data = SharedData::read(model, a.data, reading);
  const Part part = part_from_name(a.part);
  const std::optional<Decision> decision = decision_of(model, a.decide);
  std::vector<std::string> notes;
  a.options.on_note = [&](const std::string& text) { notes.push_back(text); };
  const Evaluation found = decision ? evaluate_decisions(model, data.whole(), part, *decision, a.options)
                                    : evaluate(model, data, part, a.options);
  nlohmann::ordered_json out;
  std::string title = a.part == "all" ? fmt::format("all {}", model.row_unit()) : a.part;
  if (!model.is_choice()) {  // of choices it is a metric
    out["rows"] = found.rows;
    title += fmt::format(" ({} rows)", found.rows);
  }
  if (!a.json) {
    say("{}", metrics_text(title, found.metrics));
    for (const std::string& text : notes) say("{}\n", wrapped("note      " + spelled(text), 10));
    return;
  }
  out.update(metrics_json(found.metrics));
  for (const std::string& text : notes) out["notes"].push_back(spelled(text));
  write_text("-", out.dump(2) + "\n");
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("evaluate", "How well a model predicts rows whose response is known");
  auto a = std::make_shared<EvaluateArguments>();
  add_model_argument(*command, a->model);
  command
      ->add_option("data", a->data,
                   "Rows with their responses. Several CSV files, or a pattern in quotes, are one table")
      ->required()
      ->option_text("FILE ...");
  command->add_option("--part", a->part, "Only these rows of the file the model was fitted on")
      ->option_text("all|train|validation|test");
  add_temperature(*command, a->options.temperature);
  add_decide(*command, a->decide);
  command->add_flag("--unseen-as-missing", a->options.treat_unseen_as_missing,
                    "Take levels not seen in training as missing");
  add_threads(*command, a->options.threads)->option_text("N");
  command->add_flag("--json", a->json, "Print as JSON");
  auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->footer(
      "Examples:\n  bl evaluate model.bl data.csv --part test\n"
      "  bl evaluate model.bl data.csv --part test --decide macro_f1\n"
      "  mpirun -n 4 bl evaluate model.bl 'rows-*.csv'");
  command->callback([a, command, reading] { run_evaluate(*a, *command, reading->settings()); });
}

}  // namespace bl::cli
