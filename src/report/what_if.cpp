#include "report/what_if.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "choice/scores.hpp"
#include "predict/prediction.hpp"
#include "report/html.hpp"
#include "report/page_model.hpp"

namespace bl::report {

namespace {

using nlohmann::json;

constexpr std::size_t kSwitches = 12, kAllColumns = 60, kLeadingColumns = 40;

json value_of(const ColumnView& view, const Cell& cell) {
  if (cell.missing) return nullptr;
  return view.is_number ? json(cell.number) : json(view.levels[static_cast<std::size_t>(cell.level)]);
}

// A number's slider: as wide as the column reaches, or as the start needs.
json number_json(const ColumnView& view, double value) {
  return {{"name", view.name},
          {"number", true},
          {"value", value},
          {"low", std::min(view.low, value)},
          {"high", std::max(view.high, value)},
          {"whole", view.whole}};
}

json columns_json(const std::vector<ColumnView>& views, const std::vector<Cell>& start) {
  json out = json::array();
  for (std::size_t i = 0; i < views.size(); ++i) {
    if (views[i].is_number && !start[i].missing) {
      out.push_back(number_json(views[i], start[i].number));
      out.back()["histogram"] = views[i].histogram;
    } else {
      out.push_back({{"name", views[i].name},
                     {"number", views[i].is_number},
                     {"value", value_of(views[i], start[i])},
                     {"low", views[i].low},
                     {"high", views[i].high},
                     {"whole", views[i].whole},
                     {"levels", views[i].levels}});
    }
    out.back()["missing"] = views[i].missing > 0;
  }
  return out;
}

// Whether attributes count through terms that are computed from them, which the page cannot compute again.
bool has_terms(const FittedModel& model) {
  return model.stored.choice() != nullptr && !model.choice().schema.terms.empty();
}

json common_document(const FittedModel& model, const std::string& start_text) {
  json out = {{"kind", page_kind(model)}, {"response", response_name(model)}, {"start", start_text}};
  if (page_kind(model).empty() || has_terms(model) || page_model_bytes(model) > kLargestModel) return out;
  out["model"] = page_model(model);
  out["constraints"] = leading_constraints(problem_of(model, explain::Units::standardised), kSwitches);
  return out;
}

std::string cell_text(const ColumnView& view, const Cell& cell) {
  if (cell.missing) return "missing";
  return view.is_number ? number(cell.number) : escaped(view.levels[static_cast<std::size_t>(cell.level)]);
}

std::string values_table(const std::vector<ColumnView>& views, const std::vector<Cell>& start) {
  HtmlTable out{.caption = "", .columns = {"column", "value", "range or most frequent"}, .rows = {}};
  for (std::size_t i = 0; i < views.size(); ++i)
    out.rows.push_back({escaped(views[i].name), cell_text(views[i], start[i]),
                        views[i].is_number ? number(views[i].low) + " to " + number(views[i].high)
                                           : fmt::format("{} levels", views[i].levels.size())});
  return table(out);
}

std::string place_for_controls(const FittedModel& model) {
  if (page_kind(model).empty())
    return paragraph(
        "The page does not evaluate models of several responses; the library and the command line do.",
        "note");
  if (has_terms(model))
    return paragraph(
        "Attributes of this model also count through terms that are computed from them. The page does not "
        "move one "
        "without the other; the market section below follows the terms, and so do the scenarios of the "
        "library "
        "and the command line.",
        "note");
  if (page_model_bytes(model) > kLargestModel)
    return paragraph(
        "The model is too large to be carried by the page, so its values cannot be changed here; the "
        "library and the command line can.",
        "note");
  return "<div id=\"what-if-controls\" hidden></div>\n<noscript><p class=\"note\">With scripts on, this "
         "section has "
         "sliders for every value.</p></noscript>\n";
}

}  // namespace

json table_document(const TableSubject& s, const Importance& importance) {
  json out = common_document(s.fitted, s.start_text);
  if (!out.contains("model")) return out;
  out["columns"] = columns_json(s.columns, s.start);
  if (s.columns.size() <= kAllColumns) return out;
  for (std::size_t i = 0; i < std::min(kLeadingColumns, importance.columns.size()); ++i)
    out["leading"].push_back(s.columns[importance.columns[i].column].name);
  return out;
}

json choice_document(const ChoiceSubject& s, const Scenarios& scenarios) {
  json out = common_document(s.fitted, s.start_text);
  if (out.contains("model")) out["columns"] = columns_json(s.columns, s.start);
  out["alternatives"] = json::array();
  for (std::size_t a = 0; a < s.all.alternatives.size(); ++a) {
    json attributes = json::array();
    for (std::size_t k = 0; k < s.attributes[a].size(); ++k)
      attributes.push_back(
          number_json(s.attributes[a][k], s.start_attributes(static_cast<Index>(a), static_cast<Index>(k))));
    out["alternatives"].push_back({{"name", s.all.alternatives[a]},
                                   {"available", static_cast<bool>(s.start_available[a])},
                                   {"attributes", std::move(attributes)}});
  }
  out["money"] = s.money;
  json entries = json::array();
  for (const AttributeScenario& entry : scenarios.entries)
    entries.push_back({{"alternative", entry.alternative},
                       {"attribute", s.fitted.choice().schema.attributes[entry.attribute]},
                       {"shares", entry.shares},
                       {"surplus", entry.surplus},
                       {"money", entry.money}});
  out["scenarios"] = {{"factors", scenario_factors()}, {"entries", std::move(entries)}};
  return out;
}

std::string table_what_if(const TableSubject& s) {
  PredictOptions options;
  const bool of_number = s.fitted.space.single_continuous();
  if (of_number) options.quantiles = {0.05, 0.5, 0.95};
  const OutputTable predicted = predict_rows(s.fitted, s.encoder, repeated_row(s.encoder, s.start, 1),
                                             all_rows(1), s.fitted.utility, options, s.job);
  HtmlTable out{.caption = "Prediction for " + escaped(s.start_text), .columns = {"", ""}, .rows = {}};
  for (const OutputColumn& column : predicted.columns)
    out.rows.push_back(
        {escaped(column.name), column.texts.empty() ? number(column.numbers[0]) : escaped(column.texts[0])});
  return place_for_controls(s.fitted) + "<div id=\"start-values\">" + table(out) +
         details("The values of " + escaped(s.start_text), values_table(s.columns, s.start)) + "</div>\n";
}

std::string choice_what_if(const ChoiceSubject& s) {
  const ChoiceScores scores = score_choices(s.fitted, repeated_situation(s, 1), s.job, UnseenLevels::missing);
  HtmlTable out{.caption = "Prediction for " + escaped(s.start_text) + ", every alternative available",
                .columns = {"alternative", "probability"},
                .rows = {}};
  for (const ColumnView& view : s.attributes[0]) out.columns.push_back(escaped(view.name));
  for (std::size_t a = 0; a < s.all.alternatives.size(); ++a) {
    out.rows.push_back({escaped(s.all.alternatives[a]), percent(scores.probability[a])});
    for (std::size_t k = 0; k < s.attributes[a].size(); ++k)
      out.rows.back().push_back(number(s.start_attributes(static_cast<Index>(a), static_cast<Index>(k))));
  }
  return place_for_controls(s.fitted) + "<div id=\"start-values\">" + table(out) +
         (s.columns.empty() ? "" : details("The context", values_table(s.columns, s.start))) + "</div>\n";
}

}  // namespace bl::report
