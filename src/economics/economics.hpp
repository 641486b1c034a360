// What bl/explain.hpp and bl/choice.hpp answer, as part of other work.
#pragma once

#include <string>

#include "base/context.hpp"
#include "bl/choice.hpp"
#include "bl/explain.hpp"

namespace bl {

class PreparedChoices;

OutputTable importance(const Model& model, const Data& data, const ImportanceOptions& options,
                       const Context& job);
OutputTable constraint_diagnostics(const Model& model, const Data& data, const ConstraintOptions& options,
                                   const Context& job);
// Of situations that are prepared.
ChoiceElasticities elasticities(const Model& model, PreparedChoices& choices, const std::string& attribute,
                                const EconomicsErrors& options, const Context& job);
ChoiceTradeOff trade_off(const Model& model, PreparedChoices& choices, const std::string& attribute,
                         const std::string& money, const EconomicsErrors& options, const Context& job);

}  // namespace bl
