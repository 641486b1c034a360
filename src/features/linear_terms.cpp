#include "features/linear_terms.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

std::int32_t find_index(const std::string& name, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw UsageError("choice schema: there is no alternative " + in_quotes(name) + " among " +
                     quoted_list(names) + did_you_mean(name, names));
  return static_cast<std::int32_t>(found - names.begin());
}

}  // namespace

std::vector<LinearTerm> linear_terms(const ChoiceSchema& schema,
                                     const std::vector<std::string>& alternatives) {
  const LinearUtility& utility = schema.utility;
  std::vector<LinearTerm> terms;
  if (utility.constants) {
    const std::int32_t reference =
        utility.reference.empty() ? 0 : find_index(utility.reference, alternatives);
    for (std::int32_t a = 0; a < static_cast<std::int32_t>(alternatives.size()); ++a)
      if (a != reference)
        terms.push_back({"constant[" + alternatives[static_cast<std::size_t>(a)] + "]", -1, a, 0});
  }
  for (const LinearUtility::Coefficient& one : utility.coefficients) {
    const auto attribute = std::find(schema.attributes.begin(), schema.attributes.end(), one.attribute) -
                           schema.attributes.begin();
    const bool generic = one.alternative.empty();
    terms.push_back({generic ? one.attribute : one.attribute + "[" + one.alternative + "]",
                     static_cast<std::int32_t>(attribute),
                     generic ? -1 : find_index(one.alternative, alternatives), one.sign});
  }
  if (terms.empty())
    throw UsageError("choice schema: the linear utility has neither attributes nor constants");
  return terms;
}

}  // namespace bl
