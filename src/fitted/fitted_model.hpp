// What stands behind the public classes: a table, and a model that is ready to be asked.
#pragma once

#include <string>
#include <vector>

#include "artifact/model_file.hpp"
#include "bl/model.hpp"
#include "bl/settings.hpp"
#include "data/shared_table.hpp"
#include "explain/problem.hpp"
#include "explain/read_problem.hpp"
#include "features/response_space.hpp"
#include "gibbs/utility.hpp"
#include "plan/fit_objective.hpp"

namespace bl {

struct Data::Impl {
  Table table;
};

struct FittedModel {
  StoredModel stored;
  ResponseSpace space;  // of a table's responses
  gibbs::Utility utility;

  explicit FittedModel(StoredModel model);

  // UsageError where the response is none.
  const ChoiceResponse& choice() const;
};

Model model_of(StoredModel stored);

// The model; UsageError, naming what was asked for, where its response is a choice.
const FittedModel& of_table(const Model& model, const char* asked);

// Names of the responses, or the column of the choice.
std::string response_name(const FittedModel& model);

// The learned problem with names. Alternatives of a choice are the levels of kAlternative.
inline constexpr const char* kAlternative = "alternative";
explain::ClassNames class_names(const FittedModel& model);
explain::Problem problem_of(const FittedModel& model, explain::Units units);
explain::Problem choice_problem(const StoredModel& model, explain::Units units);

// The class or alternative of this name, the first for an empty one. UsageError.
Index class_of(const FittedModel& model, const std::string& name);

// Columns of these names with the text of these rows. UsageError where one is named twice.
std::vector<OutputColumn> carried_columns(const Table& table, std::span<const Index> rows,
                                          const std::vector<std::string>& names);
// Puts them into the output before column `at`: under their names, but "observed y" where the output has a y
// of its own, as of a response.
void insert_carried(std::vector<OutputColumn> carried, std::size_t at, OutputTable& out);

// The settings of the fit. ModelFileError where they cannot be read.
Settings fit_settings(const FittedModel& model);

// What the fit with these settings minimised, for the model as it is stored. values: continuous responses of
// the rows of the fit, encoded, or of other rows in their place.
FitObjective objective_of(const FittedModel& model, Settings settings, Matrix<double> values);

// Also from those that were held out at first.
bool learned_from_all_rows(const FittedModel& model);
bool is_fit_data(const FittedModel& model, const Table& table, const SharedTable* shared = nullptr);

// The rows of a part of a table. The split is a function of the settings and the table, so it is made again.
// DataError where the table is not that of the fit. Where `shared` is not null it has the features.
std::vector<Index> rows_of_part(const FittedModel& model, const Table& table, Part part,
                                const SharedTable* shared = nullptr);
// Those of them in which no response is missing. DataError where none is left.
std::vector<Index> rows_to_judge(const FittedModel& model, const Table& table, Part part,
                                 const SharedTable* shared = nullptr);
// The rows of the fit where they are known, else all that have their responses.
std::vector<Index> rows_of_fit(const FittedModel& model, const Table& table);
// DataError where the table is not that of the fit, UsageError where its parts were given by hand.
void require_parts(const FittedModel& model, const Table& table, const SharedTable* shared = nullptr);

}  // namespace bl
