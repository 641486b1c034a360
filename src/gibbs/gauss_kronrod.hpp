// The 15-point Gauss-Kronrod rule on [-1, 1], with the polynomial through its 15 values.
#pragma once

#include <array>
#include <cstddef>

namespace bl::gibbs {

inline constexpr std::size_t kRulePoints = 15;
using RuleValues = std::array<double, kRulePoints>;

// Nodes in increasing order; Gauss's 7-point rule uses every second one, its weights are zero at the others.
const RuleValues& rule_nodes();
const RuleValues& kronrod_weights();
const RuleValues& gauss_weights();

double weighted_sum(const RuleValues& weights, const RuleValues& values);

// The polynomial of degree 14 through values at the nodes, as sum of c_n P_n (Legendre). Its integral over
// [-1, 1] is Kronrod's sum, so distribution functions built from it end at exactly the normaliser.
class RulePolynomial {
 public:
  RulePolynomial() = default;
  explicit RulePolynomial(const RuleValues& values);
  double value(double t) const;
  double integral_to(double t) const;  // from -1 to t

 private:
  RuleValues coefficients_{};
};

}  // namespace bl::gibbs
