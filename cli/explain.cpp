#include "bl/explain.hpp"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <map>

#include "bl/errors.hpp"
#include "bl/output.hpp"
#include "bl/response_curves.hpp"
#include "bl/shapley.hpp"
#include "choice.hpp"
#include "commands.hpp"
#include "options.hpp"
#include "spelling.hpp"
#include "terminal.hpp"

namespace bl::cli {

namespace {

struct ExplainArguments {
  std::string model, data, format = "text", units = "original", terms, output = "-", numeraire, part = "all",
                           at = "observed", attribute, columns, by;
  std::size_t row = 0, threads = 0;
  bool economics = false, constraints = false, importance = false, by_head = false, json = false,
       full = false, shapley = false, responses = false, curves = false;
  ShapleyOptions game;
  ExplainOptions options;
  EconomicsErrors errors;
};

// A picture holds more terms than a line.
std::optional<std::size_t> term_count(const std::string& text, bool picture) {
  if (text.empty()) return picture ? 14 : 5;
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

std::string table_text(const OutputTable& table, bool json) {
  return json ? json_array(table) : format_table(table, TableFormat::csv, true);
}

// What of the data is asked for: at most one of these.
std::string question_of(const ExplainArguments& a) {
  std::vector<std::string> asked;
  if (a.economics) asked.emplace_back("--economics");
  if (a.constraints) asked.emplace_back("--constraints");
  if (a.importance) asked.emplace_back("--importance");
  if (a.shapley) asked.emplace_back("--shapley");
  if (a.responses) asked.emplace_back("--responses");
  if (a.curves) asked.emplace_back("--response-curves");
  if (a.row > 0 && !a.economics && !a.curves) asked.emplace_back("--row");
  if (asked.size() > 1)
    throw UsageError(fmt::format("{} and {} exclude each other; give one of them", asked[0], asked[1]));
  return asked.empty() ? "" : asked[0];
}

// Options that belong to a question.
void check_options(const ExplainArguments& a, const CLI::App& command, const std::string& question) {
  const bool economics = question == "--economics", constraints = question == "--constraints",
             importance = question == "--importance", shapley = question == "--shapley",
             table = economics || constraints || importance || shapley || question == "--responses",
             curves = question == "--response-curves";
  only_for(command, {"--numeraire"}, economics || constraints, "--economics and --constraints");
  only_for(command, {"--part"}, table && !shapley,
           "--economics, --constraints, --importance and --responses");
  only_for(command, {"--columns"}, curves, "--response-curves");
  only_for(command, {"--background"}, shapley, "--shapley");
  only_for(command, {"--at"}, constraints, "--constraints");
  only_for(command, {"--by-head"}, importance, "--importance");
  only_for(command, {"--json"}, table, "tables; the problem itself has --format json");
  only_for(command, {"--format", "--terms", "--threshold", "--full"}, question.empty(), "the problem itself");
  only_for(command, {"--attribute", "--by"}, economics, "--economics");
  only_for(command, {"--covariance", "--draws", "--level"}, economics, "--economics");
  only_for(command, {"--seed"}, economics || shapley, "--economics and --shapley");
  only_for(command, {"--alternative"}, question.empty(), "the problem itself");
  only_for(command, {"--units", "--block"}, !table && !curves, "the problem itself and --row");
  if (a.at != "observed" && a.at != "best")
    throw UsageError(fmt::format("--at '{}': expected observed or best", a.at));
}

OutputTable shapley_rows(const Model& model, const Data& data, const ExplainArguments& a) {
  ShapleyOptions options = a.game;
  options.threads = a.threads;
  options.seed = a.errors.seed;
  ProgressLine line(false);
  options.on_progress = [&](double seconds, const std::string& text) { line.show(seconds, text); };
  return shapley_table(shapley_values(model, data, data, options));
}

struct Answer {
  std::string text;
  bool for_people = false;
};

// A table's economics are one more table; those of choices are text, or JSON.
Answer economics_of(const Model& model, const std::function<Data()>& read, const CLI::App& command,
                    const ExplainArguments& a) {
  if (!model.is_choice()) {
    only_for(command, {"--attribute", "--by"}, false, kForChoices);
    only_for(command, kErrorOptions, false,
             std::string(kForChoices) + "; the errors of a table's economics are in bl summary");
    const EconomicsOptions options{a.numeraire, a.row, part_from_name(a.part), a.threads};
    return {table_text(economics(model, read(), options), a.json)};
  }
  only_for(command, {"--row", "--part"}, false, "the economics of a table");
  check_error_options(command, a.errors);
  const ChoiceEconomicsRun run{a.attribute, a.numeraire, a.by, a.threads, a.errors};
  if (a.json) return {choice_economics_json(model, read(), run).dump(2) + "\n"};
  return {choice_economics(model, read(), run), true};
}

Answer of_data(const Model& model, const std::function<Data()>& read, const std::string& question,
               const CLI::App& command, const ExplainArguments& a) {
  const Part part = part_from_name(a.part);
  if (question == "--economics") return economics_of(model, read, command, a);
  const Data data = read();
  if (question == "--row") return {spelled(explain_row(model, data, a.row, a.options)), true};
  if (question == "--response-curves")
    return {response_curves(model, data, {name_list(a.columns), a.row, a.threads})};
  const OutputTable table =
      question == "--constraints"
          ? constraint_diagnostics(model, data, {a.numeraire, a.at == "best", part, a.threads})
      : question == "--responses" ? responses(model, data, {part, a.threads, tell_note})
      : question == "--shapley"   ? shapley_rows(model, data, a)
                                  : importance(model, data, {a.by_head, part, a.threads});
  return {table_text(table, a.json)};
}

void run_explain(ExplainArguments& a, const CLI::App& command, const Settings& reading) {
  const ExplainFormat format = format_from_name(a.format);
  if (a.units != "original" && a.units != "standardised")
    throw UsageError(fmt::format("--units '{}': expected original or standardised", a.units));
  a.options.standardised = a.units == "standardised";
  a.options.terms = term_count(a.terms, format == ExplainFormat::svg);
  a.options.full = a.full || command.count("--terms") + command.count("--threshold") > 0;
  a.options.color = a.output == "-" && standard_output_has_color();
  check_output_path(command, a.output);
  const Model model = open_model(command, a.model);
  const std::string question = question_of(a);
  check_options(a, command, question);
  if (!question.empty() && a.data.empty())
    throw UsageError(fmt::format("{} needs data: bl explain MODEL DATA {}", question, question));
  const bool with_data = question.empty() && !a.data.empty();
  if (with_data && format != ExplainFormat::text)
    throw UsageError(
        "data is read for --row, --economics, --constraints, --importance, --responses, --response-curves or "
        "--shapley, and for the text of a table's model; give one of them");
  if (question.empty()) {
    std::string out = spelled(explain_model(model, format, a.options));
    if (with_data)
      out = explain_responses(model, model.read(a.data, reading),
                              {.threads = a.threads, .on_note = tell_note}) +
            "\n" + out;
    return format == ExplainFormat::json ? write_text(a.output, out)
                                         : write_for_people(a.output, out, a.options.color);
  }
  const auto read = [&] { return model.read(a.data, reading); };
  const Answer answer = of_data(model, read, question, command, a);
  if (answer.for_people)
    write_for_people(a.output, answer.text, a.options.color);
  else
    write_text(a.output, answer.text);
}

// How the problem is shown.
void add_problem_options(CLI::App& command, ExplainArguments& a) {
  command.add_option("--format", a.format, "Form of the problem; json is complete and exact")
      ->option_text("text|json|latex|markdown|dot|svg");
  command.add_option("--units", a.units, "Coefficients for the data's own units or for standardised columns")
      ->option_text("original|standardised");
  command.add_option("--terms", a.terms, "Largest terms of each formula, the others become R; or all")
      ->option_text("[5; svg: 14]");
  command.add_option("--threshold", a.options.threshold, "Leave out terms below this share of the largest")
      ->option_text("[0]");
  command.add_flag("--full", a.full,
                   "As text every block, also of a large problem, which is otherwise shown on one screen; "
                   "--terms and --threshold ask for it as well");
  command.add_option("--block", a.options.block, "Only this block, for example L1.B2")->option_text("NAME");
}

// What is asked of rows.
void add_question_options(CLI::App& command, ExplainArguments& a) {
  command.add_option("--row", a.row, "Explain one row: its utility by block and head; 1 is the first")
      ->option_text("N")
      ->check(CLI::Range(1, 1000000000));
  command.add_flag("--economics,--marginal", a.economics,
                   "Marginal utilities, rates, willingness to pay, effects and elasticities by column (CSV), "
                   "averaged or, with --row, at one row");
  command.add_flag("--constraints", a.constraints,
                   "How often each constraint binds, its slack and its shadow price (CSV)");
  command.add_flag("--importance", a.importance, "Log-likelihood lost without each column's terms (CSV)");
  command.add_flag("--responses", a.responses,
                   "What is predicted where each column is low, at its median and high, or at each level, on "
                   "average over rows (CSV)");
  command.add_flag(
      "--shapley", a.shapley,
      "By row what each column adds to the prediction, compared with the mean of the rows (CSV); "
      "exact for few columns, else with standard errors");
  command.add_flag("--response-curves", a.curves,
                   "How the prediction changes with each column, for a typical row (or that of --row) and "
                   "on average (SVG)");
  command.add_option("--columns", a.columns, "With --response-curves: only these, comma-separated")
      ->option_text("NAMES");
  command
      .add_option("--background", a.game.background, "With --shapley: rows to compare with, drawn; 0: all")
      ->option_text("[100]");
  command.add_option("--numeraire", a.numeraire, "Column in whose units rates and shadow prices are given")
      ->option_text("NAME");
  command.add_option("--at", a.at, "With --constraints: at which response of each row")
      ->option_text("observed|best");
  command.add_flag("--by-head", a.by_head, "With --importance: in one head at a time");
  command.add_option("--part", a.part, "Of a table: only these rows of the file the model was fitted on")
      ->option_text("all|train|validation|test");
}

}  // namespace

void add_explain(CLI::App& app) {
  CLI::App* command = app.add_subcommand("explain", "The learned problem: max U subject to C <= 0 and T = 0");
  auto a = std::make_shared<ExplainArguments>();
  add_model_argument(*command, a->model);
  command
      ->add_option(
          "data", a->data,
          "Rows to show what moves the response, and for --row, --economics, --constraints, --importance, "
          "--responses, --response-curves and --shapley")
      ->option_text("FILE");
  add_problem_options(*command, *a);
  add_question_options(*command, *a);
  command->add_flag("--json", a->json, "Print a table as JSON");
  command->add_option("-o,--output", a->output, "Where it goes; - for standard output")->option_text("FILE");
  add_threads(*command, a->threads);
  const std::string choices = "Choices among alternatives";
  command->add_option("--alternative", a->options.alternative, "The utility of this alternative alone")
      ->option_text("NAME")
      ->group(choices);
  command->add_option("--attribute", a->attribute, "With --economics: only these, comma-separated")
      ->option_text("NAMES")
      ->group(choices);
  command->add_option("--by", a->by, "With --economics: for each level of this column of the person")
      ->option_text("COLUMN")
      ->group(choices);
  add_error_options(*command, a->errors);
  auto reading = std::make_shared<SettingOptions>(*command, reading_settings());
  command->footer(
      "Examples:\n  bl explain model.bl\n  bl explain model.bl data.csv\n  bl explain model.bl --full\n  bl "
      "explain model.bl --block L1.B2 "
      "--terms all --units "
      "standardised\n"
      "  bl explain model.bl --format svg --output network.svg\n  bl explain model.bl data.csv --row 17\n"
      "  bl explain model.bl data.csv --economics --numeraire price\n"
      "  bl explain model.bl data.csv --constraints --at best\n"
      "  bl explain model.bl data.csv --response-curves --output curves.svg\n"
      "  bl explain choices.bl trips.csv --economics --attribute time --numeraire cost\n"
      "  bl explain choices.bl trips.csv --economics --numeraire cost --by income");
  command->callback([a, command, reading] { run_explain(*a, *command, reading->settings()); });
}

}  // namespace bl::cli
