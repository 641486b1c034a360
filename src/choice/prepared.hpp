// Situations prepared once, to be asked about again and again.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "choice/beyond.hpp"
#include "choice/encoded.hpp"
#include "choice/scores.hpp"

namespace bl {

// Every question names the model that answers. Models may differ in their parameters alone, or be members of
// one another: what else an answer needs is made at the first question that needs it. The data outlive this.
// Not to be asked from several threads at once.
class PreparedChoices {
 public:
  explicit PreparedChoices(const ChoiceData& data, UnseenLevels unseen = UnseenLevels::as_fitted)
      : data_(&data), unseen_(unseen) {}

  const ChoiceData& data() const { return *data_; }
  const EncodedChoices<double>& encoded(const FittedModel& model);
  // Of a model beyond the logit. memory: bytes that draws may take when it is first asked for.
  const BeyondModel& beyond(const FittedModel& model, double memory = physical_memory());

  ChoiceScores scores(const FittedModel& model, const Context& job);
  // ChoiceScores::log_likelihood, of known choices.
  std::optional<double> log_likelihood(const FittedModel& model, const Context& job);
  // Of a model beyond the logit: the forecast with responses to an attribute.
  ChoiceResponses responses(const FittedModel& model, Index attribute, Per per, const Context& job);

  // d utility / d input of every entry (attributes, terms, summaries of rivals), in raw units, others held.
  Matrix<double> input_slopes(const FittedModel& model, const Context& job);
  // d utility / d attribute of every entry, in raw units, through all terms that read it: entries x declared
  // attributes, or all inputs where there are no terms.
  Matrix<double> marginal_utilities(const FittedModel& model, const Context& job);

 private:
  // d term / d attribute of every entry, of a term that follows the attribute.
  struct TermSlope {
    Index term;
    std::vector<double> of_entry;
  };
  const std::vector<std::vector<TermSlope>>& slopes_of_terms(const ChoiceSchema& schema);

  const ChoiceData* data_;
  UnseenLevels unseen_;
  std::optional<EncodedChoices<double>> encoded_;
  std::optional<BeyondModel> beyond_;
  std::map<std::pair<Index, Per>, Matrix<double>> design_slopes_;
  std::vector<std::vector<TermSlope>> slopes_of_terms_;  // by declared attribute
};

}  // namespace bl
