#include "explain/monomial.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bl::explain {

namespace {

int degree(const std::vector<Factor>& factors) {
  int sum = 0;
  for (const Factor& factor : factors) sum += factor.power;
  return sum;
}

double power(double base, int exponent) {
  double product = 1;
  for (int k = 0; k < exponent; ++k) product *= base;
  return product;
}

GridValue product_at(const Monomial::Product& product, const std::vector<double>& variables) {
  return product.surface.at(variables[product.variables[0]], variables[product.variables[1]]);
}

double value_of(const Monomial& term, const Factor& factor, double x) {
  return term.curved(factor) ? term.curve->pieces.value(x) : power(x, factor.power);
}

// `raised` is the form of a power above 1.
std::string written(const std::vector<Factor>& factors, const NameOfVariable& name, std::string_view times,
                    std::string_view raised) {
  std::string out;
  for (const Factor& factor : factors) {
    if (!out.empty()) out += times;
    out += name(factor.variable);
    if (factor.power > 1) out += fmt::format(fmt::runtime(raised), factor.power);
  }
  return out;
}

}  // namespace

bool GradedOrder::operator()(const std::vector<Factor>& a, const std::vector<Factor>& b) const {
  const int da = degree(a), db = degree(b);
  if (da != db) return da < db;
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(), [](const Factor& x, const Factor& y) {
        return x.variable != y.variable ? x.variable < y.variable : x.power > y.power;
      });
}

double value_of(const Monomial& term, const std::vector<double>& variables) {
  double product = term.coefficient * (term.product ? product_at(*term.product, variables).value : 1);
  for (const Factor& factor : term.factors)
    if (!term.in_product(factor)) product *= value_of(term, factor, variables[factor.variable]);
  return product;
}

void add_slopes(const Monomial& term, const std::vector<double>& variables, double weight,
                std::vector<double>& slopes) {
  const GridValue both = term.product ? product_at(*term.product, variables) : GridValue{.value = 1};
  for (const Factor& by : term.factors) {
    const double x = variables[by.variable];
    double product = weight * term.coefficient;
    if (term.in_product(by))
      product *= by.variable == term.product->variables[0] ? both.by_first : both.by_second;
    else
      product *=
          both.value * (term.curved(by) ? term.curve->pieces.slope(x) : by.power * power(x, by.power - 1));
    for (const Factor& other : term.factors)
      if (other.variable != by.variable && !term.in_product(other))
        product *= value_of(term, other, variables[other.variable]);
    slopes[by.variable] += product;
  }
}

std::string text_of(const std::vector<Factor>& factors, const NameOfVariable& name) {
  return written(factors, name, "*", "^{}");
}

std::string latex_of(const std::vector<Factor>& factors, const NameOfVariable& name) {
  return written(factors, name, "\\,", "^{{{}}}");
}

}  // namespace bl::explain
