// Standard errors and intervals of what is computed from a model of choices.
#pragma once

#include <vector>

#include "bl/choice.hpp"
#include "economics/delta.hpp"

namespace bl {

struct QuantityErrors {
  std::vector<double> errors;       // by the delta method; NaN where not known
  std::vector<Interval> intervals;  // of Krinsky and Robb; NaN unless draws were asked for
};

// Of `count` quantities with the covariance that is asked for. All unknown in a model that stores none, or in
// a network some of whose parameters are not identified: a combination that is not determined leaves no way
// to tell which quantities are. UsageError for clusters where the model stores none, and for draws of a
// network, whose weights may not be negative.
QuantityErrors quantity_errors(const Model& model, const EconomicsErrors& options, std::size_t count,
                               const Quantities& quantities);

}  // namespace bl
