// How predictions change with each column, as a picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bl/model.hpp"

namespace bl {

struct ResponseCurveOptions {
  // Columns, or attributes of choices; empty: all, of a wide table the 24 that the blocks read most of.
  std::vector<std::string> columns = {};
  std::size_t row =
      0;  // the row (1 is the first; of a choice a situation) that curves start from; 0: a typical one
  std::size_t threads = 0;
};

// How the prediction changes with each column, as one SVG picture: for one row and on average over rows, with
// the band that holds 80% of a number's distribution; of choices the probabilities along each attribute of
// each alternative. UsageError for a model of several responses or a column that is not there.
std::string response_curves(const Model& model, const Data& data, const ResponseCurveOptions& options = {});

}  // namespace bl
