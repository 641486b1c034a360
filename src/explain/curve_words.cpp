#include "explain/curve_words.hpp"

#include <fmt/format.h>

#include <cmath>

namespace bl::explain {

namespace {

// "; a straight line is rejected (p = 0.012)"; nothing where the rows do not determine it.
std::string test_in_words(const char* hypothesis, const WaldTest& test) {
  constexpr double kLevel = 0.05;
  if (std::isnan(test.p)) return "";
  const std::string value = test.p < 0.0005 ? "p < 0.0005" : fmt::format("p = {:.3f}", test.p);
  return fmt::format("; {} {} ({})", hypothesis, test.p < kLevel ? "is rejected" : "is not rejected", value);
}

}  // namespace

bool is_bent(const Problem& problem, const Monomial::Curve& curve) {
  return !problem.variables[curve.variable].bends.empty();
}

std::string curve_in_words(const Problem& problem, const Monomial::Curve& curve) {
  const Pieces& p = curve.pieces;
  if (is_bent(problem, curve))
    return in_words(p) + (curve.band && curve.band->straight
                              ? test_in_words("a straight line", *curve.band->straight)
                              : "");
  // Pulling in makes the outer pieces flatter, so that the steepest one is the line itself.
  std::size_t steepest = 0;
  for (std::size_t i = 0; i + 1 < p.knots.size(); ++i)
    if (std::abs(p.slope(p.knots[i])) > std::abs(p.slope(p.knots[steepest]))) steepest = i;
  const double slope = p.slope(p.knots[steepest]);
  return fmt::format("{} by {:.4g} a unit from {:.4g} to {:.4g}; values beyond are pulled in",
                     slope < 0 ? "falls" : "rises", std::abs(slope), p.knots[steepest],
                     p.knots[steepest + 1]);
}

std::string product_in_words(const Problem& problem, const Monomial::Product& product) {
  return in_words(product.surface, problem.variables[product.variables[0]].name,
                  problem.variables[product.variables[1]].name) +
         (product.errors ? test_in_words("that it has no effect", product.errors->flat) : "");
}

}  // namespace bl::explain
