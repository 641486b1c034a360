// The response that maximises the utility of one row.
#pragma once

#include <cstdint>
#include <vector>

#include "gibbs/utility.hpp"

namespace bl::explain {

struct Response {
  std::vector<double> values;    // continuous part, encoded
  std::int32_t class_index = 0;  // 0 where there are no classes
};

// Over all classes and, inside the support, all values: by enumeration, by the peaks of the distribution in
// one dimension and by ascent from several starts in more.
Response best_response(const gibbs::Utility& utility, const double* context);

}  // namespace bl::explain
