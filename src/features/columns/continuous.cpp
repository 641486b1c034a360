// Numbers: standardised; far values pulled in, or a curve, where asked for.
#include <algorithm>
#include <cmath>

#include "base/spill.hpp"
#include "features/columns/kinds.hpp"
#include "features/columns/line.hpp"

namespace bl::columns {

namespace {

// Standardised and no more, as most columns of wide tables are.
bool is_plain(const FeatureSource& source) {
  const FeatureEncoding& feature = *source.feature;
  return feature.has_value && !feature.has_indicator && source.column->raw == RawType::numeric &&
         feature.pull.from.empty() && feature.bends.size() == 0;
}

template <class T>
bool write_number(const FeatureSource& source, Index row, T* out) {
  const FeatureEncoding& feature = *source.feature;
  const bool missing = source.missing(row);
  if (feature.has_value)
    write_line(source, row,
               missing || source.column->raw == RawType::text
                   ? feature.fill
                   : source.column->numbers[static_cast<std::size_t>(row)],
               out);
  return missing;
}

// A value that is missing or too far away is left to the writer of all, which has words for it.
template <class T>
void write_numbers(const FeatureSource& source, std::span<const Index> rows, MatrixView<T> out) {
  if (!is_plain(source)) return write_cells(source, rows, out, write_number<T>);
  const FeatureEncoding& feature = *source.feature;
  const std::span<const double> numbers = source.column->numbers.view();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double value = numbers[static_cast<std::size_t>(rows[i])];
    const T encoded = static_cast<T>((value - feature.mean) / feature.scale);
    T* const to = out.row(static_cast<Index>(i)) + source.first;
    if (std::isfinite(encoded))
      *to = encoded;
    else
      write_number(source, rows[i], to);
  }
}

class Continuous final : public ColumnKind {
 public:
  Continuous() : ColumnKind({.name = "continuous", .raw = RawType::numeric, .line = true}) {}

  void fit(const TrainingRows& training, const SchemaColumn&, const Column& data,
           FeatureEncoding& out) const override {
    std::vector<double> values;
    values.reserve(training.rows.size());
    will_read(data.numbers.view());
    for (const Index row : training.rows)
      if (!data.missing(row)) values.push_back(data.numbers[static_cast<std::size_t>(row)]);
    standardize(training, values, out);
    if (!out.has_value) return;
    if (training.options.outliers == Outliers::robust && !training.table.image) pull_in(values, out);
    bend_as_asked(training, values, out);
  }

  void list(const FeatureEncoding& feature, std::size_t index,
            std::vector<EncodedColumn>& out) const override {
    list_line(feature, index, EncodedColumn::Kind::standardized, out);
  }

  void write(const FeatureSource& source, std::span<const Index> rows, MatrixView<float> out) const override {
    write_numbers(source, rows, out);
  }
  void write(const FeatureSource& source, std::span<const Index> rows,
             MatrixView<double> out) const override {
    write_numbers(source, rows, out);
  }

  void store(const FeatureEncoding& feature, nlohmann::json& out) const override { store_line(feature, out); }
  void read(const JsonField& field, FeatureEncoding& out) const override { read_line(field, out); }
};

}  // namespace

const ColumnKind& continuous() {
  static const Continuous kind;
  return kind;
}

}  // namespace bl::columns
