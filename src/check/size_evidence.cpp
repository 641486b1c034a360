#include "check/size_evidence.hpp"
#include "base/unknown.hpp"

#include <algorithm>
#include <cmath>

namespace bl::simulation {

namespace {

double scaled_error(std::span<const double> values, std::span<const double> truth,
                    std::span<const double> bound) {
  double sum = 0;
  for (std::size_t k = 0; k < values.size(); ++k) sum += std::pow((values[k] - truth[k]) / bound[k], 2);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

void count(const Replication& one, SizeEvidence& out) {
  if (one.end == ReplicationEnd::at_bound) ++out.at_bound;
  if (one.end == ReplicationEnd::not_converged) ++out.not_converged;
  if (one.end == ReplicationEnd::unidentified) ++out.unidentified;
  if (one.random_starts == StartsEnd::same) ++out.found_again;
  if (one.random_starts == StartsEnd::lower) ++out.lower;
  if (one.random_starts == StartsEnd::higher) ++out.worse;
}

struct LogMoments {
  double mean = 0, variance = 0;

  explicit LogMoments(std::span<const double> values) {
    const auto n = static_cast<double>(values.size());
    for (const double value : values) mean += std::log(value) / n;
    for (const double value : values) variance += std::pow(std::log(value) - mean, 2) / (n - 1);
  }
};

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
  out.standard_deviation = n > 1 ? std::sqrt(variance) : kUnknown;
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

Slope slope_of_means(std::span<const SizedErrors> sizes) {
  double x_mean = 0;
  for (const SizedErrors& size : sizes) x_mean += std::log(size.rows) / static_cast<double>(sizes.size());
  double xx = 0, xy = 0, variance = 0;
  for (const SizedErrors& size : sizes) {
    const double x = std::log(size.rows) - x_mean;
    const LogMoments logs(size.errors);
    xx += x * x;
    xy += x * logs.mean;
    variance += x * x * logs.variance / static_cast<double>(size.errors.size());
  }
  if (!(xx > 0)) return {kUnknown, kUnknown};
  return {xy / xx, std::sqrt(variance) / xx};
}

Slope slope_of_replications(std::span<const SizedErrors> sizes) {
  double n = 0, x_mean = 0, y_mean = 0;
  for (const SizedErrors& size : sizes) {
    const auto count = static_cast<double>(size.errors.size());
    n += count;
    x_mean += count * std::log(size.rows);
    y_mean += count * LogMoments(size.errors).mean;
  }
  x_mean /= n;
  y_mean /= n;
  double xx = 0, xy = 0, yy = 0;
  for (const SizedErrors& size : sizes)
    for (const double error : size.errors) {
      const double x = std::log(size.rows) - x_mean, y = std::log(error) - y_mean;
      xx += x * x;
      xy += x * y;
      yy += y * y;
    }
  if (!(xx > 0)) return {kUnknown, kUnknown};
  const double residuals = std::max(0.0, yy - xy * xy / xx) / (n - 2);
  return {xy / xx, std::sqrt(residuals / xx)};
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
  for (const Replication& one : replications) {
    count(one, out);
    out.errors.push_back(scaled_error(one.values, truth, bound));
  }
  out.typical_error = std::exp(LogMoments(out.errors).mean);
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

}  // namespace bl::simulation
