#include "inference/distributions.hpp"

#include <cmath>
#include <numbers>

namespace bl::inference {

namespace {

double normal_cumulative(double z) {
  return 0.5 * std::erfc(-z / std::numbers::sqrt2);
}

// Lower regularised gamma P(a, x) by its series, for x < a + 1.
double gamma_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (int n = 1; n < 10000 && std::abs(term) > 1e-17 * std::abs(sum); ++n) {
    term *= x / (a + n);
    sum += term;
  }
  return sum * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

// Upper regularised gamma Q(a, x) by Lentz's continued fraction, for x >= a + 1.
double gamma_fraction(double a, double x) {
  constexpr double kTiny = 1e-300;
  double b = x + 1 - a, c = 1 / kTiny, d = 1 / b, product = d;
  for (int n = 1; n < 10000; ++n) {
    const double numerator = -n * (n - a);
    b += 2;
    d = numerator * d + b;
    if (std::abs(d) < kTiny) d = kTiny;
    c = b + numerator / c;
    if (std::abs(c) < kTiny) c = kTiny;
    d = 1 / d;
    product *= d * c;
    if (std::abs(d * c - 1) < 1e-16) break;
  }
  return product * std::exp(-x + a * std::log(x) - std::lgamma(a));
}

}  // namespace

double normal_two_sided(double z) {
  return std::erfc(std::abs(z) / std::numbers::sqrt2);
}

// Bisection to the last bits; the cumulative function is exact to rounding on the side below zero.
double normal_quantile(double probability) {
  if (probability > 0.5) return -normal_quantile(1 - probability);
  double low = -40, high = 0;
  for (int i = 0; i < 200 && low < high; ++i) {
    const double middle = 0.5 * (low + high);
    if (middle == low || middle == high) break;
    (normal_cumulative(middle) < probability ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double chi_squared_tail(double x, double degrees) {
  if (!(x > 0)) return 1;
  const double a = 0.5 * degrees, half = 0.5 * x;
  return half < a + 1 ? 1 - gamma_series(a, half) : gamma_fraction(a, half);
}

}  // namespace bl::inference
