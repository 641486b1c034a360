// The utility of a choice model as models beyond the logit read it: a linear one, or one identifiable block.
#pragma once

#include <vector>

#include "features/beyond_names.hpp"
#include "fitted/fitted_model.hpp"
#include "model/architecture.hpp"
#include "random_utility/utility.hpp"

namespace bl {

// Parameters are the entries of the layout that an identifiable block leaves free; the others are 0, or 1 for
// a lambda that a rule of the canonical form sets.
struct ChoiceUtility {
  std::vector<Term> columns;     // of the design: what heads are linear in
  std::vector<Index> positions;  // of the parameters in the layout
  std::vector<random_utility::UtilityHead> heads;

  random_utility::Utility utility(bool linear, Index sources) const;
};

// UsageError for a network of several blocks or layers.
ChoiceUtility choice_utility(const Architecture& architecture, bool linear);

// By name, without the scales of data sources. The attributes of a block must not be standardised.
std::vector<UtilityParameter> utility_parameters(const StoredModel& model);

// The layout's raw values of a utility with these parameters. A lambda below 0 becomes 0.
std::vector<double> raw_parameters(const Architecture& architecture, bool linear,
                                   const std::vector<double>& parameters);

}  // namespace bl
