#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "features/column_kind.hpp"
#include "features/json_fields.hpp"
#include "features/product.hpp"

namespace bl {

namespace {

nlohmann::json axis_json(const GridAxis& axis, const FeatureEncoding& feature) {
  nlohmann::json out = {{"column", feature.name}, {"knots", axis.knots}};
  if (axis.period > 0) out["period"] = axis.period;
  return out;
}

struct ReadAxis {
  std::size_t feature;
  GridAxis axis;
};

ReadAxis read_axis(const JsonField& field, const std::vector<FeatureEncoding>& features) {
  constexpr std::size_t kMostStoredKnots = 32;  // more than a fit makes
  const std::string name = field["column"].text();
  const auto feature =
      std::find_if(features.begin(), features.end(), [&](const auto& one) { return one.name == name; });
  const bool number = feature != features.end() && feature->has_value && facts(feature->type).line;
  if (!number) field["column"].fail("is no continuous or ordinal feature");
  GridAxis axis{.knots = field["knots"].ascending()};
  if (axis.knots.size() < 2 || axis.knots.size() > kMostStoredKnots)
    field["knots"].fail("should have 2 to 32 knots");
  if (field.json().contains("period")) {
    axis.period = field["period"].number();
    if (!(axis.knots.back() - axis.knots.front() < axis.period))
      field["knots"].fail("should lie within one period");
  }
  return {static_cast<std::size_t>(feature - features.begin()), std::move(axis)};
}

}  // namespace

nlohmann::json products_json(const std::vector<ProductEncoding>& products,
                             const std::vector<FeatureEncoding>& features) {
  nlohmann::json out = nlohmann::json::array();
  for (const ProductEncoding& one : products)
    out.push_back(
        {{"axes",
          {axis_json(one.first_axis, features[one.first]), axis_json(one.second_axis, features[one.second])}},
         {"columns", one.columns}});
  return out;
}

std::vector<ProductEncoding> read_products(const nlohmann::json& json,
                                           const std::vector<FeatureEncoding>& features) {
  constexpr std::size_t kMostStored = 1024;
  const JsonField root(json, "encoder.products");
  std::vector<ProductEncoding> out;
  for (const JsonField& field : root.elements()) {
    const auto axes = field["axes"].elements();
    if (axes.size() != 2) field["axes"].fail("should be two");
    ReadAxis first = read_axis(axes[0], features), second = read_axis(axes[1], features);
    if (first.feature == second.feature) field["axes"].fail("should be of two columns");
    for (const ProductEncoding& one : out)
      if (one.first == first.feature && one.second == second.feature) field.fail("is there twice");
    const std::size_t size = first.axis.knots.size() * second.axis.knots.size();
    ProductEncoding product{.first = first.feature,
                            .second = second.feature,
                            .first_axis = std::move(first.axis),
                            .second_axis = std::move(second.axis)};
    for (const JsonField& column : field["columns"].elements()) {
      product.columns.push_back(column.numbers());
      if (product.columns.back().size() != size)
        column.fail("should have one number for each knot of the grid");
    }
    if (product.columns.empty() || product.columns.size() > kMostStored)
      field["columns"].fail("should be 1 to 1024");
    out.push_back(std::move(product));
  }
  return out;
}

}  // namespace bl
