#include "inference/column_rules.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

namespace bl::inference {

namespace {

// Terms over positions of z; none for the columns that read earlier blocks.
std::vector<Term> terms_of(const Architecture& a, std::size_t layer) {
  if (layer == 0) return basis_terms(a.basis, a.input, a.degree());
  std::vector<Term> terms;
  if (a.skip == Skip::input || a.skip == Skip::dense)
    for (Index i = 0; i < a.input.size(); ++i) terms.push_back({static_cast<std::int32_t>(i)});
  return terms;
}

struct Function {
  Term cofactor;  // factors of context and values
  std::int32_t class_index = -1;
  bool zero = false;
  auto key() const { return std::pair(cofactor, class_index); }
};

Function function_of(const Term& term, const InputShape& input) {
  const auto first_class = static_cast<std::int32_t>(input.context + input.values);
  Function function;
  for (const std::int32_t factor : term) {
    if (factor < first_class) {
      function.cofactor.push_back(factor);
    } else {
      function.zero |= function.class_index >= 0 && function.class_index != factor - first_class;
      function.class_index = factor - first_class;
    }
  }
  return function;
}

}  // namespace

ColumnRules column_rules(const Architecture& a, std::size_t layer) {
  const std::vector<Term> terms = terms_of(a, layer);
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
    const Function function = function_of(terms[t], a.input);
    rules.vanishes[t] = function.zero;
    if (function.zero) continue;
    rules.class_of[t] = function.class_index;
    rules.separate_classes &= function.class_index >= 0;
    const bool of_values = std::any_of(function.cofactor.begin(), function.cofactor.end(),
                                       [&](std::int32_t factor) { return factor >= a.input.context; });
    rules.context_only[t] = function.class_index < 0 && !of_values;
    rules.same_as[t] = seen.try_emplace(function.key(), static_cast<Index>(t)).first->second;
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
    reference.context_only = std::all_of(key.first.begin(), key.first.end(),
                                         [&](std::int32_t factor) { return factor < a.input.context; });
    rules.references.push_back(std::move(reference));
  }
  return rules;
}

}  // namespace bl::inference
