#include "features/response_space.hpp"

#include <fmt/format.h>

#include "base/joined.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

constexpr std::size_t kMostCombinations = 10000;

}  // namespace

ResponseSpace::ResponseSpace(const Encoder& encoder) {
  for (std::size_t i = 0; i < encoder.responses().size(); ++i)
    (encoder.responses()[i].is_class() ? class_responses : continuous_responses).push_back(i);
  std::size_t combinations = class_responses.empty() ? 0 : 1;
  for (const std::size_t i : class_responses) {
    const ResponseEncoding& response = encoder.responses()[i];
    combinations *= response.levels.size();
    if (combinations > kMostCombinations)
      throw DataError(
          fmt::format("the class responses have more than {} combinations of levels; name fewer targets",
                      kMostCombinations));
    level_counts_.push_back(static_cast<std::int32_t>(response.levels.size()));
  }
  class_name = joined(class_responses, ", ", [&](std::size_t i) { return encoder.responses()[i].name; });
  for (std::size_t c = 0; c < combinations; ++c) {
    std::string label;
    std::size_t rest = c;
    for (std::size_t k = class_responses.size(); k-- > 0;) {
      const ResponseEncoding& response = encoder.responses()[class_responses[k]];
      const std::string& level = response.levels[rest % response.levels.size()];
      rest /= response.levels.size();
      label = class_responses.size() == 1 ? level
                                          : response.name + "=" + level + (label.empty() ? "" : ", ") + label;
    }
    class_labels.push_back(label);
  }
}

std::vector<std::int32_t> ResponseSpace::combine(const Matrix<std::int32_t>& codes) const {
  std::vector<std::int32_t> combined(class_responses.empty() ? 0 : static_cast<std::size_t>(codes.rows()), 0);
  for (std::size_t i = 0; i < combined.size(); ++i)
    for (std::size_t k = 0; k < level_counts_.size(); ++k)
      combined[i] = combined[i] * level_counts_[k] + codes(static_cast<Index>(i), static_cast<Index>(k));
  return combined;
}

}  // namespace bl
