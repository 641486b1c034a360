#include <cmath>
#include <limits>

#include "api/choice_reading.hpp"

namespace bl {

namespace {

// Of a coefficient's standard error: the quantities are smooth on the scale of the errors, so differences
// over a thousandth of them leave a relative error of 1e-6 times their curvature.
constexpr double kStep = 1e-3;

}  // namespace

std::vector<double> delta_errors(
    const ChoiceModel::Impl& model, std::size_t count,
    const std::function<std::vector<double>(const ChoiceModel::Impl&)>& quantities) {
  const std::vector<double>& v = model.stored.covariance;
  const std::size_t n = model.stored.coefficients.size();
  std::vector<std::size_t> known;  // coefficients with a variance
  for (std::size_t k = 0; k < n && !v.empty(); ++k)
    if (v[k * n + k] > 0) known.push_back(k);
  if (known.empty()) return std::vector<double>(count, std::numeric_limits<double>::quiet_NaN());
  const auto weight = static_cast<std::size_t>(model.network.layout().tensor("layers/0/U/weight").offset);
  std::vector<std::vector<double>> gradient;  // per known coefficient
  for (const std::size_t k : known) {
    const double step = kStep * std::sqrt(v[k * n + k]);
    const auto at = [&](double change) {
      StoredChoice moved = model.stored;
      moved.parameters[weight + k] += change;
      return quantities(ChoiceModel::Impl(std::move(moved)));
    };
    gradient.push_back(at(step));
    const std::vector<double> below = at(-step);
    for (std::size_t q = 0; q < count; ++q) gradient.back()[q] = (gradient.back()[q] - below[q]) / (2 * step);
  }
  std::vector<double> errors(count, 0);
  for (std::size_t q = 0; q < count; ++q) {
    for (std::size_t a = 0; a < known.size(); ++a)
      for (std::size_t b = 0; b < known.size(); ++b)
        errors[q] += gradient[a][q] * v[known[a] * n + known[b]] * gradient[b][q];
    errors[q] = std::sqrt(std::max(0.0, errors[q]));
  }
  return errors;
}

}  // namespace bl
