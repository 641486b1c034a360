#include "economics/responses.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/quantile.hpp"
#include "base/text.hpp"
#include "base/wrapped_text.hpp"
#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "features/column_kind.hpp"
#include "predict/prediction.hpp"

namespace bl {

Table with_cells(const Encoder& encoder, const Table& rows, std::size_t column,
                 const std::vector<Cell>& cells) {
  std::vector<Index> repeated;
  std::vector<Cell> values;
  for (const Cell& cell : cells)
    for (Index i = 0; i < rows.rows; ++i) {
      repeated.push_back(i);
      values.push_back(cell);
    }
  Table out = chosen_rows(rows, repeated);
  out.columns[column] = column_of(encoder.features()[column], values);
  return out;
}

std::vector<std::vector<double>> mean_responses(const FittedModel& model, const Encoder& encoder,
                                                const Table& rows, std::size_t column,
                                                const std::vector<Cell>& cells,
                                                const std::vector<std::size_t>& outcomes,
                                                const PredictOptions& options, const Context& job,
                                                RowNotes* notes) {
  const Table table = with_cells(encoder, rows, column, cells);
  const OutputTable many =
      predict_rows(model, encoder, table, all_rows(table.rows), model.utility, options, job, notes);
  const auto count = static_cast<std::size_t>(rows.rows);
  std::vector<std::vector<double>> means;
  for (const std::size_t outcome : outcomes) {
    std::vector<double> mean(cells.size(), 0);
    for (std::size_t i = 0; i < many.rows; ++i)
      mean[i / count] += many.columns[outcome].numbers[i] / static_cast<double>(count);
    means.push_back(std::move(mean));
  }
  return means;
}

namespace {

// Rows that a mean is taken over, and columns and levels that the text shows.
constexpr std::size_t kRows = 200, kColumns = 15, kLevels = 3;

// What is predicted: class probabilities, or the median of a number, which no tail dominates.
struct Outcomes {
  std::vector<std::string> names;
  std::vector<std::size_t> columns;  // of predict_rows
  PredictOptions options = {};
  bool probabilities = true;
};

Outcomes outcomes_of(const FittedModel& model) {
  Outcomes out;
  if (model.space.single_continuous()) {
    const auto& response = model.stored.encoder.responses()[model.space.continuous_responses[0]];
    out.names = {"median of " + response.name};
    out.columns = {2};  // after mean and standard deviation
    out.options.quantiles = {0.5};
    out.probabilities = false;
    return out;
  }
  const auto& labels = model.space.class_labels;
  if (labels.empty() || !model.space.continuous_responses.empty())
    throw UsageError("responses by column need a model of one number or of classes");
  for (std::size_t c = labels.size() == 2 ? 1 : 0; c < labels.size(); ++c) {
    out.names.push_back("p(" + labels[c] + ")");
    out.columns.push_back(1 + c);  // after the predicted class
  }
  return out;
}

struct ColumnResponse {
  std::string name;
  std::vector<std::string> values = {}, shown = {};  // exact, and rounded for people
  std::vector<std::vector<double>> means = {};       // [outcome][value]

  double span(std::size_t outcome) const {
    const auto [low, high] = std::minmax_element(means[outcome].begin(), means[outcome].end());
    return *high - *low;
  }
  std::size_t widest() const {
    std::size_t best = 0;
    for (std::size_t k = 1; k < means.size(); ++k)
      if (span(k) > span(best)) best = k;
    return best;
  }
};

// Quantiles of a number (its least and largest value where those are alike), or all levels.
std::vector<Cell> cells_of_column(const FeatureEncoding& feature, const Column& column) {
  std::vector<Cell> cells;
  if (facts(feature.type).levels) {
    for (std::size_t k = 0; k < feature.levels.size(); ++k)
      cells.push_back({.level = static_cast<std::int32_t>(k)});
    return cells;
  }
  std::vector<double> values;
  for (const double value : column.numbers.view())
    if (!std::isnan(value)) values.push_back(value);
  if (values.empty()) return cells;
  std::sort(values.begin(), values.end());
  std::vector<double> places = {quantile(values, 0.1), quantile(values, 0.5), quantile(values, 0.9)};
  if (places.front() == places.back()) places = {values.front(), values.back()};
  places.erase(std::unique(places.begin(), places.end()), places.end());
  for (const double place : places) cells.push_back({.number = place});
  return cells;
}

struct Responses {
  Outcomes outcomes;
  std::vector<ColumnResponse> columns;  // the widest span first
  std::size_t rows = 0;
};

Responses responses_of(const Model& model, const Data& data, const ResponsesOptions& options) {
  if (model.is_choice()) throw UsageError("responses by column are of tables; choices have elasticities");
  const FittedModel& fitted = model.impl();
  const Table& table = data.impl().table;
  const Encoder encoder = fitted.stored.encoder.with_unseen(UnseenPolicy::missing);
  const std::vector<Index> part = rows_of_part(fitted, table, options.part);
  if (part.empty()) throw DataError(data.source() + ": there are no rows in this part");
  if (encoder.features().size() > kMostResponseColumns)
    throw UsageError(fmt::format("responses by column are for at most {} columns; this model has {}",
                                 kMostResponseColumns, encoder.features().size()));
  const Table all = feature_rows(encoder, table, part);
  const Table rows = feature_rows(encoder, table, thinned_rows(part, kRows));
  const Context job(options.threads);
  HeardNotes heard(options.on_note);
  Responses out{.outcomes = outcomes_of(fitted), .columns = {}, .rows = static_cast<std::size_t>(rows.rows)};
  for (std::size_t f = 0; f < encoder.features().size(); ++f) {
    const FeatureEncoding& feature = encoder.features()[f];
    if (feature.type == ColumnType::text) continue;
    const std::vector<Cell> cells = cells_of_column(feature, all.columns[f]);
    if (cells.size() < 2) continue;
    ColumnResponse response{.name = feature.name};
    for (const Cell& cell : cells) {
      const bool number = !facts(feature.type).levels;
      response.values.push_back(number ? fmt::format("{}", cell.number)
                                       : feature.levels[static_cast<std::size_t>(cell.level)]);
      response.shown.push_back(number ? fmt::format("{:.4g}", cell.number) : response.values.back());
    }
    response.means = mean_responses(fitted, encoder, rows, f, cells, out.outcomes.columns,
                                    out.outcomes.options, job, heard.notes());
    out.columns.push_back(std::move(response));
  }
  heard.tell();
  std::stable_sort(out.columns.begin(), out.columns.end(),
                   [](const auto& a, const auto& b) { return a.span(a.widest()) > b.span(b.widest()); });
  return out;
}

// Positions of the values to show: all, or of many levels those with the lowest and the highest prediction.
std::vector<std::size_t> shown_values(const ColumnResponse& column, const std::vector<double>& means) {
  std::vector<std::size_t> order(column.values.size());
  std::iota(order.begin(), order.end(), 0);
  if (order.size() <= kLevels) return order;
  const auto [low, high] = std::minmax_element(means.begin(), means.end());
  return {static_cast<std::size_t>(low - means.begin()), static_cast<std::size_t>(high - means.begin())};
}

std::string line_of(const ColumnResponse& column, const Outcomes& outcomes) {
  const std::size_t outcome = column.widest();
  const std::vector<double>& means = column.means[outcome];
  const bool one = outcomes.names.size() == 1;
  std::string line =
      one ? fmt::format("  {:<16}", shortened(column.name, 16))
          : fmt::format("  {:<12} {:<9}", shortened(column.name, 12), shortened(outcomes.names[outcome], 9));
  for (const std::size_t i : shown_values(column, means)) {
    const std::string mean =
        outcomes.probabilities ? fmt::format("{:.1f}%", 100 * means[i]) : fmt::format("{:.4g}", means[i]);
    line += fmt::format(" {:>9} {:<7}", shortened(column.shown[i], 9) + ":", mean);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

OutputTable responses(const Model& model, const Data& data, const ResponsesOptions& options) {
  const Responses found = responses_of(model, data, options);
  OutputTable out{.rows = 0, .columns = {{"column", {}, {}}, {"value", {}, {}}}};
  for (const std::string& name : found.outcomes.names) out.columns.push_back({name, {}, {}});
  for (const ColumnResponse& column : found.columns)
    for (std::size_t i = 0; i < column.values.size(); ++i) {
      out.columns[0].texts.push_back(column.name);
      out.columns[1].texts.push_back(column.values[i]);
      for (std::size_t k = 0; k < column.means.size(); ++k)
        out.columns[2 + k].numbers.push_back(column.means[k][i]);
      ++out.rows;
    }
  return out;
}

std::string explain_responses(const Model& model, const Data& data, const ResponsesOptions& options) {
  const Responses found = responses_of(model, data, options);
  const bool one = found.outcomes.names.size() == 1;
  std::string out = wrapped(
      "",
      fmt::format("What moves {}: mean over {} rows where a column holds the value before the colon and the "
                  "others stay as they are",
                  one ? (found.outcomes.probabilities ? "" : "the ") + found.outcomes.names[0]
                      : "the probabilities (of the class that moves most)",
                  found.rows),
      2, 80);
  const std::size_t shown = std::min(kColumns, found.columns.size());
  for (std::size_t i = 0; i < shown; ++i) out += line_of(found.columns[i], found.outcomes);
  if (shown < found.columns.size())
    out += fmt::format("  {} more columns move it less\n", found.columns.size() - shown);
  return out;
}

}  // namespace bl
