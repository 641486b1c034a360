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

namespace {

// The expression of an attribute or a term, and of what it reads.
std::string definition(const ChoiceSchema& schema, const std::string& alternative, std::size_t attribute) {
  if (attribute < schema.declared) {
    if (!schema.wide) return schema.expressions[attribute].text();
    for (const ChoiceAlternative& one : schema.alternatives)
      if (one.name == alternative) return one.attributes[attribute].text();
    return "0";
  }
  const ChoiceTerm& term = schema.terms[attribute - schema.declared];
  std::string text = term.expression.text();
  for (const std::string& name : term.expression.columns()) {
    const auto found = std::find(schema.attributes.begin(), schema.attributes.end(), name);
    if (found != schema.attributes.end())
      text += " | " + name + " = " +
              definition(schema, alternative, static_cast<std::size_t>(found - schema.attributes.begin()));
  }
  return text;
}

}  // namespace

std::vector<std::vector<std::string>> term_definitions(const ChoiceSchema& schema,
                                                       const std::vector<std::string>& alternatives) {
  std::vector<LinearTerm> terms = linear_terms(schema, alternatives);
  terms.push_back({"", -1, -1, 0});
  std::vector<std::vector<std::string>> out;
  for (const LinearTerm& term : terms) {
    out.emplace_back();
    for (std::size_t a = 0; a < alternatives.size(); ++a) {
      if (term.alternative >= 0 && static_cast<std::size_t>(term.alternative) != a) continue;
      const std::string text =
          term.attribute < 0 ? "1"
                             : definition(schema, alternatives[a], static_cast<std::size_t>(term.attribute));
      if (text != "0") out.back().push_back(alternatives[a] + ": " + text);
    }
  }
  return out;
}

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
