#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "base/spill.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/column_index.hpp"
#include "features/columns/level_fit.hpp"
#include "features/encoder.hpp"
#include "features/feature_fit.hpp"
#include "features/levels.hpp"
#include "features/moments.hpp"

namespace bl {

namespace {

// The column must have been read in the way the schema says.
void check_column(const Table& table, const SchemaColumn& column, const Column& data) {
  if (data.raw == column.raw && data.raw == facts(column.type).raw.value_or(data.raw)) return;
  throw DataError(table.source + ": column " + in_quotes(column.name) + " was read as " +
                  (data.raw == RawType::text ? "text" : "numbers") + ", which is not what the schema says");
}

Index count_missing(const TrainingRows& training, const Column& data) {
  Index missing = 0;
  for (const Index row : training.rows) {
    if (!data.missing(row)) continue;
    if (training.options.missing == MissingPolicy::error)
      fail_cell(training.table, row, data.name,
                "the value is missing; fill it in, impute missing values, or ignore the column");
    ++missing;
  }
  return missing;
}

void refuse_missing(const TrainingRows& training, const Column& data) {
  const auto missing = [&](Index row) { return data.missing(row); };
  const auto first = std::find_if(training.rows.begin(), training.rows.end(), missing);
  if (first == training.rows.end()) return;
  const auto others = std::ranges::count_if(all_rows(training.table.rows), missing) - 1;
  const std::string more = others > 0 ? fmt::format(", and in {} other rows", others) : "";
  fail_cell(training.table, *first, data.name,
            "the response is missing" + more + "; fill it in or remove the row");
}

[[noreturn]] void fail_single(const TrainingRows& training, const Column& data) {
  throw DataError(training.table.source + ": the response " + in_quotes(data.name) +
                  " has one value only in the " + std::to_string(training.rows.size()) + " training rows, " +
                  in_quotes(data.cell_text(training.rows[0])) + "; there is nothing to learn");
}

// Pixels share one standard deviation, so that those which few images light up are not magnified.
void share_scale(std::vector<FeatureEncoding>& pixels) {
  double mean = 0, square = 0;
  for (const FeatureEncoding& pixel : pixels) {
    mean += pixel.mean / static_cast<double>(pixels.size());
    square += (pixel.mean * pixel.mean + pixel.scale * pixel.scale) / static_cast<double>(pixels.size());
  }
  for (FeatureEncoding& pixel : pixels) pixel.scale = std::sqrt(square - mean * mean);
}

}  // namespace

FeatureEncoding fit_feature(const Table& table, const Column& data, const SchemaColumn& column,
                            const EncodeOptions& options, std::span<const Index> rows, EncodingReport& report,
                            const Context& job) {
  check_column(table, column, data);
  const TrainingRows training{table, options, rows, job};
  FeatureEncoding out;
  out.name = column.name;
  out.type = column.type;
  out.raw = data.raw;
  const Index missing = count_missing(training, data);
  if (missing > 0) report.missing.emplace_back(column.name, missing);
  const bool any = missing < static_cast<Index>(rows.size());
  out.has_value = any;
  out.has_indicator = missing > 0 && any;
  if (any) kind_of(column.type).fit(training, column, data, out);
  if (!out.has_value) report.constant.push_back(column.name);
  return out;
}

ResponseEncoding fit_response(const Table& table, const Column& data, const SchemaColumn& column,
                              const EncodeOptions& options, std::span<const Index> rows, const Context& job) {
  check_column(table, column, data);
  const TrainingRows training{table, options, rows, job};
  ResponseEncoding out;
  out.name = column.name;
  out.type = column.type;
  out.raw = data.raw;
  refuse_missing(training, data);
  if (out.is_class()) {
    out.levels = column.levels.empty() ? distinct_levels(data, all_rows(table.rows)) : column.levels;
    check_level_count(training, column.name, out.levels.size());
    if (distinct_levels(data, rows).size() < 2) fail_single(training, data);
    return out;
  }
  std::vector<double> values;
  will_read(data.numbers.view());
  for (const Index row : rows) values.push_back(data.numbers[static_cast<std::size_t>(row)]);
  if (finite_moments(values, table, column.name).scale == 0) fail_single(training, data);
  out.number = choose_number_scale(values, options.number, column.name);
  for (double& value : values) value = out.number.place(value);
  const Moments found = finite_moments(values, table, column.name);
  out.mean = found.mean;
  out.scale = found.scale;
  return out;
}

bool equal_values(const Column& a, const Column& b, std::span<const Index> rows) {
  return a.raw == b.raw && std::all_of(rows.begin(), rows.end(), [&](Index row) {
           const auto i = static_cast<std::size_t>(row);
           if (a.missing(row) || b.missing(row)) return a.missing(row) && b.missing(row);
           if (a.raw == RawType::numeric) return a.numbers[i] == b.numbers[i];
           return a.levels[static_cast<std::size_t>(a.codes[i])] ==
                  b.levels[static_cast<std::size_t>(b.codes[i])];
         });
}

std::size_t value_hash(const Column& column, std::span<const Index> rows) {
  std::vector<std::size_t> level_hash;
  for (const std::string& level : column.levels) level_hash.push_back(std::hash<std::string>{}(level));
  std::size_t hash = 0;
  for (const Index row : rows) {
    const auto i = static_cast<std::size_t>(row);
    std::size_t cell = 0;
    if (!column.missing(row)) {
      cell = column.raw == RawType::numeric ? std::bit_cast<std::size_t>(column.numbers[i] + 0.0)  // one zero
                                            : level_hash[static_cast<std::size_t>(column.codes[i])];
    }
    hash = (std::rotl(hash, 5) ^ cell) * 0x9E3779B97F4A7C15U;
  }
  return hash;
}

// Only columns with equal hashes are compared.
std::vector<std::pair<std::string, std::string>> find_duplicates(
    std::span<const std::string> names, std::span<const std::size_t> hashes,
    const std::function<bool(const std::string&, const std::string&)>& equal) {
  std::vector<std::pair<std::string, std::string>> duplicates;
  std::unordered_multimap<std::size_t, const std::string*> earlier;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [from, to] = earlier.equal_range(hashes[i]);
    const auto same =
        std::find_if(from, to, [&](const auto& entry) { return equal(names[i], *entry.second); });
    if (same != to)
      duplicates.emplace_back(names[i], *same->second);
    else
      earlier.emplace(hashes[i], &names[i]);
  }
  return duplicates;
}

Encoder Encoder::fit(const Table& table, const Schema& schema, const EncodeOptions& options,
                     std::span<const Index> rows, const Context& job) {
  if (rows.empty()) throw DataError(table.source + ": there are no training rows");
  Encoder encoder;
  encoder.schema_ = schema;
  encoder.options_ = options;
  const ColumnIndex index(table);
  for (const SchemaColumn* column : schema.with_role(Role::response)) {
    encoder.responses_.push_back(
        fit_response(table, index.column(column->name), *column, options, rows, job));
  }
  for (const SchemaColumn* column : schema.with_role(Role::feature)) {
    FeatureEncoding feature =
        fit_feature(table, index.column(column->name), *column, options, rows, encoder.report_, job);
    if (feature.has_value || feature.has_indicator) encoder.features_.push_back(std::move(feature));
  }
  if (encoder.features_.empty() && !schema.with_role(Role::feature).empty()) {
    throw DataError(table.source + ": no feature is left that varies among the training rows; constant are " +
                    quoted_list(encoder.report_.constant));
  }
  if (table.image) share_scale(encoder.features_);
  std::vector<std::string> names;
  std::vector<std::size_t> hashes;
  for (const FeatureEncoding& feature : encoder.features_) {
    names.push_back(feature.name);
    hashes.push_back(value_hash(index.column(feature.name), rows));
  }
  encoder.report_.duplicates =
      find_duplicates(names, hashes, [&](const std::string& a, const std::string& b) {
        return equal_values(index.column(a), index.column(b), rows);
      });
  encoder.products_ =
      fit_products(encoder.features_, options.curves.products, table.source,
                   [&](const FeatureEncoding& f) { return product_numbers(f, index.column(f.name), rows); });
  encoder.list_columns();
  return encoder;
}

}  // namespace bl
