// Checks of choice models: choices drawn from the model at the situations of the data, and the model fitted
// to them again.
#include <algorithm>

#include "api/check_run.hpp"
#include "api/choice_encoded.hpp"
#include "api/choice_linear.hpp"
#include "api/choice_naming.hpp"
#include "api/choice_reading.hpp"
#include "base/random.hpp"
#include "bl/choice_inference.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

// The model as a problem to simulate from, in standardized attributes, with the situations that it is drawn
// at.
struct ChoiceProblem {
  zoo::PlantedProblem planted;
  zoo::SimulatedData<double> situations;  // without choices
  std::map<Index, std::string> names;

  ChoiceProblem(const ChoiceModel::Impl& model, const ChoiceData& choices) {
    planted.name = "model";
    planted.temperature = model.stored.temperature;
    situations.rows = choices.situations();
    situations.begin = choices.begin;
    situations.classes = choices.classes;
    situations.weights = choices.weights;
    if (model.schema.linear)
      of_linear(model, choices);
    else
      of_network(model, choices);
  }

 private:
  // Coefficients at a bound of their sign are left out, as terms.
  void of_linear(const ChoiceModel::Impl& model, const ChoiceData& choices) {
    std::vector<LinearTerm> terms;
    const auto all = linear_terms(model.schema, model.stored.alternatives);
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

  void of_network(const ChoiceModel::Impl& model, const ChoiceData& choices) {
    const std::vector<int>& signs = model.schema.signs;
    if (std::any_of(signs.begin(), signs.end(), [](int sign) { return sign != 0; }))
      throw UsageError("a network whose attributes have signs has no standard errors to check");
    EncodedChoices<double> encoded(choices, model.stored);
    planted.architecture = model.stored.architecture;
    planted.parameters =
        inference::canonical_form(model.stored.architecture, model.stored.parameters, {.prune = kCheckBound})
            .parameters;
    names = position_names(named_model(model));
    situations.context = std::move(encoded.context);
    situations.values = std::move(encoded.attributes);
  }
};

// The model without what is pruned: the law that is drawn from is the one that is to be recovered.
std::vector<double> probabilities(const ChoiceModel::Impl& model, const ChoiceProblem& problem,
                                  const ChoiceData& choices, ThreadPool& pool) {
  StoredChoice stored = model.stored;
  if (!model.schema.linear) stored.parameters = problem.planted.parameters;
  return score_choices(ChoiceModel::Impl(std::move(stored)), choices, pool, Part::train).probability;
}

// By inversion.
zoo::SimulatedData<double> draw_choices(const zoo::SimulatedData<double>& situations,
                                        const std::vector<double>& probability, std::uint64_t seed) {
  zoo::SimulatedData<double> data = situations;
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

CheckReport check_model(const ChoiceModel& model, const Data& data, const CheckOptions& options,
                        const std::function<void(double, const std::string&)>& progress) {
  const ChoiceModel::Impl& m = model.impl();
  const ChoiceData choices = select_situations(read_part(m, data, Part::all, false), fit_situations(m, data));
  const ChoiceProblem problem(m, choices);
  ThreadPool pool(options.threads);
  const std::vector<double> probability = probabilities(m, problem, choices, pool);
  ObjectiveSpec objective;
  objective.temperature = m.stored.temperature;
  return run_check(
      {.problem = &problem.planted,
       .objective = objective,
       .draw = [&](std::uint64_t seed) { return draw_choices(problem.situations, probability, seed); },
       .names = [&](const std::vector<Index>& positions) { return names_at(problem.names, positions); },
       .rows = static_cast<std::size_t>(choices.situations()),
       .response = response_name(m)},
      options, progress);
}

}  // namespace bl
