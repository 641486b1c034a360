#include <fmt/format.h>

#include <filesystem>

#include "bl/compare.hpp"
#include "bl/errors.hpp"
#include "bl/output.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "spelling.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

struct CompareArguments {
  std::vector<std::string> models;
  std::string format = "text", output = "-";
  InferenceOptions options;
};

void run_compare(const CompareArguments& a, const CLI::App& command) {
  const SummaryFormat format = summary_format(a.format);
  check_output_path(command, a.output);
  std::vector<std::pair<std::string, InferenceSummary>> models;
  for (const std::string& path : a.models) {
    const Model model = Model::load(path);
    try {
      models.emplace_back(std::filesystem::path(path).stem().string(), stored_inference(model, a.options));
    } catch (const NeedsData& error) {
      throw UsageError(fmt::format("{}: {}: bl summary {} DATA --save {}", path, error.what(), path, path));
    }
  }
  const std::string out = spelled(render(compare(models), format));
  if (a.format == "json" || a.format == "csv")
    write_text(a.output, out);
  else
    write_for_people(a.output, out);
}

}  // namespace

void add_compare(CLI::App& app) {
  CLI::App* command = app.add_subcommand("compare", "Estimates of several models side by side");
  auto a = std::make_shared<CompareArguments>();
  command->add_option("models", a->models, "Model files with standard errors, two or more")
      ->required()
      ->option_text("MODELS");
  command->add_option("--covariance", a->options.covariance, "Which of the stored errors")
      ->option_text("robust|classical|cluster");
  command->add_option("--format", a->format, "Form of the table")
      ->option_text("text|json|csv|latex|markdown");
  command->add_option("-o,--output", a->output, "Where the table goes; - for standard output")
      ->option_text("FILE");
  command->footer(
      "Examples:\n  bl compare logit.bl nested.bl mixed.bl\n  bl compare logit.bl mixed.bl --covariance "
      "cluster "
      "--format latex -o table.tex");
  command->callback([a, command] { run_compare(*a, *command); });
}

}  // namespace bl::cli
