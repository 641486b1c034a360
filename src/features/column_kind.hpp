// One type of column as a feature: a closed set, one file per type in features/columns. It says what is
// learned of training rows, which encoded columns there are, how cells become their numbers, and what of it a
// model file keeps.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/context.hpp"
#include "features/encoding.hpp"
#include "features/feature_source.hpp"

namespace bl {

class JsonField;

// Rows that a column is learned from. The table stands for all of them in messages.
struct TrainingRows {
  const Table& table;
  const EncodeOptions& options;
  std::span<const Index> rows;
  const Context& job;
};

struct ColumnFacts {
  std::string_view name;       // in schema and model files
  std::optional<RawType> raw;  // how its cells have to be read; nothing: either way
  bool levels = false;         // its values are levels
  bool line = false;  // a number, or the place of a level: a straight part, and a curve where asked for

  bool number() const { return line && !levels; }
  bool ordered() const { return line && levels; }
  bool unordered() const { return !line && levels; }
  // Numbers or levels, which can be shown and tried one by one. Sentences are neither: their words count.
  bool single_values() const { return line || levels; }
};

class ColumnKind {
 public:
  explicit ColumnKind(const ColumnFacts& facts) : facts_(facts) {}
  virtual ~ColumnKind() = default;
  ColumnKind(const ColumnKind&) = delete;
  ColumnKind& operator=(const ColumnKind&) = delete;

  const ColumnFacts& facts() const { return facts_; }

  // From rows that hold a value. `out` has its name, type and missing values already.
  virtual void fit(const TrainingRows& training, const SchemaColumn& column, const Column& data,
                   FeatureEncoding& out) const = 0;

  // The encoded columns of the value; that of missing values stands behind them.
  virtual void list(const FeatureEncoding& feature, std::size_t index,
                    std::vector<EncodedColumn>& out) const = 0;

  // These rows of the source into the rows of `out`.
  virtual void write(const FeatureSource& source, std::span<const Index> rows,
                     MatrixView<float> out) const = 0;
  virtual void write(const FeatureSource& source, std::span<const Index> rows,
                     MatrixView<double> out) const = 0;

  // What a model file keeps beside the fields that every feature has.
  virtual void store(const FeatureEncoding& feature, nlohmann::json& out) const = 0;
  virtual void read(const JsonField& field, FeatureEncoding& out) const = 0;

 private:
  ColumnFacts facts_;
};

const ColumnKind& kind_of(ColumnType type);
inline const ColumnFacts& facts(ColumnType type) {
  return kind_of(type).facts();
}

// Writes row by row what `cell(source, row, numbers)` puts at source.first; it says whether the value counts
// as missing.
template <class T, class Cell>
void write_cells(const FeatureSource& source, std::span<const Index> rows, MatrixView<T> out,
                 const Cell& cell) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    T* const to = out.row(static_cast<Index>(i));
    const bool missing = cell(source, rows[i], to + source.first);
    if (source.indicator >= 0) to[source.indicator] = missing ? T{1} : T{0};
  }
}

}  // namespace bl
