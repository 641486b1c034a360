#include "model/basis.hpp"

#include <algorithm>
#include <limits>

#include "bl/errors.hpp"

namespace bl {

namespace {

constexpr Index kSaturated = std::numeric_limits<Index>::max();

// Monomials of degree 1 ... degree in n variables: C(n + degree, degree) - 1, saturating.
Index monomial_count(Index n, int degree) {
  __extension__ using Wide = __int128;
  Wide count = 1;
  for (int k = 1; k <= degree; ++k) {
    count = count * (n + k) / k;
    if (count > kSaturated) return kSaturated;
  }
  return static_cast<Index>(count - 1);
}

void append_monomials(Index n, int degree, std::vector<Term>& terms) {
  Term term(static_cast<std::size_t>(degree), 0);
  for (;;) {
    terms.push_back(term);
    // The next non-decreasing sequence of `degree` positions below n.
    auto place = term.rbegin();
    while (place != term.rend() && *place == n - 1) ++place;
    if (place == term.rend()) return;
    const std::int32_t next = *place + 1;
    std::fill(place.base() - 1, term.end(), next);
  }
}

}  // namespace

std::string_view name(BasisKind kind) {
  switch (kind) {
#define BL_NAME(value)   \
  case BasisKind::value: \
    return #value;
    BL_BASIS_KINDS(BL_NAME)
#undef BL_NAME
  }
  return "";
}

Index basis_size(const BasisSpec& spec, const InputShape& shape, int degree) {
  const Index n = shape.size();
  const Index first = spec.response_only ? n - shape.context : n;
  switch (spec.kind) {
    case BasisKind::affine:
      return first;
    case BasisKind::affine_plus:
    case BasisKind::listed: {
      Index count = spec.kind == BasisKind::affine_plus ? first : 0;
      for (Term term : spec.extra) {
        check_term(term, shape);
        std::sort(term.begin(), term.end());
        if (!spec.response_only || reads_response(term, shape)) ++count;
      }
      return count;
    }
    case BasisKind::monomials:
      break;
  }
  const Index all = monomial_count(n, degree);
  return spec.response_only && all != kSaturated ? all - monomial_count(shape.context, degree) : all;
}

std::vector<Term> basis_terms(const BasisSpec& spec, const InputShape& shape, int degree) {
  std::vector<Term> terms;
  const Index n = shape.size();
  if (spec.kind == BasisKind::monomials) {
    for (int d = 1; d <= degree && n > 0; ++d) append_monomials(n, d, terms);
  } else {
    if (spec.kind != BasisKind::listed)
      for (std::int32_t i = 0; i < n; ++i) terms.push_back({i});
    for (Term term : spec.extra) {
      check_term(term, shape);
      std::sort(term.begin(), term.end());
      if (std::find(terms.begin(), terms.end(), term) != terms.end())
        throw UsageError("a basis term is named twice; remove one of the two");
      terms.push_back(std::move(term));
    }
  }
  if (spec.response_only)
    std::erase_if(terms, [&](const Term& term) { return !reads_response(term, shape); });
  return terms;
}

}  // namespace bl
