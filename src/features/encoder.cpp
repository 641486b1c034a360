#include "features/encoder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/spill.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/column_index.hpp"
#include "data/number.hpp"
#include "features/column_kind.hpp"

namespace bl {

namespace {

constexpr std::size_t kAhead = std::size_t{1}
                               << 15;  // rows whose cells are asked for before the first is read
constexpr std::size_t kRowBlock = 32;  // rows encoded column by column while their pages stay in the cache

// The columns of the given names; a DataError lists those that the table lacks.
std::vector<const Column*> find_columns(const Table& table, const std::vector<std::string>& wanted) {
  std::vector<const Column*> found;
  std::vector<std::string> absent;
  const ColumnIndex index(table);
  for (const std::string& name : wanted) {
    found.push_back(index.find(name));
    if (found.back() == nullptr) absent.push_back(name);
  }
  if (absent.empty()) return found;
  throw DataError(table.source + ": " + std::to_string(absent.size()) +
                  " of the columns known from training are absent: " + quoted_list(absent) +
                  did_you_mean(absent[0], table.names()));
}

// A column must hold what it held in training. One without any value may be read as either.
void check_raw_type(const Table& table, const Column& column, RawType trained) {
  if (column.raw == trained) return;
  for (Index row = 0; row < table.rows; ++row) {
    if (column.missing(row)) continue;
    const std::string cell = column.cell_text(row);
    const bool number = parse_number(cell, false).kind == NumberKind::finite;
    if (trained == RawType::numeric && number) continue;
    const char* held = trained == RawType::numeric ? "numbers" : "text";
    fail_cell(table, row, column.name,
              in_quotes(cell) + " was read as " + (number ? "a number" : "text") + ", but the column held " +
                  held +
                  " in training; correct the value, or read the file with the types known from training");
  }
  if (trained == RawType::numeric && !column.levels.empty()) {
    throw DataError(table.source + ": column " + in_quotes(column.name) +
                    " was read as text, but it held numbers in training; read it as numbers");
  }
}

std::vector<double> read_weights(const Table& table, const Column& column, std::span<const Index> rows) {
  std::vector<double> weights;
  double sum = 0;
  for (const Index row : rows) {
    if (column.missing(row)) fail_cell(table, row, column.name, "the weight is missing; give every row one");
    const double weight = column.numbers[static_cast<std::size_t>(row)];
    if (!std::isfinite(weight)) fail_cell(table, row, column.name, "the weight is not finite");
    if (weight < 0)
      fail_cell(table, row, column.name, "the weight " + format_number(weight) + " is negative");
    weights.push_back(weight);
    sum += weight;
  }
  if (!rows.empty() && !(sum > 0)) {
    throw DataError(table.source + ": column " + in_quotes(column.name) + ": all weights are 0");
  }
  return weights;
}

void check_present(const Table& table, const Column& column, Index row) {
  if (column.missing(row))
    fail_cell(table, row, column.name, "the response is missing; fill it in or remove the row");
}

void write_classes(const Table& table, const Column& column, const ResponseEncoding& response,
                   std::span<const Index> rows, MatrixView<std::int32_t> out) {
  const LevelLookup lookup(column, response.levels);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    check_present(table, column, rows[i]);
    const std::int32_t code = lookup(rows[i]);
    if (code < 0) {
      fail_cell(table, rows[i], column.name,
                in_quotes(column.cell_text(rows[i])) + " is not one of the classes known from training, " +
                    quoted_list(response.levels));
    }
    out(static_cast<Index>(i), 0) = code;
  }
}

template <class T>
void write_continuous(const Table& table, const Column& column, const ResponseEncoding& response,
                      std::span<const Index> rows, MatrixView<T> out) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    check_present(table, column, rows[i]);
    const double value = column.numbers[static_cast<std::size_t>(rows[i])];
    out(static_cast<Index>(i), 0) = checked<T>(table, rows[i], response.name, value, response.encode(value));
  }
}

// Rows come in the order of the table, so these are one piece of every column.
void will_read_cells(std::span<const FeatureSource> sources, std::span<const Index> rows) {
  const auto from = static_cast<std::size_t>(rows.front()),
             count = static_cast<std::size_t>(rows.back()) + 1 - from;
  if (rows.back() < rows.front()) return;
  for (const FeatureSource& source : sources)
    if (source.column->raw == RawType::numeric) will_read(source.column->numbers.view().subspan(from, count));
}

}  // namespace

template <class T>
Matrix<T> Encoder::encode_features(const Table& table, std::span<const Index> rows) const {
  std::vector<std::string> names;
  for (const FeatureEncoding& feature : features_) names.push_back(feature.name);
  const auto found = find_columns(table, names);
  std::vector<FeatureSource> sources;
  for (std::size_t i = 0; i < features_.size(); ++i) {
    check_raw_type(table, *found[i], features_[i].raw);
    sources.push_back({&table, &options_, &features_[i], found[i]});
    if (facts(features_[i].type).levels) sources[i].lookup.emplace(*found[i], features_[i].levels);
  }
  for (std::size_t c = columns_.size(); c-- > 0;) {
    FeatureSource& source = sources[columns_[c].feature];
    source.first = static_cast<Index>(c);
    if (columns_[c].kind == EncodedColumn::Kind::indicator) source.indicator = static_cast<Index>(c);
  }

  Matrix<T> out(static_cast<Index>(rows.size()), static_cast<Index>(columns_.size()));
  for (std::size_t begin = 0; begin < rows.size(); begin += kRowBlock) {
    const std::size_t end = std::min(rows.size(), begin + kRowBlock);
    if (begin % kAhead == 0)
      will_read_cells(sources, rows.subspan(begin, std::min(kAhead, rows.size() - begin)));
    const MatrixView<T> block =
        out.view().row_range(static_cast<Index>(begin), static_cast<Index>(end - begin));
    for (const FeatureSource& source : sources)
      kind_of(source.feature->type).write(source, rows.subspan(begin, end - begin), block);
  }
  complete_products(out.view());
  return out;
}

template <class T>
Encoded<T> Encoder::encode(const Table& table, std::span<const Index> rows) const {
  const auto count = static_cast<Index>(rows.size());
  const auto weight = schema_.with_role(Role::weight);
  std::vector<std::string> names;
  for (const ResponseEncoding& response : responses_) names.push_back(response.name);
  if (!weight.empty()) names.push_back(weight[0]->name);
  const auto found = find_columns(table, names);

  Encoded<T> encoded;
  encoded.features = encode_features<T>(table, rows);
  const Index classes =
      std::count_if(responses_.begin(), responses_.end(), [](const auto& r) { return r.is_class(); });
  encoded.classes.resize(count, classes);
  encoded.continuous.resize(count, static_cast<Index>(responses_.size()) - classes);
  Index class_at = 0, continuous_at = 0;
  for (std::size_t i = 0; i < responses_.size(); ++i) {
    check_raw_type(table, *found[i], responses_[i].raw);
    if (responses_[i].is_class()) {
      write_classes(table, *found[i], responses_[i], rows, encoded.classes.view().columns(class_at++, 1));
    } else {
      write_continuous(table, *found[i], responses_[i], rows,
                       encoded.continuous.view().columns(continuous_at++, 1));
    }
  }
  if (!weight.empty()) {
    check_raw_type(table, *found.back(), RawType::numeric);
    encoded.weights = read_weights(table, *found.back(), rows);
  }
  return encoded;
}

template Matrix<float> Encoder::encode_features(const Table&, std::span<const Index>) const;
template Matrix<double> Encoder::encode_features(const Table&, std::span<const Index>) const;
template Encoded<float> Encoder::encode(const Table&, std::span<const Index>) const;
template Encoded<double> Encoder::encode(const Table&, std::span<const Index>) const;

Encoder Encoder::with_unseen(UnseenPolicy unseen) const {
  Encoder copy = *this;
  copy.options_.unseen = unseen;
  return copy;
}

Encoder Encoder::without_weight() const {
  Encoder copy = *this;
  for (SchemaColumn& column : copy.schema_.columns)
    if (column.role == Role::weight) column.role = Role::ignore;
  return copy;
}

std::size_t Encoder::straight_columns() const {
  return static_cast<std::size_t>(
      std::count_if(columns_.begin(), columns_.end(), [](const EncodedColumn& c) { return !c.bends(); }));
}

std::vector<std::size_t> Encoder::text_features() const {
  std::vector<std::size_t> found;
  for (std::size_t f = 0; f < features_.size(); ++f)
    if (features_[f].text) found.push_back(f);
  return found;
}

void Encoder::set_loadings(std::size_t feature, Matrix<float> loadings) {
  TextEncoding complete = *features_[feature].text;
  complete.set_loadings(std::move(loadings));
  features_[feature].text = TextHandle(std::make_shared<const TextEncoding>(std::move(complete)));
}

void Encoder::list_columns() {
  using Kind = EncodedColumn::Kind;
  columns_.clear();
  for (std::size_t f = 0; f < features_.size(); ++f) {
    const FeatureEncoding& feature = features_[f];
    if (feature.has_value) kind_of(feature.type).list(feature, f, columns_);
    if (feature.has_indicator)
      columns_.push_back({feature.name + " is missing", f, Kind::indicator, 0, 1, 0});
  }
  for (const ProductEncoding& product : products_)
    for (std::size_t k = 0; k < product.columns.size(); ++k)
      columns_.push_back({product_name(features_[product.first].name, features_[product.second].name) + "[" +
                              std::to_string(k + 1) + "]",
                          product.first, Kind::product, 0, 1, static_cast<std::int32_t>(k), product.second});
}

std::vector<Index> all_rows(Index rows) {
  std::vector<Index> result(static_cast<std::size_t>(rows));
  std::iota(result.begin(), result.end(), Index{0});
  return result;
}

}  // namespace bl
