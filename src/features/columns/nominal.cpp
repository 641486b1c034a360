// Levels without an order: a column of 0 and 1 for each, less a reference level where asked for.
#include <algorithm>

#include "features/columns/kinds.hpp"
#include "features/columns/level_fit.hpp"

namespace bl::columns {

namespace {

template <class T>
bool write_level(const FeatureSource& source, Index row, T* out) {
  const FeatureEncoding& feature = *source.feature;
  bool missing = false;
  const std::int32_t code = source.level(row, missing);
  if (!feature.has_value) return missing;
  std::fill_n(out, static_cast<Index>(feature.levels.size()) - feature.first_level, T{0});
  if (code >= feature.first_level) out[code - feature.first_level] = T{1};
  return missing;
}

class Nominal final : public ColumnKind {
 public:
  Nominal() : ColumnKind({.name = "nominal", .raw = {}, .levels = true}) {}

  void fit(const TrainingRows& training, const SchemaColumn& column, const Column& data,
           FeatureEncoding& out) const override {
    fit_levels(training, column, data, out);
    if (out.has_value && training.options.reference_levels) out.first_level = 1;
  }

  void list(const FeatureEncoding& feature, std::size_t index,
            std::vector<EncodedColumn>& out) const override {
    for (auto level = static_cast<std::size_t>(feature.first_level); level < feature.levels.size(); ++level)
      out.push_back({feature.name + "=" + feature.levels[level], index, EncodedColumn::Kind::one_hot, 0, 1,
                     static_cast<std::int32_t>(level)});
  }

  void write(const FeatureSource& source, std::span<const Index> rows, MatrixView<float> out) const override {
    write_cells(source, rows, out, write_level<float>);
  }
  void write(const FeatureSource& source, std::span<const Index> rows,
             MatrixView<double> out) const override {
    write_cells(source, rows, out, write_level<double>);
  }

  void store(const FeatureEncoding&, nlohmann::json&) const override {}
  void read(const JsonField&, FeatureEncoding&) const override {}
};

}  // namespace

const ColumnKind& nominal() {
  static const Nominal kind;
  return kind;
}

}  // namespace bl::columns
