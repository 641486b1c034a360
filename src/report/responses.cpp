#include "report/responses.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "economics/responses.hpp"
#include "predict/prediction.hpp"
#include "report/chart.hpp"
#include "report/html.hpp"

namespace bl::report {

namespace {

constexpr std::size_t kMostLevels = 24;
// Rows that an average is taken over; the distribution of a number costs more than a class's probabilities.
constexpr std::size_t kMovedClassRows = 100, kMovedNumberRows = 40;

bool of_number(const TableSubject& s) {
  return s.fitted.space.single_continuous();
}

// Columns of predict_rows that are followed: of two classes the second alone.
std::vector<std::size_t> outcome_columns(const TableSubject& s) {
  if (of_number(s)) return {0};
  const auto classes = static_cast<std::size_t>(s.fitted.space.classes());
  if (classes == 2) return {2};
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < std::min(classes, kStyles); ++c) columns.push_back(1 + c);
  return columns;
}

std::vector<Cell> places_of(const ColumnView& view) {
  std::vector<Cell> cells;
  if (!view.is_number) {
    for (std::size_t k = 0; k < view.levels.size(); ++k)
      cells.push_back({.level = static_cast<std::int32_t>(k)});
    std::stable_sort(cells.begin(), cells.end(), [&](const Cell& a, const Cell& b) {
      return view.shares[static_cast<std::size_t>(a.level)] > view.shares[static_cast<std::size_t>(b.level)];
    });
    if (cells.size() > kMostLevels) cells.resize(kMostLevels);
    std::sort(cells.begin(), cells.end(), [](const Cell& a, const Cell& b) { return a.level < b.level; });
    return cells;
  }
  for (const double place : view.places) cells.push_back({.number = place});
  return cells;
}

OutputTable predictions(const TableSubject& s, const Table& table, bool band) {
  PredictOptions options;
  if (band) options.quantiles = {0.1, 0.9};
  return predict_rows(s.fitted, s.encoder, table, all_rows(table.rows), s.fitted.utility, options, s.job);
}

// A chart per outcome: at the start and on average, by level.
std::vector<NamedChart> level_charts(const TableSubject& s, const ResponseCurve& curve,
                                     const std::vector<Cell>& cells, const std::vector<std::string>& labels) {
  const ColumnView& view = s.columns[curve.column];
  std::vector<NamedChart> out;
  for (std::size_t k = 0; k < labels.size(); ++k) {
    BarChart chart{.title = fmt::format("{} by {}", labels[k], view.name),
                   .bars = {},
                   .percent = !of_number(s),
                   .narrow = true};
    for (std::size_t i = 0; i < cells.size(); ++i)
      chart.bars.push_back({.label = view.levels[static_cast<std::size_t>(cells[i].level)],
                            .value = curve.at_start[k][i],
                            .second = curve.average[k][i]});
    out.push_back({view.name,
                   fmt::format("{}: {} (first bar), average over rows (second)", labels[k], s.start_text),
                   bar_chart(chart)});
  }
  return out;
}

std::string level_table(const TableSubject& s, const ResponseCurve& curve, const std::vector<Cell>& cells,
                        const std::vector<std::string>& labels) {
  const ColumnView& view = s.columns[curve.column];
  HtmlTable out{.caption = fmt::format("<b>{}</b>: average over rows", escaped(view.name)),
                .columns = {escaped(view.name)},
                .rows = {}};
  for (const std::string& label : labels) out.columns.push_back(escaped(label));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    out.rows.push_back({escaped(view.levels[static_cast<std::size_t>(cells[i].level)])});
    for (const auto& outcome : curve.average) out.rows.back().push_back(percent(outcome[i]));
  }
  return table(out);
}

}  // namespace

std::vector<std::string> outcome_labels(const TableSubject& s) {
  if (of_number(s))
    return {"mean of " + s.fitted.stored.encoder.responses()[s.fitted.space.continuous_responses[0]].name};
  std::vector<std::string> labels;
  for (const std::size_t column : outcome_columns(s))
    labels.push_back("p(" + s.fitted.space.class_labels[column - 1] + ")");
  return labels;
}

ResponseCurve response_curve(const TableSubject& s, std::size_t column) {
  const std::vector<Cell> cells = places_of(s.columns[column]);
  ResponseCurve curve{.column = column};
  for (const Cell& cell : cells) curve.places.push_back(cell.number);
  const OutputTable start =
      predictions(s, with_cells(s.encoder, repeated_row(s.encoder, s.start, 1), column, cells), of_number(s));
  const Table rows = feature_rows(s.encoder, s.table,
                                  thinned_rows(s.shown, of_number(s) ? kMovedNumberRows : kMovedClassRows));
  curve.average = mean_responses(s.fitted, s.encoder, rows, column, cells, outcome_columns(s), {}, s.job);
  for (const std::size_t outcome : outcome_columns(s))
    curve.at_start.push_back(start.columns[outcome].numbers);
  if (of_number(s)) {
    curve.lower = start.columns[2].numbers;
    curve.upper = start.columns[3].numbers;
  }
  return curve;
}

std::vector<NamedChart> curve_charts(const TableSubject& s, const ResponseCurve& curve) {
  const ColumnView& view = s.columns[curve.column];
  const std::vector<std::string> labels = outcome_labels(s);
  if (!view.is_number) return level_charts(s, curve, places_of(view), labels);
  const bool classes = !of_number(s);
  LineChart chart{.title = fmt::format("{} along {}", labels[0], view.name),
                  .x_label = view.name,
                  .y_label = labels.size() == 1 ? labels[0] : "probability",
                  .lines = {},
                  .y_low = classes ? 0 : kNone,
                  .y_high = classes ? 1 : kNone,
                  .histogram = view.histogram,
                  .marks = {s.start[curve.column].number}};
  if (labels.size() == 1) {
    chart.lines.push_back({s.start_text, curve.places, curve.at_start[0], curve.lower, curve.upper});
    chart.lines.push_back({"average over rows", curve.places, curve.average[0]});
    return {{view.name, "", line_chart(chart)}};
  }
  for (std::size_t k = 0; k < labels.size(); ++k)
    chart.lines.push_back({labels[k], curve.places, curve.average[k]});
  std::vector<NamedChart> out = {{view.name, "average over rows", line_chart(chart)}};
  for (std::size_t k = 0; k < labels.size(); ++k) chart.lines[k].y = curve.at_start[k];
  out.push_back({view.name, s.start_text, line_chart(chart)});
  return out;
}

std::string curve_figure(const TableSubject& s, const ResponseCurve& curve) {
  const ColumnView& view = s.columns[curve.column];
  const std::vector<std::string> labels = outcome_labels(s);
  if (!view.is_number && labels.size() > 1) return level_table(s, curve, places_of(view), labels);
  std::string out;
  for (const NamedChart& chart : curve_charts(s, curve)) out += figure(chart);
  return out;
}

std::vector<std::string> curve_legend(const TableSubject& s) {
  const std::vector<std::string> labels = outcome_labels(s);
  return labels.size() == 1 ? std::vector<std::string>{s.start_text, "average over rows"} : labels;
}

}  // namespace bl::report
