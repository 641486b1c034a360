#include "bl/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "economics/assignment.hpp"
#include "explain/head_place.hpp"
#include "fitted/fitted_model.hpp"
#include "predict/finite.hpp"
#include "predict/prediction.hpp"

namespace bl {

namespace {

const FeatureEncoding& feature_of(const FittedModel& model, const std::string& name) {
  std::vector<std::string> names;
  for (const FeatureEncoding& feature : model.stored.encoder.features()) {
    if (feature.name == name) return feature;
    names.push_back(feature.name);
  }
  for (const ResponseEncoding& response : model.stored.encoder.responses())
    if (response.name == name)
      throw UsageError(fmt::format(
          "{} is the response: it is what the problem is solved for, and cannot be set", in_quotes(name)));
  throw UsageError(
      fmt::format("the model does not read a column {}{}", in_quotes(name), did_you_mean(name, names)));
}

Table changed_table(const FittedModel& model, const Table& table, const Scenario& scenario) {
  Table changed = table;
  for (const std::string& text : scenario.set) {
    const Assignment assignment = Assignment::parse(text);
    feature_of(model, assignment.column);
    assignment.apply(changed);
  }
  return changed;
}

std::vector<double> changed_parameters(const FittedModel& model, const Scenario& scenario) {
  const Architecture& a = model.stored.architecture;
  std::vector<double> parameters = model.stored.parameters;
  for (const std::string& name : scenario.drop_constraints) {
    const explain::HeadPlace head = explain::head_place(a, name);
    if (head.kind == HeadKind::utility)
      throw UsageError(fmt::format("{} is a utility; only constraints, C and T, can be dropped", name));
    explain::scale_lambda(a, head, 0, parameters);
  }
  for (const auto& [name, factor] : scenario.scale_lambdas)
    explain::scale_lambda(a, explain::head_place(a, name), factor, parameters);
  return parameters;
}

// Numbers that were set far beyond what the fit has seen.
std::vector<std::string> extrapolation_notes(const FittedModel& model, const Table& changed,
                                             const Scenario& scenario) {
  constexpr double kFar = 3;  // standard deviations
  std::vector<std::string> notes;
  for (const std::string& text : scenario.set) {
    const std::string name = Assignment::parse(text).column;
    const FeatureEncoding& feature = feature_of(model, name);
    const Column& column = changed.column(name);
    if (feature.type != ColumnType::continuous || column.raw != RawType::numeric) continue;
    const auto far = std::count_if(column.numbers.begin(), column.numbers.end(), [&](double value) {
      return std::abs(value - feature.mean) > kFar * feature.scale;
    });
    if (far > 0)
      notes.push_back(
          fmt::format("{} of {} rows have {} more than 3 standard deviations from its training mean of "
                      "{:.4g}: the answer is an extrapolation",
                      far, changed.rows, name, feature.mean));
  }
  return notes;
}

OutputTable predictions(const FittedModel& model, const gibbs::Utility& utility, const Table& table,
                        const Context& job, RowNotes& notes) {
  PredictOptions options;
  options.tolerance = 1e-8;  // a change may be small beside what changes
  options.mode = model.space.values() > 0;
  OutputTable out =
      predict_rows(model, model.stored.encoder, table, all_rows(table.rows), utility, options, job, &notes);
  std::erase_if(out.columns, [](const OutputColumn& column) {
    return column.name == "mode subgradient" || column.name == "mode starts agreeing";
  });
  return out;
}

void add_row_columns(const OutputColumn& before, const OutputColumn& after, OutputTable& out) {
  out.columns.push_back({before.name + " before", before.numbers, before.texts});
  out.columns.push_back({after.name + " after", after.numbers, after.texts});
  if (!before.texts.empty()) return;
  OutputColumn change{before.name + " change", {}, {}};
  for (std::size_t i = 0; i < before.numbers.size(); ++i)
    change.numbers.push_back(after.numbers[i] - before.numbers[i]);
  out.columns.push_back(std::move(change));
}

void add_summary(const OutputColumn& before, const OutputColumn& after, OutputTable& out) {
  const double rows = static_cast<double>(before.numbers.size());
  double sum_before = 0, sum_after = 0, smallest = 0, largest = 0;
  for (std::size_t i = 0; i < before.numbers.size(); ++i) {
    const double change = after.numbers[i] - before.numbers[i];
    sum_before += before.numbers[i];
    sum_after += after.numbers[i];
    smallest = i == 0 ? change : std::min(smallest, change);
    largest = i == 0 ? change : std::max(largest, change);
  }
  out.columns[0].texts.push_back(before.name);
  const double numbers[] = {sum_before / rows, sum_after / rows, (sum_after - sum_before) / rows, smallest,
                            largest};
  for (std::size_t k = 0; k < std::size(numbers); ++k) out.columns[k + 1].numbers.push_back(numbers[k]);
  ++out.rows;
}

std::string class_note(const OutputColumn& before, const OutputColumn& after) {
  std::size_t moved = 0;
  for (std::size_t i = 0; i < before.texts.size(); ++i) moved += before.texts[i] != after.texts[i] ? 1U : 0U;
  return fmt::format("{} of {} rows change their most likely {}", moved, before.texts.size(), before.name);
}

}  // namespace

ScenarioResult solve_scenario(const Model& model, const Data& data, const Scenario& scenario) {
  if (scenario.set.empty() && scenario.drop_constraints.empty() && scenario.scale_lambdas.empty())
    throw UsageError("nothing is changed: set a column, drop a constraint or scale a weight");
  const FittedModel& impl = of_table(model, "a change of columns");
  const Table& table = data.impl().table;
  const Table changed = changed_table(impl, table, scenario);
  const gibbs::Utility edited(impl.stored.architecture, changed_parameters(impl, scenario),
                              impl.stored.temperature, impl.stored.support());
  const Context job(scenario.threads);
  RowNotes notes;
  const OutputTable before = predictions(impl, impl.utility, table, job, notes);
  const OutputTable after = predictions(impl, edited, changed, job, notes);
  ScenarioResult result;
  result.notes = extrapolation_notes(impl, changed, scenario);
  for (std::string& text : notes.texts()) result.notes.push_back(std::move(text));
  result.summary.columns = {{"quantity", {}, {}}, {"before", {}, {}},          {"after", {}, {}},
                            {"change", {}, {}},   {"smallest_change", {}, {}}, {"largest_change", {}, {}}};
  OutputColumn numbers{"row", {}, {}};
  for (Index i = 0; i < table.rows; ++i) numbers.numbers.push_back(static_cast<double>(i + 1));
  result.rows = {.rows = before.rows, .columns = {std::move(numbers)}};
  for (std::size_t k = 0; k < before.columns.size(); ++k) {
    add_row_columns(before.columns[k], after.columns[k], result.rows);
    if (before.columns[k].texts.empty())
      add_summary(before.columns[k], after.columns[k], result.summary);
    else
      result.notes.push_back(class_note(before.columns[k], after.columns[k]));
  }
  require_finite(result.rows, [](std::size_t i) { return fmt::format("row {}", i + 1); });
  require_finite(result.summary, [](std::size_t) { return "over all rows"; });
  return result;
}

}  // namespace bl
