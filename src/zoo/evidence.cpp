#include "zoo/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bl::zoo {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double scaled_error(std::span<const double> values, std::span<const double> truth,
                    std::span<const double> bound) {
  double sum = 0;
  for (std::size_t k = 0; k < values.size(); ++k) sum += std::pow((values[k] - truth[k]) / bound[k], 2);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

void count(ReplicationEnd end, SizeEvidence& out) {
  if (end == ReplicationEnd::at_bound) ++out.at_bound;
  if (end == ReplicationEnd::not_converged) ++out.not_converged;
  if (end == ReplicationEnd::unidentified) ++out.unidentified;
}

// The replications that have errors, for one parameter.
struct ErrorColumn {
  std::vector<double> values, errors, classical;

  ErrorColumn(std::span<const Replication> replications, std::size_t k) {
    for (const Replication& one : replications) {
      if (one.end != ReplicationEnd::found) continue;
      values.push_back(one.values[k]);
      errors.push_back(one.errors[k]);
      classical.push_back(one.classical_errors[k]);
    }
  }
};

ParameterEvidence parameter_evidence(const ErrorColumn& column, double truth) {
  ParameterEvidence out;
  out.truth = truth;
  const auto n = static_cast<double>(column.values.size());
  double squares = 0;
  for (std::size_t r = 0; r < column.values.size(); ++r) {
    out.mean += column.values[r] / n;
    squares += column.errors[r] * column.errors[r] / n;
  }
  out.standard_error = n > 0 ? std::sqrt(squares) : kUnknown;
  double variance = 0;
  for (const double value : column.values) variance += std::pow(value - out.mean, 2) / (n - 1);
  out.deviation = n > 1 ? std::sqrt(variance) : kUnknown;
  if (n == 0) out.mean = kUnknown;
  out.robust = coverage(column.values, column.errors, truth);
  out.classical = coverage(column.values, column.classical, truth);
  return out;
}

}  // namespace

double Coverage::share() const {
  return intervals == 0 ? kUnknown : static_cast<double>(covered) / static_cast<double>(intervals);
}

Coverage coverage(std::span<const double> values, std::span<const double> errors, double truth,
                  double quantile) {
  Coverage out;
  for (std::size_t r = 0; r < values.size(); ++r) {
    if (std::isnan(errors[r])) continue;
    ++out.intervals;
    if (std::abs(values[r] - truth) <= quantile * errors[r]) ++out.covered;
  }
  return out;
}

Slope log_log_slope(std::span<const SizedError> errors) {
  const auto n = static_cast<double>(errors.size());
  double x_mean = 0, y_mean = 0;
  for (const SizedError& one : errors) {
    x_mean += std::log(one.rows) / n;
    y_mean += std::log(one.error) / n;
  }
  double xx = 0, xy = 0;
  for (const SizedError& one : errors) {
    const double x = std::log(one.rows) - x_mean;
    xx += x * x;
    xy += x * (std::log(one.error) - y_mean);
  }
  if (!(xx > 0)) return {kUnknown, kUnknown};
  const double slope = xy / xx;
  double residuals = 0;
  for (const SizedError& one : errors)
    residuals += std::pow(std::log(one.error) - y_mean - slope * (std::log(one.rows) - x_mean), 2) / (n - 2);
  return {slope, std::sqrt(residuals / xx)};
}

double SizeEvidence::mean_coverage() const {
  double sum = 0;
  for (const ParameterEvidence& one : parameters) sum += one.robust.share();
  return sum / static_cast<double>(parameters.size());
}

double SizeEvidence::median_variance_ratio() const {
  std::vector<double> ratios;
  for (const ParameterEvidence& one : parameters) ratios.push_back(one.variance_ratio());
  std::sort(ratios.begin(), ratios.end());
  const std::size_t middle = ratios.size() / 2;
  return ratios.size() % 2 == 1 ? ratios[middle] : 0.5 * (ratios[middle - 1] + ratios[middle]);
}

SizeEvidence size_evidence(Index rows, std::span<const Replication> replications,
                           std::span<const double> truth, std::span<const double> bound) {
  SizeEvidence out;
  out.rows = rows;
  out.replications = replications.size();
  double logs = 0;
  for (const Replication& one : replications) {
    count(one.end, out);
    if (one.elsewhere) ++out.elsewhere;
    out.errors.push_back(scaled_error(one.values, truth, bound));
    logs += std::log(out.errors.back()) / static_cast<double>(replications.size());
  }
  out.typical_error = std::exp(logs);
  std::array<Coverage, 3> levels;
  for (std::size_t k = 0; k < truth.size(); ++k) {
    const ErrorColumn column(replications, k);
    out.parameters.push_back(parameter_evidence(column, truth[k]));
    out.parameters.back().parameter = k;
    out.parameters.back().bound = bound[k] / std::sqrt(static_cast<double>(rows));
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const Coverage one = coverage(column.values, column.errors, truth[k], kNormalQuantiles[level]);
      levels[level].covered += one.covered;
      levels[level].intervals += one.intervals;
    }
  }
  for (std::size_t level = 0; level < levels.size(); ++level) out.shares[level] = levels[level].share();
  return out;
}

}  // namespace bl::zoo
