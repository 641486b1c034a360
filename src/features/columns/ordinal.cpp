// Levels in their order: the place of the level, 0, 1, 2, ..., as a number.
#include "features/columns/kinds.hpp"
#include "features/columns/level_fit.hpp"
#include "features/columns/line.hpp"

namespace bl::columns {

namespace {

template <class T>
bool write_place(const FeatureSource& source, Index row, T* out) {
  bool missing = false;
  const std::int32_t place = source.level(row, missing);
  if (source.feature->has_value) write_line(source, row, place, out);
  return missing;
}

class Ordinal final : public ColumnKind {
 public:
  Ordinal() : ColumnKind({.name = "ordinal", .raw = {}, .levels = true, .line = true}) {}

  void fit(const TrainingRows& training, const SchemaColumn& column, const Column& data,
           FeatureEncoding& out) const override {
    const std::vector<double> places = fit_levels(training, column, data, out);
    if (!out.has_value) return;
    standardize(training, places, out);
    bend_as_asked(training, places, out);
  }

  void list(const FeatureEncoding& feature, std::size_t index,
            std::vector<EncodedColumn>& out) const override {
    list_line(feature, index, EncodedColumn::Kind::ordinal, out);
  }

  void write(const FeatureSource& source, std::span<const Index> rows, MatrixView<float> out) const override {
    write_cells(source, rows, out, write_place<float>);
  }
  void write(const FeatureSource& source, std::span<const Index> rows,
             MatrixView<double> out) const override {
    write_cells(source, rows, out, write_place<double>);
  }

  void store(const FeatureEncoding& feature, nlohmann::json& out) const override { store_line(feature, out); }
  void read(const JsonField& field, FeatureEncoding& out) const override { read_line(field, out); }
};

}  // namespace

const ColumnKind& ordinal() {
  static const Ordinal kind;
  return kind;
}

}  // namespace bl::columns
