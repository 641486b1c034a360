// A model without the terms of one column at a time.
#pragma once

#include <string>
#include <vector>

#include "fitted/fitted_model.hpp"

namespace bl {

struct ReducedModel {
  std::string without;  // a column, an attribute, or the response (the alternative) alone
  Model model;
};

// In the order of the columns; see importance().
std::vector<ReducedModel> models_without_columns(const FittedModel& model);

}  // namespace bl
