// Checks of choice models: choices drawn from the model at the situations of the data, and the model fitted
// to them again.
#include "base/random.hpp"
#include "bl/errors.hpp"
#include "check/check_run.hpp"
#include "choice/encoded.hpp"
#include "choice/linear.hpp"
#include "choice/reading.hpp"
#include "features/beyond_names.hpp"
#include "summary/inference_summary.hpp"

namespace bl {

namespace {

// The model as a problem to simulate from, in standardized attributes, with the situations that it is drawn
// at.
struct ChoiceProblem {
  simulation::PlantedProblem planted;
  simulation::SimulatedData<double> situations;  // without choices
  std::map<Index, std::string> names;

  ChoiceProblem(const FittedModel& model, const ChoiceData& choices) {
    if (model.choice().schema.beyond_logit())
      throw UsageError("a check by simulation is available for the logit and for networks, not for " +
                       beyond_words(model.choice().schema));
    planted.name = "model";
    planted.temperature = model.stored.temperature;
    situations.rows = choices.situations();
    situations.begin = choices.begin;
    situations.classes = choices.classes;
    situations.weights = choices.weights;
    if (model.choice().schema.linear)
      of_linear(model, choices);
    else
      of_network(model, choices);
  }

 private:
  // Coefficients at a bound of their sign are left out, as terms.
  void of_linear(const FittedModel& model, const ChoiceData& choices) {
    std::vector<LinearTerm> terms;
    const auto all = linear_terms(model.choice().schema, model.choice().alternatives);
    std::vector<double> coefficients;
    for (std::size_t k = 0; k < all.size(); ++k) {
      if (model.stored.parameters[k] == 0) continue;
      names.emplace(static_cast<Index>(terms.size()), all[k].name);
      coefficients.push_back(model.stored.parameters[k]);
      terms.push_back(all[k]);
    }
    if (terms.empty()) throw UsageError("every coefficient of this model is 0; there is nothing to recover");
    ScaledChoices scaled(terms, choices);
    planted.architecture = scaled.network.architecture();
    for (std::size_t k = 0; k < terms.size(); ++k)
      planted.parameters.push_back(coefficients[k] * scaled.scale(terms[k]));
    planted.parameters.push_back(1);  // lambda
    situations.values = std::move(scaled.attributes);
  }

  void of_network(const FittedModel& model, const ChoiceData& choices) {
    if (model.choice().has_signs())
      throw UsageError("a network whose attributes have signs has no standard errors to check");
    EncodedChoices<double> encoded(choices, model.stored.encoder, model.choice());
    planted.architecture = model.stored.architecture;
    planted.parameters =
        inference::canonical_form(model.stored.architecture, model.stored.parameters, {.prune = kCheckBound})
            .parameters;
    names = position_names(named_model(model));
    situations.context = std::move(encoded.context);
    situations.values = std::move(encoded.attributes);
  }
};

// The model without what is pruned: the distribution that is drawn from is the one that is to be recovered.
std::vector<double> probabilities(const FittedModel& model, const ChoiceProblem& problem,
                                  const ChoiceData& choices, const Context& job) {
  StoredModel stored = model.stored;
  if (!model.choice().schema.linear) stored.parameters = problem.planted.parameters;
  return score_choices(FittedModel(std::move(stored)), choices, job, UnseenLevels::missing).probability;
}

// By inversion.
simulation::SimulatedData<double> draw_choices(const simulation::SimulatedData<double>& situations,
                                               const std::vector<double>& probability, std::uint64_t seed) {
  simulation::SimulatedData<double> data = situations;
  const RandomStream random(seed, Purpose::simulation);
  data.chosen.resize(static_cast<std::size_t>(data.rows));
  for (std::size_t i = 0; i < data.chosen.size(); ++i) {
    const auto begin = static_cast<std::size_t>(data.begin[i]);
    const auto last = static_cast<std::size_t>(data.begin[i + 1]) - 1;
    double left = random.uniform(i, 0);
    std::size_t j = begin;
    for (; j < last && left >= probability[j]; ++j) left -= probability[j];
    data.chosen[i] = static_cast<std::int32_t>(j - begin);
  }
  return data;
}

}  // namespace

CheckReport check_choices(const Model& model, const Table& table, const CheckOptions& options,
                          const Context& job) {
  const FittedModel& m = model.impl();
  const ChoiceData choices = read_for_estimates(m, table, false);
  const ChoiceProblem problem(m, choices);
  const std::vector<double> probability = probabilities(m, problem, choices, job);
  ObjectiveSpec objective;
  objective.temperature = m.stored.temperature;
  return run_check(
      {.problem = &problem.planted,
       .objective = objective,
       .likelihood = objective,
       .draw = [&](std::uint64_t seed,
                   const Context&) { return draw_choices(problem.situations, probability, seed); },
       .names = [&](const std::vector<Index>& positions) { return names_at(problem.names, positions); },
       .rows = static_cast<std::size_t>(choices.situations()),
       .response = response_name(m)},
      options, job);
}

}  // namespace bl
