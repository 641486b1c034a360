// Utilities, probabilities and marginal utilities of the alternatives of situations.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "bl/model.hpp"
#include "features/choice_data.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

// Attributes standardised as the model wants them.
template <class T>
Matrix<T> encode_attributes(const Matrix<double>& raw, const std::vector<double>& means,
                            const std::vector<double>& scales);

struct ChoiceScores {
  std::vector<double> utility;      // per entry, over the temperature
  std::vector<double> probability;  // per entry
  std::vector<double> log_sum;      // per situation
  // Beyond the logit a log-probability is not a utility less the log-sum, and a person's choices may depend
  // on each other: then this is the log-likelihood of all choices, where they are known.
  bool by_probability = false;
  std::optional<double> log_likelihood = {};
};

// What is done about levels of context without training rows: what the settings of the fit say, or they count
// as missing, as of situations of the fit itself, which are never refused.
enum class UnseenLevels { as_fitted, missing };
inline UnseenLevels unseen_levels(Part part) {
  return part == Part::all ? UnseenLevels::as_fitted : UnseenLevels::missing;
}

// With the log-likelihood where the choices are known.
ChoiceScores score_choices(const FittedModel& model, const ChoiceData& data, const Context& job,
                           UnseenLevels unseen = UnseenLevels::as_fitted);

// Of what was chosen, by situation. V - log-sum, so a probability that rounds to 0 stays finite.
std::vector<double> log_probabilities(const ChoiceData& data, const ChoiceScores& scores);

std::vector<Metric> choice_metrics(const ChoiceData& data, const ChoiceScores& scores);

// The label, the probabilities and the likeliest alternative of each situation, and its utilities where asked
// for.
OutputTable choice_predictions(const FittedModel& model, const ChoiceData& data, const ChoiceScores& scores,
                               bool utilities);

// Mean over situations (by weight) of the entries' numbers, per name of the entry: shares[names[j]].
std::vector<double> mean_shares(const ChoiceData& data, const std::vector<std::int32_t>& names,
                                const std::vector<double>& numbers);

}  // namespace bl
