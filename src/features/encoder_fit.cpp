#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <unordered_map>

#include "base/spill.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/column_index.hpp"
#include "features/curve.hpp"
#include "features/encoder.hpp"
#include "features/feature_fit.hpp"
#include "features/levels.hpp"
#include "features/pull.hpp"

namespace bl {

namespace {

struct Moments {
  double mean = 0;
  double scale = 0;  // population standard deviation; exactly 0 for equal values
};

// Two passes; the second corrects the mean by what rounding left over.
Moments moments(std::span<const double> values) {
  const auto n = static_cast<double>(values.size());
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) return {*least, 0};
  double sum = 0;
  for (const double value : values) sum += value;
  const double rough = sum / n;
  double rest = 0, squares = 0;
  for (const double value : values) {
    rest += value - rough;
    squares += (value - rough) * (value - rough);
  }
  const double variance = (squares - rest * rest / n) / n;
  return {rough + rest / n, variance < 0 ? 0 : std::sqrt(variance)};
}

class Fit {
 public:
  Fit(const Table& table, const EncodeOptions& options, std::span<const Index> rows)
      : table_(table), options_(options), rows_(rows) {}

  FeatureEncoding feature(const SchemaColumn& column, const Column& data, EncodingReport& report) const {
    check_column(column, data);
    FeatureEncoding encoding;
    encoding.name = column.name;
    encoding.type = column.type;
    encoding.raw = data.raw;
    const Index missing = count_missing(data);
    if (missing > 0) report.missing.emplace_back(column.name, missing);
    encoding.has_indicator = missing > 0;
    if (missing == static_cast<Index>(rows_.size())) {
      encoding.has_value = encoding.has_indicator = false;
    } else if (column.type == ColumnType::continuous) {
      std::vector<double> values = present_numbers(data);
      standardize(values, column.name, encoding);
      if (encoding.has_value && options_.outliers == Outliers::robust && !table_.image)
        pull_in(values, encoding);
      if (encoding.has_value && bends(column)) bend(values, encoding);
    } else if (column.type == ColumnType::text) {
      fit_text(data, encoding);
    } else {
      fit_levels(column, data, encoding);
    }
    if (!encoding.has_value) report.constant.push_back(column.name);
    return encoding;
  }

  ResponseEncoding response(const SchemaColumn& column, const Column& data) const {
    check_column(column, data);
    ResponseEncoding encoding;
    encoding.name = column.name;
    encoding.type = column.type;
    encoding.raw = data.raw;
    refuse_missing(column, data);
    if (encoding.is_class()) {
      encoding.levels = column.levels.empty() ? distinct_levels(data, all_rows(table_.rows)) : column.levels;
      check_level_count(column.name, encoding.levels.size());
      if (distinct_levels(data, rows_).size() < 2) fail_single(data);
    } else {
      std::vector<double> values = present_numbers(data);
      if (checked_moments(values, column.name).scale == 0) fail_single(data);
      encoding.number = choose_number_scale(values, options_.number, column.name);
      for (double& value : values) value = encoding.number.place(value);
      const Moments found = checked_moments(values, column.name);
      encoding.mean = found.mean;
      encoding.scale = found.scale;
    }
    return encoding;
  }

 private:
  void refuse_missing(const SchemaColumn& column, const Column& data) const {
    const auto missing = [&](Index row) { return data.missing(row); };
    const auto first = std::find_if(rows_.begin(), rows_.end(), missing);
    if (first == rows_.end()) return;
    const auto others = std::ranges::count_if(all_rows(table_.rows), missing) - 1;
    const std::string more = others > 0 ? fmt::format(", and in {} other rows", others) : "";
    fail(*first, column.name, "the response is missing" + more + "; fill it in or remove the row");
  }
  // The column must have been read in the way the schema says.
  void check_column(const SchemaColumn& column, const Column& data) const {
    const bool numbers = column.type == ColumnType::continuous, words = column.type == ColumnType::text;
    if (data.raw != column.raw || (numbers && data.raw == RawType::text) ||
        (words && data.raw == RawType::numeric)) {
      throw DataError(table_.source + ": column " + in_quotes(column.name) + " was read as " +
                      (data.raw == RawType::text ? "text" : "numbers") +
                      ", which is not what the schema says");
    }
  }

  Index count_missing(const Column& data) const {
    Index missing = 0;
    for (const Index row : rows_) {
      if (!data.missing(row)) continue;
      if (options_.missing == MissingPolicy::error) {
        fail(row, data.name, "the value is missing; fill it in, impute missing values, or ignore the column");
      }
      ++missing;
    }
    return missing;
  }

  std::vector<double> present_numbers(const Column& data) const {
    std::vector<double> values;
    values.reserve(rows_.size());
    will_read(data.numbers.view());
    for (const Index row : rows_) {
      if (!data.missing(row)) values.push_back(data.numbers[static_cast<std::size_t>(row)]);
    }
    return values;
  }

  Moments checked_moments(std::span<const double> values, const std::string& name) const {
    const Moments found = moments(values);
    if (!std::isfinite(found.mean) || !std::isfinite(found.scale)) {
      throw DataError(table_.source + ": column " + in_quotes(name) +
                      " has values too large for a mean and a standard deviation; give it in another unit");
    }
    return found;
  }

  void standardize(std::span<const double> values, const std::string& name, FeatureEncoding& encoding) const {
    const Moments found = checked_moments(values, name);
    encoding.mean = encoding.fill = found.mean;
    encoding.has_value = found.scale > 0;
    encoding.scale = encoding.has_value ? found.scale : 1;
  }

  static std::vector<double> sorted(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values;
  }

  // Standardises the values as the pull leaves them.
  static void set_pull(Pull pull, std::span<const double> in_order, FeatureEncoding& encoding) {
    encoding.pull = std::move(pull);
    encoding.fill = sorted_quantile(in_order, 0.5);
    std::vector<double> values;
    for (const double x : in_order) values.push_back(pulled(encoding.pull, x));
    const Moments found = moments(values);
    encoding.mean = found.mean;
    encoding.scale = found.scale;
  }

  static void pull_in(const std::vector<double>& values, FeatureEncoding& encoding) {
    const std::vector<double> in_order = sorted(values);
    Pull pull = compress_tails(in_order);
    if (!pull.from.empty()) set_pull(std::move(pull), in_order, encoding);
  }

  bool bends(const SchemaColumn& column) const {
    const auto& named = options_.curves.columns;
    return options_.curves.all || std::find(named.begin(), named.end(), column.name) != named.end();
  }

  // Adds the bends, where the values bear any. Beyond the outer knots the straight part is constant as well.
  void bend(const std::vector<double>& values, FeatureEncoding& encoding) const {
    const CurveOptions& curves = options_.curves;
    const CurveShape& shape = curves.shape(encoding.name);
    const std::vector<double> in_order = sorted(values);
    std::vector<double> knots = knots_of(shape, in_order, encoding);
    if (knots.size() < (shape.kind == CurveKind::step ? 2 : 3)) return;
    const bool bounded = shape.kind == CurveKind::linear || shape.kind == CurveKind::cubic;
    const std::vector<double> ends = {knots.front(), knots.back()};
    if (encoding.type == ColumnType::continuous)
      set_pull(curves.straight_ends || !bounded ? Pull{} : Pull{ends, ends}, in_order, encoding);
    encoding.bends = fit_bends(empty_bends(shape, std::move(knots), curves.straight_ends), encoding, values);
  }

  std::vector<double> knots_of(const CurveShape& shape, const std::vector<double>& in_order,
                               const FeatureEncoding& encoding) const {
    if (!shape.knots.empty()) {
      check_knots(shape, in_order, encoding.name);
      return shape.knots;
    }
    const Index most = options_.curves.knots;
    if (shape.kind == CurveKind::periodic) {
      std::vector<double> knots = period_knots(shape.period, in_order.size(), most);
      if (knots.size() < 3)
        throw DataError(table_.source + ": column " + in_quotes(encoding.name) +
                        " has too few training rows for a periodic curve, which takes 60");
      return knots;
    }
    if (encoding.type == ColumnType::ordinal) return place_knots(in_order, most);
    std::vector<double> knots = curve_knots(in_order, most);
    if (shape.kind == CurveKind::step && !knots.empty()) knots.pop_back();  // nothing begins at the last one
    return knots;
  }

  // Given knots: what no row tells apart cannot be learned.
  void check_knots(const CurveShape& shape, const std::vector<double>& in_order,
                   const std::string& name) const {
    if (shape.kind == CurveKind::periodic) return;
    for (std::size_t i = 0; i + 1 < shape.knots.size(); ++i) {
      const auto first = std::lower_bound(in_order.begin(), in_order.end(), shape.knots[i]);
      if (first == in_order.end() || *first > shape.knots[i + 1])
        throw DataError(table_.source + ": column " + in_quotes(name) +
                        ": no training row lies between the knots " + format_number(shape.knots[i]) +
                        " and " + format_number(shape.knots[i + 1]) + "; leave one of them out");
    }
  }

  // A missing text is one without words.
  void fit_text(const Column& data, FeatureEncoding& encoding) const {
    std::vector<std::string_view> texts;
    for (const Index row : rows_) texts.push_back(data.missing(row) ? std::string_view() : data.text(row));
    auto text = std::make_shared<const TextEncoding>(TextEncoding::fit(texts, options_.text));
    if (text->components() == 0)
      throw DataError(table_.source + ": column " + in_quotes(data.name) +
                      " is running text, but no word stands in two of its training rows; make it nominal or "
                      "ignore it");
    encoding.text = TextHandle(std::move(text));
  }

  void fit_levels(const SchemaColumn& column, const Column& data, FeatureEncoding& encoding) const {
    encoding.levels = column.levels.empty() ? distinct_levels(data, rows_) : column.levels;
    check_level_count(column.name, encoding.levels.size());
    const LevelLookup lookup(data, encoding.levels);
    std::vector<double> places;
    std::vector<Index> counts(encoding.levels.size(), 0);
    for (const Index row : rows_) {
      const std::int32_t code = lookup(row);
      if (code == kUnseenCode && options_.unseen == UnseenPolicy::error) {
        fail(row, column.name,
             in_quotes(data.cell_text(row)) + " is not among the levels " + quoted_list(encoding.levels) +
                 "; correct it or add it to them");
      }
      if (code < 0) continue;
      ++counts[static_cast<std::size_t>(code)];
      places.push_back(code);
    }
    const auto most = std::max_element(counts.begin(), counts.end());
    encoding.has_value = std::count_if(counts.begin(), counts.end(), [](Index n) { return n > 0; }) > 1;
    if (!encoding.has_value) return;
    encoding.fill_level = static_cast<std::int32_t>(most - counts.begin());
    if (column.type == ColumnType::ordinal) {
      standardize(places, column.name, encoding);
      if (bends(column)) bend(places, encoding);
    } else if (options_.reference_levels) {
      encoding.first_level = 1;
    }
  }

  void check_level_count(const std::string& name, std::size_t count) const {
    if (static_cast<Index>(count) <= options_.max_levels) return;
    throw DataError(table_.source + ": column " + in_quotes(name) + " has " + std::to_string(count) +
                    " different values, more than the " + std::to_string(options_.max_levels) +
                    " levels allowed; ignore it, declare it an id or, if it holds numbers, continuous");
  }

  [[noreturn]] void fail(Index row, const std::string& column, const std::string& message) const {
    throw DataError(table_.place(row) + ": column " + in_quotes(column) + ": " + message);
  }

  [[noreturn]] void fail_single(const Column& data) const {
    throw DataError(table_.source + ": the response " + in_quotes(data.name) + " has one value only in the " +
                    std::to_string(rows_.size()) + " training rows, " + in_quotes(data.cell_text(rows_[0])) +
                    "; there is nothing to learn");
  }

  const Table& table_;
  const EncodeOptions& options_;
  std::span<const Index> rows_;
};

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
                            const EncodeOptions& options, std::span<const Index> rows,
                            EncodingReport& report) {
  return Fit(table, options, rows).feature(column, data, report);
}

ResponseEncoding fit_response(const Table& table, const Column& data, const SchemaColumn& column,
                              const EncodeOptions& options, std::span<const Index> rows) {
  return Fit(table, options, rows).response(column, data);
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
                     std::span<const Index> rows) {
  if (rows.empty()) throw DataError(table.source + ": there are no training rows");
  Encoder encoder;
  encoder.schema_ = schema;
  encoder.options_ = options;
  const ColumnIndex index(table);
  for (const SchemaColumn* column : schema.with_role(Role::response)) {
    encoder.responses_.push_back(fit_response(table, index.column(column->name), *column, options, rows));
  }
  for (const SchemaColumn* column : schema.with_role(Role::feature)) {
    FeatureEncoding feature =
        fit_feature(table, index.column(column->name), *column, options, rows, encoder.report_);
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
