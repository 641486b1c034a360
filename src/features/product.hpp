// Products of two curves: what two columns do together beyond their own curves.
//
// A product is a function of both columns by its values on a coarse grid of knots. All functions of a pair
// that are uncorrelated, over the training rows, with every function of one column over the same knots are
// written in a basis in which one decay for all weights is the penalty
//   squares of second differences along both axes + squares of the values on the grid,
// the functions that vary most over the rows for their penalty first. So rough surfaces cost more than smooth
// ones, and the curves of the two columns keep what they can say alone.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "data/table.hpp"
#include "features/encoding.hpp"
#include "features/grid.hpp"

namespace bl {

struct ProductEncoding {
  std::size_t first = 0, second = 0;  // of the encoder's features
  GridAxis first_axis = {}, second_axis = {};
  std::vector<std::vector<double>> columns = {};  // values on the grid of each encoded column
  bool operator==(const ProductEncoding&) const = default;
};

// age~*hours~.
std::string product_name(const std::string& first, const std::string& second);

// Of the two numbers of each row, none missing. At most 7 knots an axis and 16 columns, each with mean zero
// over the rows; their mean variance is 1. A knot of the grid with fewer than 20 rows in the cells around it
// follows its neighbours. Without columns where the rows do not bear any.
ProductEncoding fit_product(const FeatureEncoding& first, const FeatureEncoding& second,
                            std::span<const double> x, std::span<const double> y);

// The number of every row: places of ordinal levels, NaN where the value is missing.
std::vector<double> product_numbers(const FeatureEncoding& feature, const Column& column,
                                    std::span<const Index> rows);

// All that are asked for, in that order. DataError, naming `source`, where the rows do not bear one.
// `numbers` gives the number of every row of a feature.
std::vector<ProductEncoding> fit_products(
    const std::vector<FeatureEncoding>& features,
    const std::vector<std::pair<std::string, std::string>>& asked, const std::string& source,
    const std::function<std::vector<double>(const FeatureEncoding&)>& numbers);

// As in the file of an encoder; ModelFileError for what products_json cannot have written.
nlohmann::json products_json(const std::vector<ProductEncoding>& products,
                             const std::vector<FeatureEncoding>& features);
std::vector<ProductEncoding> read_products(const nlohmann::json& json,
                                           const std::vector<FeatureEncoding>& features);

}  // namespace bl
