#include "explain/curve_words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bl::explain {

bool is_bent(const Problem& problem, const Monomial::Curve& curve) {
  return !problem.variables[curve.variable].bends.empty();
}

std::string curve_in_words(const Problem& problem, const Monomial::Curve& curve) {
  const Pieces& p = curve.pieces;
  if (is_bent(problem, curve)) return in_words(p);
  // Pulling in makes the outer pieces flatter, so that the steepest one is the line itself.
  std::size_t steepest = 0;
  for (std::size_t i = 0; i + 1 < p.knots.size(); ++i)
    if (std::abs(p.slope(p.knots[i])) > std::abs(p.slope(p.knots[steepest]))) steepest = i;
  const double slope = p.slope(p.knots[steepest]);
  return fmt::format("{} by {:.4g} a unit from {:.4g} to {:.4g}; values beyond are pulled in",
                     slope < 0 ? "falls" : "rises", std::abs(slope), p.knots[steepest],
                     p.knots[steepest + 1]);
}

}  // namespace bl::explain
