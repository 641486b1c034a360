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
  std::vector<bool> touched;        // by name: added, changed or withdrawn
};

// UsageError for names that are not there and where somebody would be left with nothing to choose, DataError
// where an expression has no value.
ChangedChoices apply_scenario(const FittedModel& model, const ChoiceData& base,
                              const ChoiceScenario& scenario);

// UsageError where other attributes were declared with the columns of this one: they would not follow it, so
// that neither its derivatives nor a change of it would mean anything. `kept`: those that are changed as
// well.
void require_alone(const FittedModel& model, const ChoiceData& data, const std::string& attribute,
                   const std::string& alternative = "", const std::vector<std::string>& kept = {});

}  // namespace bl
