#include "economics/rival_responses.hpp"

#include "features/choice_rivals.hpp"

namespace bl {

RivalResponses::RivalResponses(const FittedModel& model, PreparedChoices& choices, Index attribute,
                               const Context& job)
    : data_(choices.data()) {
  const ChoiceSchema& schema = model.choice().schema;
  for (std::size_t r = 0; r < schema.rivals.size(); ++r)
    if (schema.rivals[r].attribute == static_cast<std::size_t>(attribute))
      summaries_.emplace_back(&schema.rivals[r],
                              static_cast<Index>(schema.declared + schema.terms.size() + r));
  if (none()) return;
  lacks_ = lacks_by_schema(schema, data_);
  by_input_ = choices.input_slopes(model, job);
}

double RivalResponses::slope(std::size_t situation, std::size_t j, std::size_t k) const {
  double sum = 0;
  for (const auto& [summary, input] : summaries_)
    sum += by_input_(static_cast<Index>(j), input) * rival_slope(*summary, lacks_, data_, situation, j, k);
  return sum;
}

}  // namespace bl
