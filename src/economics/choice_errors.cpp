#include "economics/choice_errors.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "base/quantile.hpp"
#include "base/random.hpp"
#include "base/unknown.hpp"
#include "bl/errors.hpp"
#include "summary/inference_summary.hpp"

namespace bl {

namespace {

void check(const Model& model, const EconomicsErrors& options) {
  const auto& inference = model.impl().stored.inference;
  static_cast<void>(inference::covariance_from_name(options.covariance));
  if (options.covariance == "cluster" && options.estimated.empty() && inference && inference->cluster.empty())
    throw UsageError(
        "the model stores no errors by person: the choice schema names no `person`, so nobody answers twice");
  if (options.draws < 0 || options.draws == 1)
    throw UsageError("intervals from draws need at least 2 `draws`; 0 leaves them out");
  if (!(options.level > 0 && options.level < 1))
    throw UsageError("the `level` of intervals lies between 0 and 1");
  if (options.draws > 0 && !model.impl().choice().schema.linear)
    throw UsageError(
        "`draws` of coefficients are for linear utilities: the weights of a network may not be negative, "
        "which draws would ignore");
}

bool has_errors(const Model& model) {
  const auto& inference = model.impl().stored.inference;
  if (!inference) return false;
  return model.impl().choice().schema.linear ||
         inference->facts.value("directions", nlohmann::json::array()).empty();
}

// A root of the covariance; what has no variance is held.
Eigen::MatrixXd root_of(Eigen::MatrixXd v) {
  for (Index i = 0; i < v.rows(); ++i)
    if (std::isnan(v(i, i))) {
      v.row(i).setZero();
      v.col(i).setZero();
    }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(v);
  return solver.eigenvectors() * solver.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
}

// The quantities at draws of the coefficients from their normal distribution: quantity by quantity.
std::vector<std::vector<double>> drawn(const Model& model, const Eigen::MatrixXd& v,
                                       const EconomicsErrors& options, std::size_t count,
                                       const Quantities& quantities) {
  const StoredModel& stored = model.impl().stored;
  const Eigen::MatrixXd root = root_of(v);
  const RandomStream random(options.seed, Purpose::bootstrap, 1);
  const MovedModel moved(model);
  std::vector<std::vector<double>> out(count);
  for (int r = 0; r < options.draws; ++r) {
    Eigen::VectorXd normal(root.cols());
    for (Index k = 0; k < normal.size(); ++k)
      normal(k) = random.normal(static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(k));
    const Eigen::VectorXd step = root * normal;
    std::vector<double> parameters = stored_parameters(model);
    for (Index k = 0; k < step.size(); ++k)
      parameters[static_cast<std::size_t>(stored.inference->positions[static_cast<std::size_t>(k)])] +=
          step(k);
    const std::vector<double> values = quantities(moved.at(std::move(parameters)));
    for (std::size_t q = 0; q < count; ++q) out[q].push_back(values[q]);
  }
  return out;
}

// A draw at which a quantity does not exist leaves no interval.
Interval interval_of(std::vector<double> values, double level) {
  if (std::any_of(values.begin(), values.end(), [](double one) { return std::isnan(one); }))
    return {kUnknown, kUnknown};
  std::sort(values.begin(), values.end());
  return {quantile(values, 0.5 * (1 - level)), quantile(values, 0.5 * (1 + level))};
}

}  // namespace

QuantityErrors quantity_errors(const Model& model, const EconomicsErrors& options, std::size_t count,
                               const Quantities& quantities) {
  check(model, options);
  QuantityErrors out{std::vector<double>(count, kUnknown),
                     std::vector<Interval>(count, {kUnknown, kUnknown})};
  if (!has_errors(model)) return out;
  const Eigen::MatrixXd v = covariance_for(model, options.covariance, options.estimated);
  out.errors = delta_errors(model, v, count, quantities);
  if (options.draws == 0) return out;
  const auto values = drawn(model, v, options, count, quantities);
  for (std::size_t q = 0; q < count; ++q)
    if (!std::isnan(out.errors[q])) out.intervals[q] = interval_of(values[q], options.level);
  return out;
}

}  // namespace bl
