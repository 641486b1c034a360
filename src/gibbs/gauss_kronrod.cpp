#include "gibbs/gauss_kronrod.hpp"

#include <Eigen/Dense>

namespace bl::gibbs {

namespace {

// QUADPACK's qk15, the non-negative half from the outside in.
constexpr std::array<double, 8> kNodes = {
    0.991455371120812639206854697526329, 0.949107912342758524526189684047851,
    0.864864423359769072789712788640926, 0.741531185599394439863864773280788,
    0.586087235467691130294144838258730, 0.405845151377397166906606412076961,
    0.207784955007898467600689403773245, 0.0};
constexpr std::array<double, 8> kKronrod = {
    0.022935322010529224963732008058970, 0.063092092629978553290700663189204,
    0.104790010322250183839876322541518, 0.140653259715525918745189590510238,
    0.169004726639267902826583426598550, 0.190350578064785409913256402421014,
    0.204432940075298892414161999234649, 0.209482141084727828012999174891714};
constexpr std::array<double, 8> kGauss = {
    0, 0.129484966168869693270611432679082, 0, 0.279705391489276667901467771423780,
    0, 0.381830050505118944950369775488975, 0, 0.417959183673469387755102040816327};

RuleValues mirrored(const std::array<double, 8>& half, double sign_below) {
  RuleValues all{};
  for (std::size_t i = 0; i < 8; ++i) {
    all[i] = sign_below * half[i];
    all[kRulePoints - 1 - i] = half[i];
  }
  return all;
}

// P_0(t) ... P_15(t).
std::array<double, kRulePoints + 1> legendre(double t) {
  std::array<double, kRulePoints + 1> p{1.0, t};
  for (std::size_t n = 1; n < kRulePoints; ++n) {
    const double k = static_cast<double>(n);
    p[n + 1] = ((2 * k + 1) * t * p[n] - k * p[n - 1]) / (k + 1);
  }
  return p;
}

using Transform = Eigen::Matrix<double, kRulePoints, kRulePoints, Eigen::RowMajor>;

Transform values_to_coefficients() {
  Transform at_nodes;
  for (std::size_t i = 0; i < kRulePoints; ++i) {
    const auto p = legendre(rule_nodes()[i]);
    for (std::size_t n = 0; n < kRulePoints; ++n) at_nodes(static_cast<int>(i), static_cast<int>(n)) = p[n];
  }
  return at_nodes.inverse();
}

}  // namespace

const RuleValues& rule_nodes() {
  static const RuleValues nodes = mirrored(kNodes, -1);
  return nodes;
}

const RuleValues& kronrod_weights() {
  static const RuleValues weights = mirrored(kKronrod, 1);
  return weights;
}

const RuleValues& gauss_weights() {
  static const RuleValues weights = mirrored(kGauss, 1);
  return weights;
}

double weighted_sum(const RuleValues& weights, const RuleValues& values) {
  double sum = 0;
  for (std::size_t i = 0; i < kRulePoints; ++i) sum += weights[i] * values[i];
  return sum;
}

RulePolynomial::RulePolynomial(const RuleValues& values) {
  static const Transform transform = values_to_coefficients();
  for (std::size_t n = 0; n < kRulePoints; ++n) {
    const double* row = transform.data() + n * kRulePoints;
    for (std::size_t i = 0; i < kRulePoints; ++i) coefficients_[n] += row[i] * values[i];
  }
}

double RulePolynomial::value(double t) const {
  const auto p = legendre(t);
  double sum = 0;
  for (std::size_t n = 0; n < kRulePoints; ++n) sum += coefficients_[n] * p[n];
  return sum;
}

// The integral of P_n from -1 to t is (P_{n+1}(t) - P_{n-1}(t)) / (2n + 1).
double RulePolynomial::integral_to(double t) const {
  const auto p = legendre(t);
  double sum = coefficients_[0] * (t + 1);
  for (std::size_t n = 1; n < kRulePoints; ++n)
    sum += coefficients_[n] * (p[n + 1] - p[n - 1]) / static_cast<double>(2 * n + 1);
  return sum;
}

}  // namespace bl::gibbs
