// Choice models beyond the logit: from a schema and situations to random_utility, and back.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "artifact/model_file.hpp"
#include "base/memory.hpp"
#include "choice/scores.hpp"
#include "features/beyond_names.hpp"
#include "model/term.hpp"
#include "random_utility/maximum.hpp"
#include "random_utility/mixed_logit.hpp"

namespace bl {

// Situations and the model that answers about them. Units are whose choices depend on each other: persons, or
// single situations in a nested logit and where nobody knows the persons.
struct BeyondModel {
  std::vector<UtilityParameter> utility;  // its parameters, without the scales of data sources
  std::vector<Term> columns;              // of the design: factors are attributes, then alternatives
  std::unique_ptr<random_utility::ChoiceSets> sets;
  std::vector<Index> order;  // situation of the data, per situation of the sets
  std::unique_ptr<random_utility::RandomUtilityModel> model;

  // The person's code, or the situation, of every unit.
  std::vector<std::int32_t> by_unit(const std::vector<std::int32_t>& groups) const;
};

// memory: bytes that draws may take.
BeyondModel make_beyond(const StoredModel& model, const ChoiceData& data, double memory = physical_memory());

// Draws of a mixed logit as random_utility wants them. UsageError for a log-normal coefficient inside a
// block.
random_utility::MixedLogitSpec mixed_spec(const ChoiceSchema& schema,
                                          const std::vector<UtilityParameter>& utility);

// Puts the parameters of a model beyond the logit in their places; the model's own are those of the utility
// in the middle (see ChoiceResponse::beyond).
void set_beyond(StoredModel& model, std::vector<double> parameters);
// The same where utility_parameters(model) are known.
void set_beyond(StoredModel& model, const std::vector<UtilityParameter>& utility,
                std::vector<double> parameters);

// Probabilities, mean utilities and log-sums.
ChoiceScores score_beyond(const BeyondModel& beyond, const FittedModel& model, const ChoiceData& data,
                          const Context& job);

// Responses to one unit more of an attribute, or to one percent of what it is (0 where it is 0).
enum class Per { unit, percent };

// Derivatives of the columns of the design by an attribute, through the terms that read it: entries of the
// sets x columns.
Matrix<double> design_slopes(const BeyondModel& beyond, const ChoiceSchema& schema, const ChoiceData& data,
                             Index attribute, Per per);

// The forecast with responses to an attribute, by its design_slopes, put in the data's order. Responses of
// situation i begin at begins[i].
struct ChoiceResponses {
  ChoiceScores scores;
  std::vector<double> slope, negative;  // entries
  std::vector<double> responses;
  std::vector<std::int64_t> begins;
};
ChoiceResponses respond_beyond(const BeyondModel& beyond, const Matrix<double>& design_slopes,
                               const FittedModel& model, const ChoiceData& data, const Context& job);

}  // namespace bl
