#include "bl/explain.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>

#include "bl/errors.hpp"
#include "commands.hpp"
#include "options.hpp"

namespace bl::cli {

namespace {

struct ExplainArguments {
  std::string model, format = "text", units = "original", terms = "5", output = "-";
  ExplainOptions options;
};

std::optional<std::size_t> term_count(const std::string& text) {
  if (text == "all") return std::nullopt;
  std::size_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc() || end != text.data() + text.size())
    throw UsageError(fmt::format("--terms '{}': expected a whole number, or all", text));
  return count;
}

ExplainFormat format_from_name(const std::string& name) {
  static const std::map<std::string, ExplainFormat> formats = {{"text", ExplainFormat::text},
                                                               {"json", ExplainFormat::json},
                                                               {"latex", ExplainFormat::latex},
                                                               {"markdown", ExplainFormat::markdown},
                                                               {"dot", ExplainFormat::dot}};
  const auto found = formats.find(name);
  if (found == formats.end())
    throw UsageError(fmt::format("--format '{}': expected text, json, latex, markdown or dot", name));
  return found->second;
}

void run_explain(ExplainArguments& a) {
  const ExplainFormat format = format_from_name(a.format);
  if (a.units != "original" && a.units != "standardised")
    throw UsageError(fmt::format("--units '{}': expected original or standardised", a.units));
  a.options.standardised = a.units == "standardised";
  a.options.terms = term_count(a.terms);
  write_text(a.output, explain_model(Model::load(a.model), format, a.options));
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App* command = app.add_subcommand("explain", "The learned problem: max U subject to C <= 0 and T = 0");
  auto a = std::make_shared<ExplainArguments>();
  command->add_option("model", a->model, "Model that bl fit wrote")->required()->option_text("MODEL");
  command->add_option("--format", a->format, "Form of the problem; json is complete and exact")
      ->option_text("text|json|latex|markdown|dot");
  command
      ->add_option("--units", a->units, "Coefficients for the data's own units or for standardised columns")
      ->option_text("original|standardised");
  command->add_option("--terms", a->terms, "Largest terms of each formula, the others become R; or all")
      ->option_text("[5]");
  command->add_option("--threshold", a->options.threshold, "Leave out terms below this share of the largest")
      ->option_text("[0]");
  command->add_option("--block", a->options.block, "Only this block, for example L1.B2")->option_text("NAME");
  command->add_option("-o,--output", a->output, "Where it goes; - for standard output")->option_text("FILE");
  command->footer(
      "Examples:\n  bl explain model.bl\n  bl explain model.bl --block L1.B2 --terms all --units "
      "standardised\n"
      "  bl explain model.bl --format latex --output problem.tex");
  command->callback([a] { run_explain(*a); });
}

}  // namespace bl::cli
