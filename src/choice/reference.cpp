#include "choice/reference.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bl {

namespace {

bool same_within_sets(const ChoiceData& data, Index attribute) {
  for (std::size_t i = 0; i + 1 < data.begin.size(); ++i)
    for (auto j = data.begin[i] + 1; j < data.begin[i + 1]; ++j)
      if (data.attributes(static_cast<Index>(j), attribute) !=
          data.attributes(static_cast<Index>(data.begin[i]), attribute))
        return false;
  return true;
}

}  // namespace

bool leave_out_reference(const ChoiceData& all, const ChoiceSchema& schema, ChoiceDeclaration& declaration,
                         std::vector<std::string>& notes) {
  const std::string reference =
      schema.utility.reference.empty() ? all.alternatives.front() : schema.utility.reference;
  bool changed = false;
  for (ChoiceDeclaration::Specific& one : declaration.specific) {
    const auto at = std::find(schema.attributes.begin(), schema.attributes.end(), one.attribute);
    if (one.alternatives.size() < all.alternatives.size() ||
        !same_within_sets(all, static_cast<Index>(at - schema.attributes.begin())))
      continue;
    changed = std::erase(one.alternatives, reference) > 0 || changed;
    notes.push_back(
        fmt::format("{} is the same for all alternatives, so its coefficient for {} is 0, as the "
                    "constant is; the others are differences from it",
                    one.attribute, reference));
  }
  return changed;
}

}  // namespace bl
