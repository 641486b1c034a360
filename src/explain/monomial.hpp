// A term of a learned problem's head: a coefficient times powers of named variables, or a curve of one or a
// product of the curves of two. Value, slope, order and
// the two ways to write it stand here; expansion.hpp makes these terms from those of a basis, in other units.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "explain/bands.hpp"
#include "explain/pieces.hpp"
#include "explain/surface.hpp"

namespace bl::explain {

struct Factor {
  std::size_t variable = 0;  // index into Problem::variables
  int power = 1;
  auto operator<=>(const Factor&) const = default;
};

struct Monomial {
  double coefficient = 0;
  // |coefficient| in standardised units: how much the term moves its head when every factor is one
  // standard deviation off its mean. Terms are ranked by it in either unit; 0 for a term that only the change
  // of units brings in.
  double size = 0;
  std::vector<Factor> factors = {};  // by variable, ascending; never empty
  // In place of one factor, of power 1, a curve of its variable; its mean over the training rows is 0.
  struct Curve {
    std::size_t variable = 0;
    Pieces pieces = {};
    std::optional<Band> band = {};  // where there are standard errors
    bool operator==(const Curve&) const = default;
  };
  std::optional<Curve> curve = {};
  // In place of two factors, of power 1, a function of both variables; its mean over the training rows is 0.
  struct Product {
    std::array<std::size_t, 2> variables = {};
    Surface surface = {};
    std::optional<SurfaceErrors> errors = {};  // where there are standard errors
    bool operator==(const Product&) const = default;
  };
  std::optional<Product> product = {};
  bool operator==(const Monomial&) const = default;

  bool curved(const Factor& factor) const { return curve && curve->variable == factor.variable; }
  bool in_product(const Factor& factor) const {
    return product && (product->variables[0] == factor.variable || product->variables[1] == factor.variable);
  }
};

// Graded order: lower degrees first, then by variables.
struct GradedOrder {
  bool operator()(const std::vector<Factor>& a, const std::vector<Factor>& b) const;
};

double value_of(const Monomial& term, const std::vector<double>& variables);

// slopes += weight times the derivative by each variable.
void add_slopes(const Monomial& term, const std::vector<double>& variables, double weight,
                std::vector<double>& slopes);

using NameOfVariable = std::function<std::string(std::size_t)>;
// "RM*MEDV^2".
std::string text_of(const std::vector<Factor>& factors, const NameOfVariable& name);
// "RM\,MEDV^{2}", with names that are LaTeX already.
std::string latex_of(const std::vector<Factor>& factors, const NameOfVariable& name);

}  // namespace bl::explain
