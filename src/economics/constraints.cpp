// Constraints over a data set: how often each binds, how much is left of it, what it is worth.
#include "economics/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/quantile.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "economics/economics.hpp"
#include "explain/gradient.hpp"
#include "explain/row_text.hpp"
#include "fitted/fitted_model.hpp"
#include "predict/predicting.hpp"
#include "predict/row_distribution.hpp"

namespace bl {

namespace {

struct Place {
  std::size_t layer = 0, block = 0, head = 0;
};

struct Diagnosis {
  std::vector<double> slacks;  // by row: minus the head's value
  double free = 0, tight = 0, broken = 0;
  double price = 0;  // sum over rows
};

std::vector<Place> constraint_heads(const explain::Problem& problem) {
  std::vector<Place> places;
  for (std::size_t l = 0; l < problem.layers.size(); ++l)
    for (std::size_t b = 0; b < problem.layers[l].size(); ++b)
      for (std::size_t h = 0; h < problem.layers[l][b].heads.size(); ++h)
        if (problem.layers[l][b].heads[h].kind != HeadKind::utility) places.push_back({l, b, h});
  return places;
}

void count(const explain::Head& head, double value, const std::vector<double>& variables, Diagnosis& out) {
  switch (explain::constraint_state(head, value, variables)) {
    case explain::ConstraintState::slack:
      out.free += 1;
      break;
    case explain::ConstraintState::binding:
    case explain::ConstraintState::met:
      out.tight += 1;
      break;
    case explain::ConstraintState::violated:
    case explain::ConstraintState::off:
      out.broken += 1;
      break;
  }
}

std::size_t numeraire_of(const explain::Problem& problem, const std::string& name) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < problem.variables.size(); ++i) {
    if (!has_derivative(problem.variables[i])) continue;
    if (problem.variables[i].name == name) return i;
    names.push_back(problem.variables[i].name);
  }
  throw UsageError(
      fmt::format("no numeric column is called {}{}", in_quotes(name), did_you_mean(name, names)));
}

// At the chosen alternative of every situation, or at the likeliest.
std::vector<Solution> choice_solutions(const explain::Problem& problem, const Situations& all, bool at_best,
                                       const Context& job) {
  std::vector<Solution> solutions(all.count());
  job.run(solutions.size(), [&](std::size_t i) {
    solutions[i] = solution(problem, all.context.row(static_cast<Index>(i)),
                            all.response(at_best ? all.likeliest(i) : all.chosen(i)));
  });
  return solutions;
}

// The rows' responses at which constraints are looked at, solved for in parallel.
std::vector<Solution> solutions_of(const FittedModel& model, const explain::Problem& problem,
                                   const Table& table, const ConstraintOptions& options, const Context& job) {
  if (model.stored.choice() != nullptr)
    return choice_solutions(problem, Situations(model, table, options.part, !options.at_best, job),
                            options.at_best, job);
  const std::vector<Index> rows =
      options.at_best ? rows_of_part(model, table, options.part) : rows_to_judge(model, table, options.part);
  const Encoder encoder = encoder_for(model, options.part, {});
  std::vector<explain::Response> observed;
  Matrix<double> features;
  if (options.at_best) {
    features = encoder.encode_features<double>(table, rows);
  } else {
    Encoded<double> encoded = encoder.encode<double>(table, rows);
    observed = observed_responses(model, encoded);
    features = std::move(encoded.features);
  }
  std::vector<Solution> solutions(rows.size());
  job.run(rows.size(), [&](std::size_t i) {
    const double* row = features.row(static_cast<Index>(i));
    solutions[i] =
        solution(problem, row, options.at_best ? explain::best_response(model.utility, row) : observed[i]);
  });
  return solutions;
}

OutputTable table_of(const explain::Problem& problem, const std::vector<Place>& places,
                     std::vector<Diagnosis>& diagnoses, double rows) {
  constexpr std::array<double, 5> kLevels = {0.05, 0.25, 0.5, 0.75, 0.95};
  OutputTable out{.rows = places.size(), .columns = {{"constraint", {}, {}}, {"relation", {}, {}}}};
  for (const char* name : {"weight", "slack", "binding", "violated", "slack_q05", "slack_q25", "slack_median",
                           "slack_q75", "slack_q95", "shadow_price"})
    out.columns.push_back({name, {}, {}});
  for (std::size_t i = 0; i < places.size(); ++i) {
    const explain::Head& head = problem.layers[places[i].layer][places[i].block].heads[places[i].head];
    Diagnosis& d = diagnoses[i];
    std::sort(d.slacks.begin(), d.slacks.end());
    out.columns[0].texts.push_back(head.name);
    out.columns[1].texts.push_back(head.kind == HeadKind::inequality ? "<= 0" : "= 0");
    std::vector<double> numbers = {head.lambda, d.free / rows, d.tight / rows, d.broken / rows};
    for (const double level : kLevels) numbers.push_back(quantile(d.slacks, level));
    numbers.push_back(d.price / rows);
    for (std::size_t k = 0; k < numbers.size(); ++k) out.columns[2 + k].numbers.push_back(numbers[k]);
  }
  return out;
}

// Every constraint at every solution, and the mean marginal utility of the numeraire where there is one.
struct Diagnoses {
  std::vector<Diagnosis> by_place;
  double unit = 0;  // sum over rows
};

Diagnoses diagnosed(const explain::Problem& problem, const std::vector<Place>& places,
                    const std::vector<Solution>& solutions, std::optional<std::size_t> numeraire) {
  Diagnoses out{.by_place = std::vector<Diagnosis>(places.size())};
  for (const Solution& at : solutions) {
    const std::vector<double> d = explain::sensitivities(problem, at.evaluation, at.output);
    if (numeraire) out.unit += d[*numeraire] / problem.variables[*numeraire].scale;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const auto& [l, b, h] = places[i];
      const explain::Block& block = problem.layers[l][b];
      const double value = at.evaluation.heads[l][b][h];
      out.by_place[i].slacks.push_back(-value);
      count(block.heads[h], value, at.evaluation.variables, out.by_place[i]);
      out.by_place[i].price +=
          d[block.variable] * block.heads[h].lambda * slope(block.heads[h].activation, value);
    }
  }
  return out;
}

std::vector<Place> some_constraint_heads(const explain::Problem& problem) {
  std::vector<Place> places = constraint_heads(problem);
  if (places.empty()) throw UsageError("this model has no constraints: every head is a utility");
  return places;
}

}  // namespace

OutputTable situation_constraints(const FittedModel& model, const ChoiceData& situations,
                                  const Context& job) {
  const explain::Problem problem = problem_of(model, explain::Units::standardised);
  const std::vector<Place> places = some_constraint_heads(problem);
  const std::vector<Solution> solutions =
      choice_solutions(problem, Situations(model, situations, Part::test, job), false, job);
  Diagnoses found = diagnosed(problem, places, solutions, std::nullopt);
  return table_of(problem, places, found.by_place, static_cast<double>(solutions.size()));
}

OutputTable constraint_diagnostics(const Model& model, const Data& data, const ConstraintOptions& options) {
  return constraint_diagnostics(model, data, options, Context(options.threads));
}

OutputTable constraint_diagnostics(const Model& model, const Data& data, const ConstraintOptions& options,
                                   const Context& job) {
  const FittedModel& impl = model.impl();
  const explain::Problem problem = problem_of(impl, explain::Units::standardised);
  std::optional<std::size_t> numeraire;
  if (!options.numeraire.empty()) numeraire = numeraire_of(problem, options.numeraire);
  const std::vector<Place> places = some_constraint_heads(problem);
  const std::vector<Solution> solutions = solutions_of(impl, problem, data.impl().table, options, job);
  if (solutions.empty()) throw DataError(data.source() + ": there are no rows in this part");
  Diagnoses found = diagnosed(problem, places, solutions, numeraire);
  OutputTable out = table_of(problem, places, found.by_place, static_cast<double>(solutions.size()));
  if (!numeraire) return out;
  if (found.unit == 0)
    throw NumericError(fmt::format("the utility does not change with {}; nothing has a price in it",
                                   in_quotes(options.numeraire)));
  OutputColumn prices{"shadow_price_in_" + options.numeraire, {}, {}};
  for (const Diagnosis& d : found.by_place) prices.numbers.push_back(d.price / found.unit);
  out.columns.push_back(std::move(prices));
  return out;
}

}  // namespace bl
