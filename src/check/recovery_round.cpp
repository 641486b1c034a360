#include "check/recovery_round.hpp"

#include <algorithm>
#include <cmath>

#include "base/quantile.hpp"
#include "base/unknown.hpp"

namespace bl {

namespace {

using simulation::Replication;
using simulation::ReplicationEnd;
using simulation::StartsEnd;

constexpr std::array<double, 3> kLevelQuantiles = {0.674489750196082, 1.281551565544600, kNormal95};

void count(const Replication& one, RecoveryRound& out) {
  if (one.end == ReplicationEnd::at_bound) ++out.at_bound;
  if (one.end == ReplicationEnd::not_converged) ++out.not_converged;
  if (one.end == ReplicationEnd::unidentified) ++out.unidentified;
  if (one.random_starts == StartsEnd::same) ++out.found_again;
  if (one.random_starts == StartsEnd::lower) ++out.lower;
  if (one.random_starts == StartsEnd::higher) ++out.worse;
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

RecoveredParameter recovered(const ErrorColumn& column, double truth) {
  RecoveredParameter out;
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
  const Coverage robust = coverage(column.values, column.errors, truth);
  out.coverage = robust.share();
  out.intervals = robust.intervals;
  out.classical_coverage = coverage(column.values, column.classical, truth).share();
  return out;
}

// Over parameters.
void summarise(RecoveryRound& out) {
  std::vector<double> ratios;
  double sum = 0;
  for (const RecoveredParameter& one : out.parameters) {
    sum += one.coverage;
    ratios.push_back(one.standard_deviation * one.standard_deviation / (one.bound * one.bound));
  }
  out.mean_coverage = sum / static_cast<double>(out.parameters.size());
  std::sort(ratios.begin(), ratios.end());
  out.median_variance_ratio = quantile(ratios, 0.5);
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

std::vector<double> scaled_errors(std::span<const Replication> replications, const Target& target) {
  std::vector<double> out;
  for (const Replication& one : replications) {
    double sum = 0;
    for (std::size_t k = 0; k < one.values.size(); ++k)
      sum += std::pow((one.values[k] - target.truth[k]) / target.bound[k], 2);
    out.push_back(std::sqrt(sum / static_cast<double>(one.values.size())));
  }
  return out;
}

RecoveryRound recovery_round(std::size_t rows, std::span<const Replication> replications,
                             const Target& target) {
  RecoveryRound out;
  out.rows = rows;
  out.replications = replications.size();
  for (const Replication& one : replications) count(one, out);
  const std::vector<double> errors = scaled_errors(replications, target);
  double mean_log = 0;
  for (const double error : errors) mean_log += std::log(error) / static_cast<double>(errors.size());
  out.error = std::exp(mean_log);
  std::array<Coverage, kLevelQuantiles.size()> levels;
  for (std::size_t k = 0; k < target.truth.size(); ++k) {
    const ErrorColumn column(replications, k);
    out.parameters.push_back(recovered(column, target.truth[k]));
    out.parameters.back().name = target.names[k];
    out.parameters.back().bound = target.bound[k] / std::sqrt(static_cast<double>(rows));
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const Coverage one = coverage(column.values, column.errors, target.truth[k], kLevelQuantiles[level]);
      levels[level].covered += one.covered;
      levels[level].intervals += one.intervals;
    }
  }
  for (std::size_t level = 0; level < levels.size(); ++level) out.shares[level] = levels[level].share();
  summarise(out);
  return out;
}

}  // namespace bl
