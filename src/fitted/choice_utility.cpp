#include "fitted/choice_utility.hpp"

#include <algorithm>

#include "bl/errors.hpp"
#include "explain/coefficients.hpp"
#include "inference/chart.hpp"
#include "inference/minimiser.hpp"

namespace bl {

namespace {

using inference::ParameterState;
namespace ru = random_utility;

// States at a point where every lambda counts.
std::vector<ParameterState> generic_states(const Architecture& architecture) {
  const ParameterLayout layout(architecture);
  return inference::make_chart(architecture, inference::spread_start(architecture, layout, 1)).states;
}

ChoiceUtility block_utility(const Architecture& a) {
  if (a.readout.present || a.layers.size() != 1 || a.layers[0].blocks != 1 || !a.basis.response_only)
    throw UsageError(
        "random coefficients, nests, latent classes and scales are for a linear utility or for one "
        "identifiable "
        "block, not for this network; set `identifiable` and `single`");
  ChoiceUtility out;
  out.columns = layer_terms(a, 0);
  const std::vector<ParameterState> states = generic_states(a);
  const inference::ParameterMap map(a);
  const auto parameter = [&](Index position) -> Index {
    if (states[static_cast<std::size_t>(position)] != ParameterState::free) return -1;
    out.positions.push_back(position);
    return static_cast<Index>(out.positions.size()) - 1;
  };
  for (const inference::HeadPlace& place : map.heads()) {
    ru::UtilityHead head{.sign = place.kind == HeadKind::utility ? 1.0 : -1.0,
                         .activation = a.activation(place.kind),
                         .lambda = parameter(place.lambda),
                         .weights = {}};
    for (Index c = 0; c < place.columns; ++c)
      if (const Index k = parameter(place.weights + c); k >= 0)
        head.weights.push_back({.parameter = k, .column = c});
    out.heads.push_back(std::move(head));
  }
  return out;
}

}  // namespace

ru::Utility ChoiceUtility::utility(bool linear, Index sources) const {
  if (linear) return ru::Utility::linear(static_cast<Index>(columns.size()), sources);
  return {static_cast<Index>(positions.size()), heads, sources};
}

ChoiceUtility choice_utility(const Architecture& architecture, bool linear) {
  if (!linear) return block_utility(architecture);
  ChoiceUtility out{.columns = layer_terms(architecture, 0), .positions = {}, .heads = {}};
  const Index first = ParameterLayout(architecture).tensor("layers/0/U/weight").offset;
  for (std::size_t k = 0; k < out.columns.size(); ++k) out.positions.push_back(first + static_cast<Index>(k));
  return out;
}

std::vector<UtilityParameter> utility_parameters(const StoredModel& model) {
  const ChoiceResponse& choice = *model.choice();
  if (choice.schema.linear) return linear_parameters(choice.schema, choice.alternatives);
  const Architecture& a = model.architecture;
  std::vector<std::string> names(static_cast<std::size_t>(ParameterLayout(a).size()));
  const auto inputs = explain::network_inputs(choice_problem(model, explain::Units::original));
  for (const explain::Coefficient& one : explain::coefficients(a, inputs, {}, explain::Units::standardised))
    for (const auto& [position, factor] : one.parts)
      if (std::string& name = names[static_cast<std::size_t>(position)]; name.empty()) name = one.name;
  const ChoiceUtility utility = choice_utility(a, false);
  std::vector<UtilityParameter> out;
  for (const Index position : utility.positions)
    out.push_back(
        {.name = names[static_cast<std::size_t>(position)], .kind = UtilityParameter::Kind::inside});
  for (const ru::UtilityHead& head : utility.heads)
    if (head.lambda >= 0) out[static_cast<std::size_t>(head.lambda)].kind = UtilityParameter::Kind::lambda;
  return out;
}

std::vector<double> raw_parameters(const Architecture& architecture, bool linear,
                                   const std::vector<double>& parameters) {
  const inference::ParameterMap map(architecture);
  std::vector<double> effective(static_cast<std::size_t>(map.layout().size()), 0);
  for (const inference::HeadPlace& head : map.heads()) effective[static_cast<std::size_t>(head.lambda)] = 1;
  const ChoiceUtility utility = choice_utility(architecture, linear);
  for (std::size_t k = 0; k < utility.positions.size(); ++k)
    effective[static_cast<std::size_t>(utility.positions[k])] = parameters[k];
  for (const ru::UtilityHead& head : utility.heads)
    if (head.lambda >= 0) {
      double& lambda =
          effective[static_cast<std::size_t>(utility.positions[static_cast<std::size_t>(head.lambda)])];
      lambda = std::max(lambda, 0.0);
    }
  return map.raw(effective);
}

}  // namespace bl
