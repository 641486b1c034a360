// Marginal utilities, rates of substitution, willingness to pay, effects and elasticities: at one row, or
// averaged.
#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "base/unknown.hpp"
#include "bl/errors.hpp"
#include "economics/economics.hpp"
#include "economics/effects.hpp"
#include "fitted/fitted_model.hpp"
#include "predict/predicting.hpp"

namespace bl {

namespace {

struct Averages {
  std::vector<double> values, marginal, kinks;
  std::vector<double> outcomes;                                // sums
  std::vector<std::vector<double>> derivatives, proportional;  // sums of d and of d * value
};

void add(std::vector<double>& sums, const std::vector<double>& terms) {
  sums.resize(terms.size(), 0);
  for (std::size_t i = 0; i < terms.size(); ++i) sums[i] += terms[i];
}

Averages sum_of(const std::vector<RowEffects>& rows) {
  Averages sums;
  for (const RowEffects& row : rows) {
    add(sums.values, row.values);
    add(sums.marginal, row.marginal);
    std::vector<double> kink;
    for (std::size_t k = 0; k < row.marginal.size(); ++k)
      kink.push_back(row.marginal[k] != row.marginal_left[k] ? 1 : 0);
    add(sums.kinks, kink);
    add(sums.outcomes, row.outcomes);
    sums.derivatives.resize(row.derivatives.size());
    sums.proportional.resize(row.derivatives.size());
    for (std::size_t m = 0; m < row.derivatives.size(); ++m) {
      std::vector<double> product = row.derivatives[m];
      for (std::size_t k = 0; k < product.size(); ++k) product[k] *= row.values[k];
      add(sums.derivatives[m], row.derivatives[m]);
      add(sums.proportional[m], product);
    }
  }
  return sums;
}

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}

std::vector<Index> chosen_rows(const FittedModel& model, const Table& table,
                               const EconomicsOptions& options) {
  if (options.row == 0) return rows_to_judge(model, table, options.part);
  if (options.part != Part::all) throw UsageError("`row` names one row of all; leave out `part`");
  if (options.row > static_cast<std::size_t>(table.rows))
    throw UsageError(fmt::format("`row` = {}: the data has rows 1 to {}", options.row, table.rows));
  return {static_cast<Index>(options.row) - 1};
}

std::vector<RowEffects> effects_of(const FittedModel& model, const explain::Problem& problem,
                                   const EconomicsRows& rows, const Context& job) {
  const auto distributions = row_distributions(model, rows.features, job);
  std::vector<RowEffects> effects(static_cast<std::size_t>(rows.features.rows()));
  job.run(effects.size(), [&](std::size_t i) {
    const auto response = rows.observed.empty() ? std::nullopt : std::optional(rows.observed[i]);
    effects[i] =
        row_effects(model, problem, rows.features.row(static_cast<Index>(i)), response, distributions[i]);
  });
  return effects;
}

// The rate at which each variable substitutes for the numeraire, and what would be paid for a unit of it.
void add_rates(const std::vector<std::string>& names, const std::vector<double>& marginal,
               const std::string& numeraire, OutputTable& out) {
  if (marginal.empty())
    throw UsageError("rates of substitution are taken at the observed response; the data does not have it");
  const auto base =
      static_cast<std::size_t>(std::find(names.begin(), names.end(), numeraire) - names.begin());
  if (base == names.size())
    throw UsageError(fmt::format("no numeric column is called {}{}", in_quotes(numeraire),
                                 did_you_mean(numeraire, names)));
  if (marginal[base] == 0)
    throw NumericError(
        fmt::format("the utility does not change with {}; nothing has a value in it", in_quotes(numeraire)));
  std::vector<double> rates;
  for (const double one : marginal) rates.push_back(one / marginal[base]);
  out.columns.push_back({"rate_for_" + numeraire, rates, {}});
  out.columns.push_back({"willingness_to_pay_in_" + numeraire, scaled(rates, -1), {}});
}

}  // namespace

EconomicsRows economics_rows(const FittedModel& model, const Table& table, const EconomicsOptions& options) {
  const std::vector<Index> rows = chosen_rows(model, table, options);
  if (rows.empty()) throw DataError(table.source + ": there are no rows in this part");
  const Encoder encoder = encoder_for(model, options.part, {});
  if (!has_responses(model, table))
    return {.features = encoder.encode_features<double>(table, rows), .observed = {}};
  Encoded<double> encoded = encoder.encode<double>(table, rows);
  std::vector<explain::Response> observed = observed_responses(model, encoded);
  return {std::move(encoded.features), std::move(observed)};
}

OutputTable economics(const Model& model, const Data& data, const EconomicsOptions& options) {
  const FittedModel& impl = of_table(model, "economics of columns");
  return economics_at(impl, economics_rows(impl, data.impl().table, options), options,
                      Context(options.threads));
}

OutputTable economics_at(const FittedModel& impl, const EconomicsRows& rows, const EconomicsOptions& options,
                         const Context& job) {
  const explain::Problem problem = problem_of(impl, explain::Units::standardised);
  const std::vector<RowEffects> effects = effects_of(impl, problem, rows, job);
  const Averages sums = sum_of(effects);
  const double share = 1 / static_cast<double>(effects.size());
  std::vector<std::string> names;
  std::vector<bool> own;  // the response's own numbers have no effect on themselves
  for (const std::size_t v : variables_with_derivatives(problem)) {
    names.push_back(problem.variables[v].name);
    own.push_back(problem.variables[v].response);
  }
  OutputTable out{.rows = names.size(),
                  .columns = {{"column", {}, names}, {"value", scaled(sums.values, share), {}}}};
  const std::vector<double> marginal = scaled(sums.marginal, share);
  if (!marginal.empty()) out.columns.push_back({"marginal_utility", marginal, {}});
  for (std::size_t k = 0; k < own.size(); ++k)
    if (own[k] && marginal.empty()) out.columns[1].numbers[k] = kUnknown;
  if (!options.numeraire.empty()) add_rates(names, marginal, options.numeraire, out);
  const std::vector<std::string> outcomes = outcome_names(impl);
  for (std::size_t m = 0; m < outcomes.size(); ++m) {
    std::vector<double> effect = scaled(sums.derivatives[m], share);
    std::vector<double> elasticity = scaled(sums.proportional[m], 1 / sums.outcomes[m]);
    for (std::size_t k = 0; k < own.size(); ++k)
      if (own[k]) effect[k] = elasticity[k] = kUnknown;
    out.columns.push_back({"d" + outcomes[m], std::move(effect), {}});
    out.columns.push_back({"elasticity_of_" + outcomes[m], std::move(elasticity), {}});
  }
  if (!sums.kinks.empty()) out.columns.push_back({"rows_at_kink", sums.kinks, {}});
  return out;
}

}  // namespace bl
