// Choices under a scenario: alternatives added, attributes changed, alternatives withdrawn, in this order.
#pragma once

#include <cstdint>
#include <vector>

#include "bl/choice.hpp"
#include "features/choice_data.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

// Situations after a change. data.classes still say which of the model's alternatives an entry is to it;
// `names` say which one it is called: one of data.alternatives, to which added ones are appended.
struct ChangedChoices {
  ChoiceData data;
  std::vector<std::int32_t> names;  // entries
};

// UsageError for names that are not there and where somebody would be left with nothing to choose, DataError
// where an expression has no value.
ChangedChoices apply_scenario(const FittedModel& model, const ChoiceData& base,
                              const ChoiceScenario& scenario);

}  // namespace bl
