#include "model/term.hpp"

#include <string>

#include "bl/errors.hpp"

namespace bl {

void check_term(const Term& term, const InputShape& shape) {
  if (term.empty())
    throw UsageError("a basis term without factors: the constant is already there as the bias");
  for (const std::int32_t factor : term) {
    if (factor < 0 || factor >= shape.size())
      throw UsageError("a basis term names input " + std::to_string(factor) + ", but there are " +
                       std::to_string(shape.size()) + " inputs, counted from 0");
  }
}

bool reads_response(const Term& term, const InputShape& shape) {
  return !term.empty() && term.back() >= shape.context;  // factors are sorted, response positions come last
}

TermParts parts_of(const Term& term, const InputShape& shape) {
  const auto first_class = static_cast<std::int32_t>(shape.context + shape.values);
  TermParts parts;
  for (const std::int32_t factor : term) {
    if (factor < first_class) {
      parts.cofactor.push_back(factor);
      continue;
    }
    parts.zero |= parts.class_index >= 0 && parts.class_index != factor - first_class;
    parts.class_index = factor - first_class;
  }
  return parts;
}

}  // namespace bl
