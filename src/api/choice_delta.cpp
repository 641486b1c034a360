#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "api/choice_reading.hpp"
#include "inference/parameter_map.hpp"

namespace bl {

namespace {

// Of a coefficient's standard error: the quantities are smooth on the scale of the errors, so differences
// over a thousandth of them leave a relative error of 1e-6 times their curvature.
constexpr double kStep = 1e-3;

// Parameters with a variance, and their robust covariance.
struct Known {
  std::vector<Index> positions;
  std::vector<double> covariance;  // positions x positions
};

Known known_parameters(const StoredChoice& model) {
  Known all;
  if (model.coefficients.empty() && model.inference) {
    all.positions = model.inference->positions;
    all.covariance = model.inference->robust;
  } else if (!model.covariance.empty()) {
    all.positions.resize(model.coefficients.size());
    std::iota(all.positions.begin(), all.positions.end(), Index{0});
    all.covariance = model.covariance;
  }
  // A combination that is not determined leaves no way to tell which quantities are.
  if (model.inference && !model.inference->facts.value("directions", nlohmann::json::array()).empty())
    return {};
  const std::size_t n = all.positions.size();
  Known out;
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < n; ++k)
    if (all.covariance[k * n + k] > 0) kept.push_back(k);
  for (const std::size_t k : kept) {
    out.positions.push_back(all.positions[k]);
    for (const std::size_t l : kept) out.covariance.push_back(all.covariance[k * n + l]);
  }
  return out;
}

}  // namespace

std::vector<double> delta_errors(
    const ChoiceModel::Impl& model, std::size_t count,
    const std::function<std::vector<double>(const ChoiceModel::Impl&)>& quantities) {
  const Known known = known_parameters(model.stored);
  const std::size_t n = known.positions.size();
  if (n == 0) return std::vector<double>(count, std::numeric_limits<double>::quiet_NaN());
  const inference::ParameterMap map(model.stored.architecture);
  const std::vector<double> effective = map.effective(model.stored.parameters);
  std::vector<std::vector<double>> gradient;  // per known parameter
  for (std::size_t k = 0; k < n; ++k) {
    const auto place = static_cast<std::size_t>(known.positions[k]);
    double step = kStep * std::sqrt(known.covariance[k * n + k]);
    // A weight that may not be negative stays positive.
    if (map.tensor_at(known.positions[k]).sign == Sign::non_negative)
      step = std::min(step, 0.5 * effective[place]);
    const auto at = [&](double change) {
      std::vector<double> values = effective;
      values[place] += change;
      StoredChoice moved = model.stored;
      moved.parameters = map.raw(values);
      return quantities(ChoiceModel::Impl(std::move(moved)));
    };
    gradient.push_back(at(step));
    const std::vector<double> below = at(-step);
    for (std::size_t q = 0; q < count; ++q) gradient.back()[q] = (gradient.back()[q] - below[q]) / (2 * step);
  }
  std::vector<double> errors(count, 0);
  for (std::size_t q = 0; q < count; ++q) {
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        errors[q] += gradient[a][q] * known.covariance[a * n + b] * gradient[b][q];
    errors[q] = std::sqrt(std::max(0.0, errors[q]));
  }
  return errors;
}

}  // namespace bl
