#include "economics/typical.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/quantile.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "features/column_kind.hpp"

namespace bl {

namespace {

constexpr std::size_t kBins = 24, kPlaces = 13;

ColumnView level_view(const FeatureEncoding& feature, const Column& column, const std::vector<Index>& rows) {
  ColumnView view{.name = feature.name, .is_number = false};
  view.levels = feature.levels;
  view.shares.assign(feature.levels.size(), 0);
  const LevelLookup lookup(column, feature.levels);
  double present = 0;
  for (const Index row : rows) {
    const std::int32_t code = lookup(row);
    if (code < 0) continue;
    view.shares[static_cast<std::size_t>(code)] += 1;
    present += 1;
  }
  for (double& share : view.shares) share /= std::max(1.0, present);
  view.missing = rows.empty() ? 0 : 1 - present / static_cast<double>(rows.size());
  const auto most = std::max_element(view.shares.begin(), view.shares.end());
  view.typical.level = static_cast<std::int32_t>(most - view.shares.begin());
  return view;
}

}  // namespace

ColumnView number_view(const std::string& name, std::vector<double> values, double missing) {
  ColumnView view{.name = name, .missing = missing};
  view.histogram.assign(kBins, 0);
  if (values.empty()) return view;
  std::sort(values.begin(), values.end());
  view.whole = std::all_of(values.begin(), values.end(), [](double v) { return v == std::round(v); });
  view.low = quantile(values, 0.01);
  view.high = quantile(values, 0.99);
  view.typical.number = quantile(values, 0.5);
  if (view.whole) {
    view.typical.number = std::round(view.typical.number);
    view.low = std::floor(view.low);
    view.high = std::ceil(view.high);
  }
  if (!(view.high > view.low)) {  // nearly all values are alike: the whole range, or one unit
    view.low = values.front();
    view.high = values.back() > values.front() ? values.back() : values.front() + 1;
  }
  for (std::size_t i = 0; i < kPlaces; ++i) {
    const double share = static_cast<double>(i) / (kPlaces - 1);
    view.places.push_back(view.low + share * (view.high - view.low));
    view.places.push_back(std::clamp(quantile(values, share), view.low, view.high));
  }
  std::sort(view.places.begin(), view.places.end());
  view.places.erase(std::unique(view.places.begin(), view.places.end()), view.places.end());
  double counted = 0;
  for (const double value : values) {
    if (value < view.low || value > view.high) continue;
    const double share = (value - view.low) / (view.high - view.low);
    view.histogram[std::min(kBins - 1, static_cast<std::size_t>(share * kBins))] += 1;
    counted += 1;
  }
  for (double& share : view.histogram) share /= std::max(1.0, counted);
  return view;
}

std::vector<ColumnView> column_views(const Encoder& encoder, const Table& table,
                                     const std::vector<Index>& rows) {
  std::vector<ColumnView> views;
  for (const FeatureEncoding& feature : encoder.features()) {
    if (feature.type == ColumnType::text)
      throw UsageError(
          fmt::format("column {} is running text, and a report or a response curve shows numbers and levels "
                      "alone; fit a model "
                      "without it (`ignore`)",
                      in_quotes(feature.name)));
    const Column& column = table.column(feature.name);
    if (facts(feature.type).levels) {
      views.push_back(level_view(feature, column, rows));
      continue;
    }
    std::vector<double> values;
    if (column.raw == RawType::numeric)
      for (const Index row : rows)
        if (!column.missing(row)) values.push_back(column.numbers[static_cast<std::size_t>(row)]);
    const double present = static_cast<double>(values.size());
    views.push_back(number_view(feature.name, std::move(values),
                                rows.empty() ? 0 : 1 - present / static_cast<double>(rows.size())));
  }
  return views;
}

std::vector<Cell> cells_of(const Encoder& encoder, const Table& table, Index row) {
  std::vector<Cell> cells;
  for (const FeatureEncoding& feature : encoder.features()) {
    const Column& column = table.column(feature.name);
    Cell cell{.missing = column.missing(row)};
    if (facts(feature.type).levels) {
      cell.level = LevelLookup(column, feature.levels)(row);
      cell.missing = cell.level < 0;
    } else if (!cell.missing && column.raw == RawType::numeric) {
      cell.number = column.numbers[static_cast<std::size_t>(row)];
    }
    cells.push_back(cell);
  }
  return cells;
}

std::vector<Cell> typical_cells(const std::vector<ColumnView>& views) {
  std::vector<Cell> cells;
  for (const ColumnView& view : views) cells.push_back(view.typical);
  return cells;
}

Column column_of(const FeatureEncoding& feature, const std::vector<Cell>& cells) {
  Column column;
  column.name = feature.name;
  column.raw = feature.raw;
  if (feature.raw == RawType::text) column.levels = feature.levels;
  for (const Cell& cell : cells) {
    const bool levels = facts(feature.type).levels;
    if (feature.raw == RawType::text)
      column.codes.push_back(cell.missing ? kMissingCode : cell.level);
    else if (cell.missing)
      column.numbers.push_back(std::nan(""));
    else
      column.numbers.push_back(
          levels ? std::strtod(feature.levels[static_cast<std::size_t>(cell.level)].c_str(), nullptr)
                 : cell.number);
  }
  return column;
}

namespace {

Table rows_of_columns(const Table& table, const std::vector<const Column*>& columns,
                      const std::vector<Index>& rows) {
  Table out;
  out.source = table.source;
  out.rows = static_cast<Index>(rows.size());
  for (const Index row : rows) out.lines.append(table.lines[row]);
  for (const Column* column : columns) {
    Column chosen;
    chosen.name = column->name;
    chosen.raw = column->raw;
    chosen.levels = column->levels;
    chosen.ordered = column->ordered;
    for (const Index row : rows) {
      const auto at = static_cast<std::size_t>(row);
      if (column->raw == RawType::text)
        chosen.codes.push_back(column->codes[at]);
      else
        chosen.numbers.push_back(column->numbers[at]);
    }
    out.columns.push_back(std::move(chosen));
  }
  return out;
}

}  // namespace

Table chosen_rows(const Table& table, const std::vector<Index>& rows) {
  std::vector<const Column*> columns;
  for (const Column& column : table.columns) columns.push_back(&column);
  return rows_of_columns(table, columns, rows);
}

Table feature_rows(const Encoder& encoder, const Table& table, const std::vector<Index>& rows) {
  std::vector<const Column*> columns;
  for (const FeatureEncoding& feature : encoder.features()) columns.push_back(&table.column(feature.name));
  return rows_of_columns(table, columns, rows);
}

Table repeated_row(const Encoder& encoder, const std::vector<Cell>& cells, Index count) {
  Table out;
  out.source = "typical row";
  out.rows = count;
  for (Index i = 0; i < count; ++i) out.lines.append(i + 1);
  for (std::size_t f = 0; f < cells.size(); ++f)
    out.columns.push_back(
        column_of(encoder.features()[f], std::vector<Cell>(static_cast<std::size_t>(count), cells[f])));
  return out;
}

std::vector<Index> thinned_rows(const std::vector<Index>& rows, std::size_t most) {
  if (rows.size() <= most) return rows;
  std::vector<Index> out;
  for (std::size_t i = 0; i < most; ++i) out.push_back(rows[i * rows.size() / most]);
  return out;
}

}  // namespace bl
