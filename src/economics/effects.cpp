#include "economics/effects.hpp"

#include "explain/gradient.hpp"

namespace bl {

namespace {

void marginal_utilities(const explain::Problem& problem, const Solution& at,
                        const std::vector<std::size_t>& places, RowEffects& out) {
  const std::vector<double> d = explain::gradient(problem, at.evaluation, at.output);
  const bool kinks = !explain::heads_at_kinks(problem, at.evaluation, kAtKink).empty();
  for (const std::size_t v : places) {
    const double scale = problem.variables[v].scale;
    explain::OneSided slopes{d[v], d[v]};
    if (kinks) slopes = explain::one_sided(problem, at.evaluation, at.output, v, kAtKink);
    out.marginal.push_back(slopes.right / scale);
    out.marginal_left.push_back(slopes.left / scale);
  }
}

}  // namespace

std::vector<std::string> outcome_names(const FittedModel& model) {
  std::vector<std::string> names;
  for (const std::size_t k : model.space.continuous_responses)
    names.push_back("E[" + model.stored.encoder.responses()[k].name + "]");
  for (const std::string& label : model.space.class_labels) names.push_back("p(" + label + ")");
  return names;
}

std::vector<double> outcomes_of(const FittedModel& model, const explain::Response& response) {
  std::vector<double> f;
  for (std::size_t k = 0; k < model.space.continuous_responses.size(); ++k) {
    const ResponseEncoding& r = model.stored.encoder.responses()[model.space.continuous_responses[k]];
    f.push_back(r.decode(response.values[k]));
  }
  for (Index c = 0; c < model.space.classes(); ++c) f.push_back(response.class_index == c ? 1 : 0);
  return f;
}

std::vector<std::size_t> variables_with_derivatives(const explain::Problem& problem) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < problem.variables.size(); ++i)
    if (has_derivative(problem.variables[i])) places.push_back(i);
  return places;
}

RowEffects row_effects(const FittedModel& model, const explain::Problem& problem, const double* features,
                       const std::optional<explain::Response>& observed,
                       const std::vector<WeightedResponse>& distribution) {
  const std::vector<std::size_t> places = variables_with_derivatives(problem);
  RowEffects out;
  const Solution at = solution(problem, features, observed ? *observed : distribution.front().response);
  for (const std::size_t v : places)
    out.values.push_back(at.evaluation.variables[v] * problem.variables[v].scale + problem.variables[v].mean);
  if (observed) marginal_utilities(problem, at, places, out);
  // Means of f, of the gradient g and of their products, f about its value at the first point.
  const std::vector<double> origin = outcomes_of(model, distribution.front().response);
  std::vector<double> mean_f(origin.size(), 0), mean_g(places.size(), 0);
  out.derivatives.assign(origin.size(), std::vector<double>(places.size(), 0));
  for (const WeightedResponse& point : distribution) {
    const Solution here = solution(problem, features, point.response);
    const std::vector<double> g = explain::gradient(problem, here.evaluation, here.output);
    const std::vector<double> f = outcomes_of(model, point.response);
    for (std::size_t k = 0; k < places.size(); ++k) mean_g[k] += point.weight * g[places[k]];
    for (std::size_t m = 0; m < f.size(); ++m) {
      mean_f[m] += point.weight * (f[m] - origin[m]);
      for (std::size_t k = 0; k < places.size(); ++k)
        out.derivatives[m][k] += point.weight * (f[m] - origin[m]) * g[places[k]];
    }
  }
  for (std::size_t m = 0; m < origin.size(); ++m) {
    out.outcomes.push_back(origin[m] + mean_f[m]);
    for (std::size_t k = 0; k < places.size(); ++k) {
      const explain::Variable& v = problem.variables[places[k]];
      double& d = out.derivatives[m][k];
      d = v.response ? 0 : (d - mean_f[m] * mean_g[k]) / (problem.temperature * v.scale);
    }
  }
  return out;
}

}  // namespace bl
