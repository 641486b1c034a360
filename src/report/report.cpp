#include "bl/report.hpp"
#include "base/joined.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/context.hpp"
#include "bl/errors.hpp"
#include "report/chart.hpp"
#include "report/html.hpp"
#include "report/matters.hpp"
#include "report/page.hpp"
#include "report/page_model.hpp"
#include "report/pixels.hpp"
#include "report/problem_html.hpp"
#include "report/quality.hpp"
#include "report/record.hpp"
#include "report/responses.hpp"
#include "report/uncertainty.hpp"
#include "report/what_if.hpp"

namespace bl {

namespace {

using namespace report;

constexpr std::size_t kMostCurves = 24, kFirstCurves = 9;

// Before each part of so many: tells where the work stands, and ends it where asked.
void begin(const char* part, int number, int of, const Context& job) {
  job.require_going();
  if (number == 1) return job.tell(part);
  job.tell(fmt::format("{} ({} of {}), {}", part, number, of,
                       time_left(job.seconds(), static_cast<double>(number - 1) / of)));
}

std::string curves_html(const TableSubject& s, const Importance& importance) {
  std::string first, rest;
  std::size_t drawn = 0;
  for (const ColumnImportance& one : importance.columns) {
    if (drawn == kMostCurves) break;
    (drawn++ < kFirstCurves ? first : rest) += curve_figure(s, response_curve(s, one.column));
  }
  std::string out = legend(curve_legend(s));
  out += "<div class=\"figures\">" + first + "</div>\n";
  if (!rest.empty()) out += details("Columns that matter less", "<div class=\"figures\">" + rest + "</div>");
  if (importance.columns.size() > kMostCurves)
    out += paragraph(fmt::format("Curves of the {} columns that matter most, of {}.", kMostCurves,
                                 importance.columns.size()));
  return out;
}

// Without its folder, which is nobody else's business.
std::string file_name(const Data& data) {
  return std::filesystem::path(data.source()).filename().string();
}

// The columns that matter most, in one sentence.
std::string leading_text(const TableSubject& s, const Importance& importance) {
  std::string names;
  const std::size_t count = std::min<std::size_t>(3, importance.columns.size());
  for (std::size_t i = 0; i < count; ++i)
    names += (i == 0           ? ""
              : i + 1 == count ? " and "
                               : ", ") +
             ("<b>" + escaped(s.columns[importance.columns[i].column].name) + "</b>");
  return names;
}

Section importance_section(const std::string& body) {
  return {"importance", "Importance", "What matters",
          "The longer a bar, the more the model's predictions lose without the column.", body};
}

Section constraint_section(const std::string& body) {
  return {"constraints", "Constraints", "Which constraints bind",
          "Slack: room is left. Binding: at the limit. Violated: the limit is broken at a cost. The shadow "
          "price is the mean utility gained if the limit were one unit looser.",
          body};
}

Section problem_section(const FittedModel& fitted) {
  const explain::Problem original = problem_of(fitted, explain::Units::original);
  const explain::Problem standardised = problem_of(fitted, explain::Units::standardised);
  return {
      "problem", "The problem", "The problem that was learned",
      "Read a block as a wish (U), limits (C) and balances (T); point at a symbol to see what it is, open a "
      "block "
      "for its formulas.",
      problem_statement(fitted, standardised) + picture_html(standardised) +
          "<h3>Blocks</h3><p class=\"help\">The percentage is the block's part in the utility of its layer. "
          "<label class=\"units\" hidden><input type=\"checkbox\" id=\"units\"> standardised "
          "units</label></p>" +
          blocks_html(original, standardised)};
}

Section coefficient_section(const Model& model) {
  return {"coefficients", "Coefficients", "How sure the coefficients are",
          "A dot is an estimate, the line through it its interval.", coefficients_html(model)};
}

Section record_section(const FittedModel& fitted, const Data& data, const ReportOptions& options) {
  return {"record", "Record", "The record", "What it takes to make the same model and the same page again.",
          record_html(fitted, data, options)};
}

std::string what_if_help() {
  return "Move a slider and the prediction follows: the page evaluates the model's own formula and gives the "
         "library's numbers.";
}

Page table_page(const Model& model, const Data& data, const ReportOptions& options, const Context& job,
                nlohmann::json& document) {
  const std::string kind = page_kind(model.impl());
  begin("columns", 1, 6, job);
  const TableSubject s = table_subject(model, data, options.row, job);
  Page page{
      .title = options.title.empty() ? "What " + response_name(s.fitted) + " depends on" : options.title,
      .lead = {},
      .sections = {}};
  begin("importance", 2, 6, job);
  const Importance importance = column_importance(s);
  begin("quality", 3, 6, job);
  const Quality quality = kind == "class"    ? class_quality(s)
                          : kind == "number" ? number_quality(s)
                                             : other_quality(s);
  begin("response curves", 4, 6, job);
  const bool pixels = reads_pixels(s.fitted);
  const std::string curves = kind.empty() || pixels ? "" : curves_html(s, importance);
  begin("constraints", 5, 6, job);
  const std::string constraints = constraints_html(s);
  begin("problem", 6, 6, job);
  page.lead =
      paragraph(fmt::format("A model of <b>{}</b> given {} columns of {}, learned as an optimization problem "
                            "that people behave as if they "
                            "solved. What matters most: {}.{}",
                            escaped(response_name(s.fitted)), s.columns.size(), escaped(file_name(data)),
                            leading_text(s, importance),
                            quality.headline.empty() ? "" : " How good it is: " + quality.headline + "."));
  page.sections.push_back(
      {"what-if", "What if", "What if", what_if_help(), kind.empty() ? "" : table_what_if(s)});
  page.sections.push_back(importance_section(importance_html(s, importance)));
  if (pixels)
    page.sections.push_back(
        {"heads", "Heads", "What the heads look for",
         "Weights of pixels: blue where a brighter pixel raises the head, red where it lowers it.",
         pixel_heads_html(s.fitted, problem_of(s.fitted, explain::Units::standardised))});
  if (!kind.empty() && !pixels)
    page.sections.push_back(
        {"curves", "Curves", "How the prediction changes with each column",
         "The other columns stay as they are. The bars at the foot show where the rows lie, the thin "
         "vertical line marks the value of the row" +
             std::string(kind == "number" ? ", the band holds 80% of the predicted distribution." : "."),
         curves});
  page.sections.push_back(
      {"quality", "Quality", "How good it is", "Judged on rows whose outcome is known.", quality.html});
  page.sections.push_back(problem_section(s.fitted));
  page.sections.push_back(constraint_section(constraints));
  page.sections.push_back(coefficient_section(model));
  page.sections.push_back(record_section(s.fitted, data, options));
  if (kind.empty()) page.sections.erase(page.sections.begin());
  document = kind.empty() ? nlohmann::json::object() : table_document(s, importance);
  return page;
}

Page choice_page(const Model& model, const Data& data, const ReportOptions& options, const Context& job,
                 nlohmann::json& document) {
  begin("situations", 1, 7, job);
  const ChoiceSubject s = choice_subject(model, data, options.row, options.money, job);
  begin("quality", 2, 7, job);
  const Quality quality = choice_quality(s.fitted, s.judged, s.judged_text, job);
  begin("importance", 3, 7, job);
  const std::string matters = choice_importance(s);
  begin("scenarios", 4, 7, job);
  const Scenarios scenarios = attribute_scenarios(s);
  begin("economics", 5, 7, job);
  const std::string economics = economics_html(s);
  begin("constraints", 6, 7, job);
  const std::string constraints = constraints_html(s);
  begin("problem", 7, 7, job);
  const std::string names = joined(s.all.alternatives, ", ",
                                   [](const std::string& name) { return "<b>" + escaped(name) + "</b>"; });
  Page page{.title = options.title.empty() ? "How people choose: " + response_name(s.fitted) : options.title,
            .lead = {},
            .sections = {}};
  page.lead =
      paragraph(fmt::format("A model of choices among {}, learned from {} situations of {}: the utility that "
                            "people behave as if they maximised. How good it is: {}.",
                            names, s.all.situations(), escaped(file_name(data)), quality.headline));
  page.sections.push_back({"what-if", "What if", "What if", what_if_help(), choice_what_if(s)});
  if (!matters.empty()) page.sections.push_back(importance_section(matters));
  page.sections.push_back(
      {"market", "Market", "Shares and surplus under another price",
       "Move the factor to see market shares; surplus is what people gain or lose in all.",
       "<div id=\"market-controls\" hidden></div>\n" + scenarios_html(s, scenarios)});
  page.sections.push_back(
      {"economics", "Economics", "Trade-offs and elasticities",
       "What people give up of one thing to gain another, and how shares respond to a change of one percent.",
       economics});
  page.sections.push_back({"curves", "Curves", "How the choice changes with each attribute",
                           fmt::format("For {}; the bars at the foot show where the situations lie, the thin "
                                       "vertical line marks its own value.",
                                       escaped(s.start_text)),
                           choice_curves(s)});
  page.sections.push_back(
      {"quality", "Quality", "How good it is", "Judged on situations whose choice is known.", quality.html});
  page.sections.push_back(problem_section(s.fitted));
  page.sections.push_back(constraint_section(constraints));
  page.sections.push_back(coefficient_section(model));
  page.sections.push_back(record_section(s.fitted, data, options));
  document = choice_document(s, scenarios);
  return page;
}

}  // namespace

std::string report_html(const Model& model, const Data& data, const ReportOptions& options) {
  const Context job(options.threads,
                    {.should_stop = options.should_stop, .on_progress = options.on_progress});
  if (!options.money.empty() && !model.is_choice())
    throw UsageError("`money` is for models of choices among alternatives");
  nlohmann::json document;
  const Page page = model.is_choice() ? choice_page(model, data, options, job, document)
                                      : table_page(model, data, options, job, document);
  return render_page(page, document);
}

}  // namespace bl
