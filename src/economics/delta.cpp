#include "economics/delta.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/unknown.hpp"
#include "bl/errors.hpp"
#include "choice/beyond.hpp"
#include "fitted/choice_utility.hpp"
#include "inference/parameter_map.hpp"
#include "summary/inference_summary.hpp"
#include "summary/stored_estimate.hpp"

namespace bl {

namespace {

bool beyond_logit(const Model& model) {
  return model.is_choice() && model.impl().choice().schema.beyond_logit();
}

// Quantities by the parameters: those of a model beyond the logit as they are stored, others as effective
// values.
Eigen::MatrixXd gradient_of(const Model& model, const Eigen::MatrixXd& v, Index count,
                            const Quantities& quantities) {
  const StoredModel& stored = model.impl().stored;
  std::optional<inference::ParameterMap> map;
  if (!beyond_logit(model)) map.emplace(stored.architecture);
  const std::vector<double> start = map ? map->effective(stored.parameters) : stored_parameters(model);
  const MovedModel moved(model);
  const auto at = [&](Index position, double change) {
    std::vector<double> values = start;
    values[static_cast<std::size_t>(position)] += change;
    return quantities(moved.at(map ? map->raw(values) : std::move(values)));
  };
  const auto size = static_cast<Index>(stored.inference->positions.size());
  Eigen::MatrixXd gradient(count, size);
  for (Index k = 0; k < size; ++k) {
    const Index position = stored.inference->positions[static_cast<std::size_t>(k)];
    const double size_of = std::abs(start[static_cast<std::size_t>(position)]);
    // A thousandth of the error, where there is one: quantities are smooth on the scale of the errors. A
    // weight that may not be negative stays positive.
    double step = v(k, k) > 0 ? 1e-3 * std::sqrt(v(k, k)) : 1e-4 * (1 + size_of);
    if (map && map->tensor_at(position).sign == Sign::non_negative) step = std::min(step, 0.5 * size_of);
    const std::vector<double> up = at(position, step), down = at(position, -step);
    for (Index q = 0; q < count; ++q)
      gradient(q, k) = (up[static_cast<std::size_t>(q)] - down[static_cast<std::size_t>(q)]) / (2 * step);
  }
  return gradient;
}

}  // namespace

std::vector<double> stored_parameters(const Model& model) {
  const StoredModel& stored = model.impl().stored;
  return beyond_logit(model) ? stored.choice()->beyond : stored.parameters;
}

MovedModel::MovedModel(const Model& model) : rest_(model.impl().stored) {
  rest_.inference.reset();
  if (beyond_logit(model)) utility_ = utility_parameters(model.impl().stored);
}

Model MovedModel::at(std::vector<double> parameters) const {
  StoredModel moved = rest_;
  if (utility_.empty())
    moved.parameters = std::move(parameters);
  else
    set_beyond(moved, utility_, std::move(parameters));
  return model_of(std::move(moved));
}

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
