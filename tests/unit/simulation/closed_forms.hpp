// The planted distributions written out by hand, independently of the network: B / temperature at one point.
#pragma once

#include <algorithm>
#include <cmath>

namespace bl::simulation::closed_form {

inline double normal_cdf(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

// P(yes).
inline double logit(double age, double fee) {
  return 1 / (1 + std::exp(-(0.5 + 1.2 * age - 0.8 * fee)));
}

inline double shopper(double budget, double quality, double price) {
  return 2 * quality - 0.5 * price - 4 * std::max(0.0, price - budget);
}

inline double basket(double price, double budget, int units) {
  constexpr double kWorth[] = {0, 1.5, 2.5};
  return kWorth[units - 1] - 3 * std::max(0.0, units * price - budget);
}

inline double product_choice(double income, double price, double quality) {
  return (quality - price + 0.5 * income * price) / 0.5;
}

struct Normal {
  double mean, standard_deviation;
};

inline Normal producer(double price, double wage, double scale) {
  const double t = 1 + 0.3 * scale;
  return {(0.5 + 1.5 * price - wage) / (2 * t * t), std::sqrt(0.8 / (2 * t * t))};
}

inline double consumption(double need, double income, double spending) {
  return (2 + 0.8 * need) * spending - 0.2 * spending * spending - 3 * std::max(0.0, spending - income);
}

inline double allocation(double courage, double income, double stocks, double bonds) {
  return (1.5 + 0.8 * courage) * stocks + bonds - 0.5 * stocks * stocks - 0.4 * bonds * bonds -
         2 * std::abs(stocks + bonds - income);
}

// P(office): the normal integrals of both places have the same width.
inline double office(double skill) {
  const auto log_mass = [&](double linear) { return linear * linear / 4; };
  const double odds = -0.5 + skill + log_mass(2.5 + skill) - log_mass(1 + skill);
  return 1 / (1 + std::exp(-odds));
}

inline Normal extra_hours(double skill, bool at_office) {
  return {(1 + skill + (at_office ? 1.5 : 0)) / 2, std::sqrt(0.5)};
}

// One commuter's utility of walk (0), bus (1) or car (2).
inline double commuter(double distance, double rain, int mode) {
  const double u[] = {0, 0.5 + 1.5 * distance, -0.5 + 2 * distance + 0.5 * rain};
  const double c[] = {0, -1 + 2 * rain, 0.5 * distance - 1.5 * rain};
  const double t[] = {0, 0.8 * distance, 0.5 + 0.7 * rain};
  return 3 * std::tanh(u[mode]) - 2 * std::log1p(std::exp(c[mode])) - t[mode] * t[mode];
}

}  // namespace bl::simulation::closed_form
