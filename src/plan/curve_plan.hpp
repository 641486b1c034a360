// Which columns are curves, of what kind, and which have a direction: from settings to terms and bounds.
#pragma once

#include <string>
#include <vector>

#include "bl/settings.hpp"
#include "features/encoder.hpp"
#include "features/response_space.hpp"
#include "features/schema.hpp"
#include "model/architecture.hpp"
#include "model/movement.hpp"

namespace bl {

// Settings under which coefficients are read: no curves and no far values pulled in unless asked.
bool coefficients_are_read(const Settings& settings);

// `columns`: what a schema file says. UsageError for columns that cannot be curves, kinds that do not exist,
// directions of splines, and products with a direction or of a column with itself.
CurveOptions curve_options(const Settings& settings, const Schema& schema, const ColumnSettings& columns);

// The entries of a list of curves whose columns are among `kept`, and all that name no column. Of a product
// one of whose columns is not, the curve of the other.
std::string entries_of_columns(const std::string& list, const std::vector<std::string>& kept);

// The probability of a class never falls (direction 1) or never rises (-1) with a feature.
struct FeatureDirection {
  std::size_t feature = 0;  // of the encoder
  int direction = 0;
  Index toward = 0;  // the class
};
// UsageError for a response that is not one class, and for classes that do not exist.
std::vector<FeatureDirection> feature_directions(const CurveOptions& curves, const Encoder& encoder,
                                                 const ResponseSpace& space);

// UsageError where there are directions, which fits to the minimum do not keep.
void require_steps(const std::vector<FeatureDirection>& directions, bool to_minimum);

// The first layer with the terms that such columns need: a feature with a direction enters heads multiplied
// with the classes only, the straight parts that curves go without are left out where bounds cannot hold them
// at zero (fits to the minimum, and bases of products), and products of two columns are left out beside
// curves unless the degree was asked for.
Architecture with_curve_terms(const Settings& settings, Architecture architecture, const Encoder& encoder,
                              const std::vector<FeatureDirection>& directions, bool to_minimum);

// Bounds per parameter under which straight parts that curves go without stay zero and directions hold; empty
// where there is nothing to hold.
std::vector<Bound> curve_bounds(const Architecture& architecture, const Encoder& encoder,
                                const std::vector<FeatureDirection>& directions);

}  // namespace bl
