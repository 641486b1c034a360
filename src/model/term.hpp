// One term of the first layer's basis: a monomial of the input z = [x ; v ; e].
//
// x is the context, v the values of the response that vary by candidate (a continuous response, or an
// alternative's attributes), e the one-hot class (or alternative). A term is the sorted list of its
// factors' positions in z, so [0, 3, 3] is z0 z3^2. The constant is never a term: heads have a bias.
//
// Whoever needs a term's value, slope or what it reads asks here; its change of units is
// explain/expansion.hpp, and its order, text, LaTeX and slopes in a learned problem are explain/monomial.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "base/matrix.hpp"

namespace bl {

struct InputShape {
  Index context = 0;
  Index values = 0;
  Index classes = 0;
  Index size() const { return context + values + classes; }
  bool operator==(const InputShape&) const = default;
};

using Term = std::vector<std::int32_t>;

// Throws UsageError for a term that names no input or is empty.
void check_term(const Term& term, const InputShape& shape);

// True where the term changes with the response: a factor of v or e. Not so the constant, the cofactor of a
// class.
bool reads_response(const Term& term, const InputShape& shape);

// The factors that are inputs for which `holds`, powers one by one; empty: the term reads none of them.
template <class Holds>
Term factors_where(const Term& term, const Holds& holds) {
  Term found;
  std::copy_if(term.begin(), term.end(), std::back_inserter(found), holds);
  return found;
}

// A term is a monomial of x and v, or one times a class indicator. A power of an indicator is the indicator;
// a product of two classes is zero at every point.
struct TermParts {
  Term cofactor = {};  // factors of x and v
  std::int32_t class_index = -1;
  bool zero = false;
};
TermParts parts_of(const Term& term, const InputShape& shape);

// z(i) gives the input at position i.
template <class T, class Inputs>
T value_of(const Term& term, const Inputs& z) {
  T product = 1;
  for (const std::int32_t i : term) product *= z(i);
  return product;
}

// Derivative by the input at `position`.
template <class T, class Inputs>
T slope_of(const Term& term, std::int32_t position, const Inputs& z) {
  T sum = 0;
  for (std::size_t j = 0; j < term.size(); ++j) {
    if (term[j] != position) continue;
    T product = 1;
    for (std::size_t i = 0; i < term.size(); ++i)
      if (i != j) product *= z(term[i]);
    sum += product;
  }
  return sum;
}

}  // namespace bl
