#include "bl/explain.hpp"

#include <fmt/format.h>

#include <charconv>
#include <map>

#include "bl/errors.hpp"
#include "bl/output.hpp"
#include "choice.hpp"
#include "commands.hpp"
#include "options.hpp"

namespace bl::cli {

namespace {

struct ExplainArguments {
  std::string model, data, format = "text", units = "original", terms = "5", output = "-", numeraire,
                           part = "all", alternative, attribute;
  std::size_t row = 0, threads = 0;
  bool marginal = false, importance = false, economics = false, json = false;
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
  static const std::map<std::string, ExplainFormat> formats = {
      {"text", ExplainFormat::text},         {"json", ExplainFormat::json}, {"latex", ExplainFormat::latex},
      {"markdown", ExplainFormat::markdown}, {"dot", ExplainFormat::dot},   {"svg", ExplainFormat::svg}};
  const auto found = formats.find(name);
  if (found == formats.end())
    throw UsageError(fmt::format("--format '{}': expected text, json, latex, markdown, dot or svg", name));
  return found->second;
}

std::string table_text(const OutputTable& table) {
  return format_table(table, TableFormat::csv, true);
}

// The formulas, or with data and --economics what follows from them.
void explain_choices(const ExplainArguments& a, ExplainFormat format, const CLI::App& command,
                     const Settings& reading) {
  refuse_for_choices(command, {"--row", "--importance", "--part"});
  if (a.economics && a.data.empty())
    throw UsageError("--economics needs data: bl explain MODEL DATA --economics");
  if (!a.economics && !a.data.empty()) throw UsageError("data of choices is read for --economics");
  if (a.economics)
    return choice_economics(a.model, Data::read(a.data, reading),
                            {a.attribute, a.numeraire, a.json, a.threads});
  write_text(a.output, explain_choice(ChoiceModel::load(a.model), format, a.options, a.alternative));
}

void run_explain(ExplainArguments& a, const CLI::App& command, const Settings& reading) {
  const ExplainFormat format = format_from_name(a.format);
  if (a.units != "original" && a.units != "standardised")
    throw UsageError(fmt::format("--units '{}': expected original or standardised", a.units));
  a.options.standardised = a.units == "standardised";
  a.options.terms = term_count(a.terms);
  if (is_choice_model(a.model)) return explain_choices(a, format, command, reading);
  const int of_data = (a.row > 0 ? 1 : 0) + (a.marginal ? 1 : 0) + (a.importance ? 1 : 0);
  if (of_data > 1)
    throw UsageError("--row, --marginal and --importance exclude each other; give one of them");
  if (of_data == 1 && a.data.empty())
    throw UsageError("--row, --marginal and --importance need data: bl explain MODEL DATA");
  if (of_data == 0 && !a.data.empty())
    throw UsageError("data is read for --row, --marginal or --importance; give one of them");
  const Model model = Model::load(a.model);
  if (of_data == 0) return write_text(a.output, explain_model(model, format, a.options));
  const Data data = model.read(a.data, reading);
  if (a.row > 0) return write_text(a.output, explain_row(model, data, a.row, a.options));
  if (a.marginal) return write_text(a.output, table_text(marginal_utilities(model, data, a.numeraire)));
  write_text(a.output, table_text(importance(model, data, part_from_name(a.part))));
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App* command = app.add_subcommand("explain", "The learned problem: max U subject to C <= 0 and T = 0");
  auto a = std::make_shared<ExplainArguments>();
  command->add_option("model", a->model, "Model that bl fit wrote")->required()->option_text("MODEL");
  command->add_option("data", a->data, "Rows for --row, --marginal and --importance")->option_text("FILE");
  command->add_option("--format", a->format, "Form of the problem; json is complete and exact")
      ->option_text("text|json|latex|markdown|dot|svg");
  command
      ->add_option("--units", a->units, "Coefficients for the data's own units or for standardised columns")
      ->option_text("original|standardised");
  command->add_option("--terms", a->terms, "Largest terms of each formula, the others become R; or all")
      ->option_text("[5]");
  command->add_option("--threshold", a->options.threshold, "Leave out terms below this share of the largest")
      ->option_text("[0]");
  command->add_option("--block", a->options.block, "Only this block, for example L1.B2")->option_text("NAME");
  command->add_option("--row", a->row, "Take one row apart: its utility by block and head; 1 is the first")
      ->option_text("N");
  command->add_flag("--marginal", a->marginal,
                    "Marginal utilities and effects on probabilities, averaged over rows (CSV)");
  command->add_option("--numeraire", a->numeraire, "With --marginal: rates of substitution for this column")
      ->option_text("NAME");
  command->add_flag("--importance", a->importance, "Log-likelihood lost without each column's terms (CSV)");
  command
      ->add_option("--part", a->part,
                   "With --importance: only these rows of the file the model was fitted on")
      ->option_text("all|train|validation|test");
  command->add_option("-o,--output", a->output, "Where it goes; - for standard output")->option_text("FILE");
  const std::string choices = "Choices among alternatives";
  command->add_option("--alternative", a->alternative, "The utility of this alternative alone")
      ->option_text("NAME")
      ->group(choices);
  command
      ->add_flag("--economics", a->economics,
                 "Marginal utilities, elasticities and, with --numeraire, values in money")
      ->group(choices);
  command->add_option("--attribute", a->attribute, "With --economics: only these, comma-separated")
      ->option_text("NAMES")
      ->group(choices);
  command->add_flag("--json", a->json, "With --economics: print as JSON")->group(choices);
  command->add_option("--threads", a->threads, "Threads; 0: one per processor")
      ->option_text("[0]")
      ->check(thread_range())
      ->group(choices);
  auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->footer(
      "Examples:\n  bl explain model.bl\n  bl explain model.bl --block L1.B2 --terms all --units "
      "standardised\n"
      "  bl explain model.bl --format latex --output problem.tex\n  bl explain model.bl data.csv --row 17\n"
      "  bl explain choices.bl trips.csv --economics --attribute time --numeraire cost");
  command->callback([a, command, reading] { run_explain(*a, *command, reading->settings()); });
}

}  // namespace bl::cli
