// A model without the terms of one column at a time.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "explain/head_place.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

// What is taken out of a model: the terms of a column, of an attribute, or of the response (the alternative)
// alone.
struct Removal {
  std::string column;
  explain::HeadPlace head;  // out of this one; without a name: out of all
  std::function<bool(const Term&)> has;
};

// In the order of the columns, and of the heads where they are asked for one by one; see importance(). The
// model outlives them.
std::vector<Removal> removals(const FittedModel& model, bool by_head);

// Differs from the model in its parameters alone.
FittedModel without(const FittedModel& model, const Removal& removal);

}  // namespace bl
