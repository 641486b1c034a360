#include "inference/column_rules.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace bl::inference {

ColumnRules column_rules(const Architecture& a, std::size_t layer) {
  const std::vector<Term> terms = layer_terms(a, layer);
  const auto columns = static_cast<std::size_t>(layer_input_size(a, layer));
  const bool biased = layer > 0 || !a.basis.response_only;
  ColumnRules rules;
  rules.same_as.resize(columns);
  std::iota(rules.same_as.begin(), rules.same_as.end(), Index{0});
  rules.vanishes.assign(columns, 0);
  rules.context_only.assign(columns, 0);
  rules.class_of.assign(columns, -1);
  rules.separate_classes = layer == 0 && !biased;
  std::map<std::pair<Term, std::int32_t>, Index> seen;
  for (std::size_t t = 0; t < terms.size(); ++t) {
    if (terms[t].back() >= a.input.size()) break;  // earlier blocks, which come last
    const TermParts parts = parts_of(terms[t], a.input);
    rules.vanishes[t] = parts.zero;
    if (parts.zero) continue;
    rules.class_of[t] = parts.class_index;
    rules.separate_classes &= parts.class_index >= 0;
    rules.context_only[t] = !reads_response(terms[t], a.input);
    rules.same_as[t] =
        seen.try_emplace(std::pair(parts.cofactor, parts.class_index), static_cast<Index>(t)).first->second;
  }
  for (const auto& [key, column] : seen) {
    if (key.second != 0) continue;
    ColumnRules::Reference reference;
    for (std::int32_t c = 0; c < static_cast<std::int32_t>(a.input.classes); ++c) {
      const auto found = seen.find({key.first, c});
      if (found != seen.end()) reference.by_class.push_back(found->second);
    }
    if (static_cast<Index>(reference.by_class.size()) != a.input.classes) continue;
    const auto base = seen.find({key.first, -1});
    reference.base = base != seen.end()            ? base->second
                     : biased && key.first.empty() ? ColumnRules::kBias
                                                   : ColumnRules::kNone;
    reference.context_only = !reads_response(key.first, a.input);
    rules.references.push_back(std::move(reference));
  }
  return rules;
}

}  // namespace bl::inference
