#include "fitted/fitted_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/joined.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "explain/read_problem.hpp"
#include "plan/stored_settings.hpp"
#include "plan/table_plan.hpp"

namespace bl {

using nlohmann::json;

FittedModel::FittedModel(StoredModel model)
    : stored(std::move(model)),
      space(stored.encoder),
      utility(stored.architecture, stored.parameters, stored.temperature, stored.support()) {
  for (const ResponseEncoding& response : stored.encoder.responses())
    if (!response.number.plain() && !utility.exact())
      throw ModelFileError(
          fmt::format("the response {} is learned on an axis of its own, which needs a utility that is "
                      "piecewise linear in it",
                      in_quotes(response.name)));
}

const ChoiceResponse& FittedModel::choice() const {
  if (stored.choice() == nullptr)
    throw UsageError("this is for a model of choices among alternatives; the model is of " +
                     in_quotes(response_name(*this)));
  return *stored.choice();
}

Model model_of(StoredModel stored) {
  return Model(std::make_shared<const FittedModel>(std::move(stored)));
}

const FittedModel& of_table(const Model& model, const char* asked) {
  if (model.is_choice())
    throw UsageError(std::string(asked) + " has no meaning for a model of choices among alternatives");
  return model.impl();
}

std::string response_name(const FittedModel& model) {
  if (const ChoiceResponse* choice = model.stored.choice()) return choice->schema.response();
  std::vector<std::string> names;
  for (const ResponseEncoding& one : model.stored.encoder.responses()) names.push_back(one.name);
  return joined(names);
}

namespace {

explain::ClassNames alternative_names(const ChoiceResponse& choice) {
  explain::ClassNames names{kAlternative, choice.alternatives};
  for (std::size_t k = 0; k < choice.means.size(); ++k)
    names.values.push_back({.name = choice.schema.attributes[k],
                            .column = choice.schema.attributes[k],
                            .response = true,
                            .mean = choice.means[k],
                            .scale = choice.scales[k],
                            .fill = choice.means[k]});
  return names;
}

}  // namespace

explain::ClassNames class_names(const FittedModel& model) {
  const ChoiceResponse* choice = model.stored.choice();
  return choice != nullptr ? alternative_names(*choice)
                           : explain::ClassNames{model.space.class_name, model.space.class_labels};
}

explain::Problem problem_of(const FittedModel& model, explain::Units units) {
  return model.stored.choice() != nullptr ? choice_problem(model.stored, units)
                                          : explain::read_problem(model.stored, class_names(model), units);
}

explain::Problem choice_problem(const StoredModel& model, explain::Units units) {
  explain::Problem problem = explain::read_problem(model, alternative_names(*model.choice()), units);
  problem.response = "the choice among " + joined(model.choice()->alternatives);
  return problem;
}

Index class_of(const FittedModel& model, const std::string& name) {
  if (name.empty()) return 0;
  const ChoiceResponse* choice = model.stored.choice();
  const std::vector<std::string>& names = choice != nullptr ? choice->alternatives : model.space.class_labels;
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw UsageError(choice != nullptr
                         ? fmt::format("the model has no alternative {} among {}{}", in_quotes(name),
                                       quoted_list(names), did_you_mean(name, names))
                         : fmt::format("`reference` = {} is no class of the response{}", in_quotes(name),
                                       did_you_mean(name, names)));
  return static_cast<Index>(found - names.begin());
}

std::vector<OutputColumn> carried_columns(const Table& table, std::span<const Index> rows,
                                          const std::vector<std::string>& names) {
  std::vector<OutputColumn> out;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i))
      throw UsageError(fmt::format("`carry`: {} is named twice", in_quotes(names[i])));
  for (const std::string& name : names) {
    const Column& column = table.column(name);
    OutputColumn carried{name, {}, {}};
    for (const Index row : rows) carried.texts.push_back(column.cell_text(row));
    out.push_back(std::move(carried));
  }
  return out;
}

void insert_carried(std::vector<OutputColumn> carried, std::size_t at, OutputTable& out) {
  for (OutputColumn& one : carried)
    if (std::any_of(out.columns.begin(), out.columns.end(),
                    [&](const OutputColumn& own) { return own.name == one.name; }))
      one.name = "observed " + one.name;
  out.columns.insert(out.columns.begin() + static_cast<std::ptrdiff_t>(at),
                     std::make_move_iterator(carried.begin()), std::make_move_iterator(carried.end()));
}

Settings fit_settings(const FittedModel& model) {
  return stored_settings(model.stored.information);
}

FitObjective objective_of(const FittedModel& m, Settings settings, Matrix<double> values) {
  settings.temperature = m.stored.temperature;
  const Support& support = m.stored.support();
  for (Index i = 0; i < values.rows(); ++i)  // other rows may lie outside the support
    for (Index k = 0; k < values.cols(); ++k)
      values(i, k) = std::clamp(values(i, k), support.lower[static_cast<std::size_t>(k)],
                                support.upper[static_cast<std::size_t>(k)]);
  return plan_fit_objective(settings, m.space, m.stored.encoder, m.stored.architecture, support, values);
}

bool learned_from_all_rows(const FittedModel& model) {
  return model.stored.information.value("split", json::object()).value("refit", json()) == json(true);
}

bool is_fit_data(const FittedModel& model, const Table& table, const SharedTable* shared) {
  const json& data = model.stored.information.value("data", json::object());
  return data.value("digest", json()) == json(shared ? table_digest(*shared) : table_digest(table));
}

void require_parts(const FittedModel& model, const Table& table, const SharedTable* shared) {
  if (!is_fit_data(model, table, shared))
    throw DataError(table.source +
                    ": not the file this model was fitted on, so its parts are not known; leave out `part`");
  if (model.stored.information.value("split", json::object()).value("given", json()) == json(true))
    throw UsageError("the caller of the fit chose its parts row by row, and the model does not keep them");
}

std::vector<Index> rows_of_part(const FittedModel& model, const Table& table, Part part,
                                const SharedTable* shared) {
  if (part == Part::all) return all_rows(table.rows);
  require_parts(model, table, shared);
  if (learned_from_all_rows(model)) {
    if (part == Part::train)
      return rows_with_responses(table, model.stored.encoder.schema(), all_rows(table.rows));
    throw UsageError(
        "this model has learned from all rows of its file, the held-out ones too, so they no longer judge "
        "it; "
        "the metrics from before are kept in the model. Fit with `refit` = none, or give rows of another "
        "file");
  }
  return rows_of(plan_split(table, model.stored.encoder.schema(), fit_settings(model)), part);
}

std::vector<Index> rows_to_judge(const FittedModel& model, const Table& table, Part part,
                                 const SharedTable* shared) {
  return rows_with_responses(table, model.stored.encoder.schema(), rows_of_part(model, table, part, shared));
}

std::vector<Index> rows_of_fit(const FittedModel& model, const Table& table) {
  return rows_to_judge(model, table, is_fit_data(model, table) ? Part::train : Part::all);
}

}  // namespace bl
