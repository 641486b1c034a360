#include "economics/delta.hpp"

#include <algorithm>
#include <cmath>

#include "base/unknown.hpp"
#include "bl/errors.hpp"
#include "choice/beyond.hpp"
#include "inference/parameter_map.hpp"
#include "summary/inference_summary.hpp"
#include "summary/stored_estimate.hpp"

namespace bl {

namespace {

// Quantities by the parameters of a model beyond the logit, which are stored as they are.
Eigen::MatrixXd beyond_gradient(const Model& model, const Eigen::MatrixXd& v, Index count,
                                const Quantities& quantities) {
  const StoredModel& stored = model.impl().stored;
  const std::vector<double>& parameters = stored.choice()->beyond;
  const auto at = [&](Index position, double change) {
    std::vector<double> values = parameters;
    values[static_cast<std::size_t>(position)] += change;
    StoredModel moved = stored;
    set_beyond(moved, std::move(values));
    return quantities(model_of(std::move(moved)));
  };
  const auto size = static_cast<Index>(stored.inference->positions.size());
  Eigen::MatrixXd gradient(count, size);
  for (Index k = 0; k < size; ++k) {
    const Index position = stored.inference->positions[static_cast<std::size_t>(k)];
    const bool known = !std::isnan(v(k, k)) && v(k, k) > 0;
    const double step = known ? 1e-3 * std::sqrt(v(k, k))
                              : 1e-4 * (1 + std::abs(parameters[static_cast<std::size_t>(position)]));
    const std::vector<double> up = at(position, step), down = at(position, -step);
    for (Index q = 0; q < count; ++q)
      gradient(q, k) = (up[static_cast<std::size_t>(q)] - down[static_cast<std::size_t>(q)]) / (2 * step);
  }
  return gradient;
}

// Quantities by stored parameters.
Eigen::MatrixXd gradient_of(const Model& model, const Eigen::MatrixXd& v, Index count,
                            const Quantities& quantities) {
  if (model.is_choice() && model.impl().choice().schema.beyond_logit())
    return beyond_gradient(model, v, count, quantities);
  const StoredModel& stored = model.impl().stored;
  const inference::ParameterMap map(stored.architecture);
  const std::vector<double> effective = map.effective(stored.parameters);
  const auto at = [&](Index position, double change) {
    std::vector<double> values = effective;
    values[static_cast<std::size_t>(position)] += change;
    StoredModel moved = stored;
    moved.parameters = map.raw(values);
    return quantities(model_of(std::move(moved)));
  };
  const auto size = static_cast<Index>(stored.inference->positions.size());
  Eigen::MatrixXd gradient(count, size);
  for (Index k = 0; k < size; ++k) {
    const Index position = stored.inference->positions[static_cast<std::size_t>(k)];
    const double size_of = std::abs(effective[static_cast<std::size_t>(position)]);
    // A thousandth of the error, where there is one: quantities are smooth on the scale of the errors. A
    // weight that may not be negative stays positive.
    double step = std::isnan(v(k, k)) || v(k, k) == 0 ? 1e-4 * (1 + size_of) : 1e-3 * std::sqrt(v(k, k));
    if (map.tensor_at(position).sign == Sign::non_negative) step = std::min(step, 0.5 * size_of);
    const std::vector<double> up = at(position, step), down = at(position, -step);
    for (Index q = 0; q < count; ++q)
      gradient(q, k) = (up[static_cast<std::size_t>(q)] - down[static_cast<std::size_t>(q)]) / (2 * step);
  }
  return gradient;
}

}  // namespace

Eigen::MatrixXd covariance_for(const Model& model, const std::string& kind,
                               const std::vector<double>& estimated) {
  const auto& stored = model.impl().stored.inference;
  if (!stored)
    throw UsageError("this model stores no standard errors; run its summary with the data and `save`");
  if (estimated.empty()) return stored_covariance(*stored, kind);
  if (estimated.size() != stored->positions.size() * stored->positions.size())
    throw UsageError("the covariance is not that of this model's parameters");
  return square_matrix(estimated);
}

std::vector<double> delta_errors(const Model& model, const Eigen::MatrixXd& v, std::size_t count,
                                 const Quantities& quantities) {
  const Eigen::MatrixXd gradient = gradient_of(model, v, static_cast<Index>(count), quantities);
  std::vector<double> out;
  for (Index q = 0; q < gradient.rows(); ++q) {
    const double largest = gradient.cols() == 0 ? 0 : gradient.row(q).cwiseAbs().maxCoeff();
    double variance = 0;
    for (Index i = 0; i < gradient.cols(); ++i)
      for (Index j = 0; j < gradient.cols(); ++j) {
        // What a quantity does not depend on may have no variance.
        const bool counts = std::min(std::abs(gradient(q, i)), std::abs(gradient(q, j))) > 1e-9 * largest;
        if (counts || std::isnan(largest)) variance += gradient(q, i) * v(i, j) * gradient(q, j);
      }
    out.push_back(variance < 0 ? kUnknown : std::sqrt(variance));
  }
  return out;
}

}  // namespace bl
