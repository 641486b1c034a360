// The utility of a choice model as formulas.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "api/choice_naming.hpp"
#include "api/render_problem.hpp"
#include "explain/fixed_level.hpp"
#include "explain/read_problem.hpp"

namespace bl {

namespace {

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// "V[train] = -0.7012 - 1.278 time - 1.084 cost", one line each.
std::string linear_text(const explain::Problem& problem, const std::vector<std::string>& alternatives) {
  std::string out = "The utilities of the alternatives, in the data's own units\n";
  for (const std::string& name : alternatives) {
    const explain::Problem one = explain::at_level(problem, kAlternative, name);
    const explain::Head& head = one.layers[0][0].heads[0];
    std::string formula = head.constant == 0 ? "" : explain::number_text(head.constant);
    for (const explain::Monomial& term : head.terms)
      formula += fmt::format(
          "{}{} {}", term.coefficient < 0 ? (formula.empty() ? "-" : " - ") : (formula.empty() ? "" : " + "),
          explain::number_text(std::abs(term.coefficient)), explain::factors_text(one, term));
    out += fmt::format("  V[{}] = {}\n", name, formula.empty() ? "0" : formula);
  }
  return out;
}

}  // namespace

explain::Problem problem_of(const ChoiceModel::Impl& model, explain::Units units) {
  const StoredChoice& m = model.stored;
  explain::ClassNames names{kAlternative, m.alternatives};
  for (std::size_t k = 0; k < m.means.size(); ++k)
    names.values.push_back({.name = model.schema.attributes[k],
                            .column = model.schema.attributes[k],
                            .response = true,
                            .mean = m.means[k],
                            .scale = m.scales[k],
                            .fill = m.means[k]});
  const StoredModel stored{.architecture = m.architecture,
                           .encoder = m.encoder,
                           .parameters = m.parameters,
                           .single_precision = false,
                           .support = {},
                           .temperature = m.temperature,
                           .information = {}};
  explain::Problem problem = explain::read_problem(stored, names, units);
  problem.response = "the choice among " + joined_names(m.alternatives);
  return problem;
}

NamedModel named_model(const ChoiceModel::Impl& model) {
  NamedModel named;
  named.architecture = model.stored.architecture;
  const explain::Problem problem = problem_of(model, explain::Units::original);
  named.inputs = explain::network_inputs(problem);
  for (const ChoiceCoefficient& one : model.stored.coefficients) named.linear.push_back(one.name);
  return named;
}

std::string response_name(const ChoiceModel::Impl& model) {
  return model.schema.wide ? model.schema.choice : model.schema.alternative;
}

std::string explain_choice(const ChoiceModel& model, ExplainFormat format, const ExplainOptions& options,
                           const std::string& alternative) {
  const ChoiceModel::Impl& impl = model.impl();
  explain::Problem problem =
      problem_of(impl, options.standardised ? explain::Units::standardised : explain::Units::original);
  if (!alternative.empty()) problem = explain::at_level(std::move(problem), kAlternative, alternative);
  const bool whole = alternative.empty() && options.block.empty();
  if (format == ExplainFormat::text && whole && !impl.stored.coefficients.empty())
    return linear_text(problem, impl.stored.alternatives);
  return render_problem(problem, format, options);
}

}  // namespace bl
