#include "choice/common_utility.hpp"

#include <algorithm>
#include <map>

#include "choice/encoded.hpp"
#include "choice/linear.hpp"
#include "explain/coefficients.hpp"
#include "fitted/choice_utility.hpp"
#include "inference/minimiser.hpp"
#include "plan/plan.hpp"

namespace bl {

namespace {

// A lambda of 0 takes its head away, and with it every way back; along a ridge there is no end.
constexpr double kSmallestLambda = 0.1, kLargestLambda = 20;

// Every lambda within these bounds, and what it multiplies by as much the other way.
void off_ridges(const ChoiceUtility& read, std::vector<double>& parameters) {
  for (const random_utility::UtilityHead& head : read.heads) {
    if (head.lambda < 0) continue;
    double& lambda = parameters[static_cast<std::size_t>(head.lambda)];
    const double moved = std::clamp(lambda, kSmallestLambda, kLargestLambda);
    for (const random_utility::UtilityHead::Weight& one : head.weights)
      parameters[static_cast<std::size_t>(one.parameter)] *= lambda / moved;
    lambda = moved;
  }
}

std::vector<double> linear_coefficients(const ChoiceSchema& schema, const ChoiceData& data,
                                        const Settings& settings, const Context& job) {
  std::vector<LinearTerm> terms = linear_terms(schema, data.alternatives);
  for (LinearTerm& term : terms) term.sign = 0;
  Checkpoint<double> none("", "", "");
  return fit_linear(terms, data, settings, false, none, job).coefficients;
}

// Per parameter: the coefficient of an alternative's indicator alone.
std::vector<bool> of_indicators(const ChoiceUtility& read, Index attributes) {
  std::vector<bool> out(read.positions.size(), false);
  for (const random_utility::UtilityHead& head : read.heads)
    for (const random_utility::UtilityHead::Weight& one : head.weights) {
      const Term& column = read.columns[static_cast<std::size_t>(one.column)];
      out[static_cast<std::size_t>(one.parameter)] = column.size() == 1 && column[0] >= attributes;
    }
  return out;
}

}  // namespace

// A block is fitted to standardised attributes; its coefficients in original units are those of the block
// that reads them as they are, by name. The constant that the means leave goes to the alternatives, whose
// indicators sum to 1.
std::vector<double> common_parameters(const StoredModel& model, const ChoiceData& data,
                                      const Settings& settings, const Context& job) {
  if (model.choice()->schema.linear) return linear_coefficients(model.choice()->schema, data, settings, job);
  StoredModel scaled = model;
  standardize(data, std::get<ChoiceResponse>(scaled.response));
  const EncodedChoices<double> encoded(data, scaled.encoder, *scaled.choice());
  const Network<double> network(scaled.architecture);
  const Objective<double> objective(network, ObjectiveSpec{}, encoded.view());
  inference::MinimiserSpec minimiser;
  minimiser.starts = plan_starts(settings, scaled.architecture);
  minimiser.seed = static_cast<std::uint64_t>(settings.seed);
  scaled.parameters = inference::minimise(objective, minimiser, *make_engine<double>(job)).best.parameters;
  const std::vector<double> effective =
      inference::ParameterMap(scaled.architecture).effective(scaled.parameters);
  std::map<std::string, double> by_name;
  for (const explain::Coefficient& one : explain::coefficients(
           scaled.architecture, explain::network_inputs(choice_problem(scaled, explain::Units::original)), {},
           explain::Units::original))
    for (const auto& [position, factor] : one.parts)
      by_name[one.name] += factor * effective[static_cast<std::size_t>(position)];
  std::vector<double> out;
  const ChoiceUtility read = choice_utility(scaled.architecture, false);
  const std::vector<bool> indicator = of_indicators(read, scaled.architecture.input.values);
  for (const UtilityParameter& one : utility_parameters(model)) {
    const std::string head = one.name.substr(0, one.name.find('.'));
    out.push_back(by_name[one.name] + (indicator[out.size()] ? by_name[head + ".constant"] : 0));
  }
  off_ridges(read, out);
  return out;
}

}  // namespace bl
