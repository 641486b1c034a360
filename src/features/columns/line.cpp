#include "features/columns/line.hpp"

#include <algorithm>

#include "base/joined.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "features/moments.hpp"
#include "features/pull.hpp"

namespace bl {

namespace {

std::vector<double> sorted(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values;
}

// Standardises the values as the pull leaves them.
void set_pull(Pull pull, std::span<const double> in_order, FeatureEncoding& out) {
  out.pull = std::move(pull);
  out.fill = sorted_quantile(in_order, 0.5);
  std::vector<double> values;
  for (const double x : in_order) values.push_back(pulled(out.pull, x));
  const Moments found = moments(values);
  out.mean = found.mean;
  out.scale = found.scale;
}

// Given knots: what no row tells apart cannot be learned.
void check_knots(const TrainingRows& training, const CurveShape& shape, const std::vector<double>& in_order,
                 const std::string& name) {
  if (shape.kind == CurveKind::periodic) return;
  for (std::size_t i = 0; i + 1 < shape.knots.size(); ++i) {
    const auto first = std::lower_bound(in_order.begin(), in_order.end(), shape.knots[i]);
    if (first == in_order.end() || *first > shape.knots[i + 1])
      throw DataError(training.table.source + ": column " + in_quotes(name) +
                      ": no training row lies between the knots " + format_number(shape.knots[i]) + " and " +
                      format_number(shape.knots[i + 1]) + "; leave one of them out");
  }
}

std::vector<double> knots_of(const TrainingRows& training, const CurveShape& shape,
                             const std::vector<double>& in_order, const FeatureEncoding& feature) {
  if (!shape.knots.empty()) {
    check_knots(training, shape, in_order, feature.name);
    return shape.knots;
  }
  const Index most = training.options.curves.knots;
  if (shape.kind == CurveKind::periodic) {
    std::vector<double> knots = period_knots(shape.period, in_order.size(), most);
    if (knots.size() < 3)
      throw DataError(training.table.source + ": column " + in_quotes(feature.name) +
                      " has too few training rows for a periodic curve, which takes 60");
    return knots;
  }
  if (facts(feature.type).levels) return place_knots(in_order, most);
  std::vector<double> knots = curve_knots(in_order, most);
  if (shape.kind == CurveKind::step && !knots.empty()) knots.pop_back();  // nothing begins at the last one
  return knots;
}

}  // namespace

void standardize(const TrainingRows& training, std::span<const double> values, FeatureEncoding& out) {
  const Moments found = finite_moments(values, training.table, out.name);
  out.mean = out.fill = found.mean;
  out.has_value = found.scale > 0;
  out.scale = out.has_value ? found.scale : 1;
}

void pull_in(const std::vector<double>& values, FeatureEncoding& out) {
  const std::vector<double> in_order = sorted(values);
  Pull pull = compress_tails(in_order);
  if (!pull.from.empty()) set_pull(std::move(pull), in_order, out);
}

void bend_as_asked(const TrainingRows& training, const std::vector<double>& values, FeatureEncoding& out) {
  const CurveOptions& curves = training.options.curves;
  if (!curves.all && !has(curves.columns, out.name)) return;
  const CurveShape& shape = curves.shape(out.name);
  const std::vector<double> in_order = sorted(values);
  std::vector<double> knots = knots_of(training, shape, in_order, out);
  if (knots.size() < (shape.kind == CurveKind::step ? 2 : 3)) return;
  const bool bounded = shape.kind == CurveKind::linear || shape.kind == CurveKind::cubic;
  const std::vector<double> ends = {knots.front(), knots.back()};
  if (!facts(out.type).levels)
    set_pull(curves.straight_ends || !bounded ? Pull{} : Pull{ends, ends}, in_order, out);
  out.bends = fit_bends(empty_bends(shape, std::move(knots), curves.straight_ends), out, values);
}

void list_line(const FeatureEncoding& feature, std::size_t index, EncodedColumn::Kind kind,
               std::vector<EncodedColumn>& out) {
  out.push_back({feature.name, index, kind, feature.mean, feature.scale, 0});
  for (std::size_t j = 0; j < feature.bends.size(); ++j)
    out.push_back(
        {bend_name(feature, j), index, EncodedColumn::Kind::bend, 0, 1, static_cast<std::int32_t>(j)});
}

}  // namespace bl
