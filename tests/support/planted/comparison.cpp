#include "support/planted/comparison.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "bl/errors.hpp"

namespace bl::simulation {

namespace {

constexpr Index kComparedPerTask = 64;

struct RowDifference {
  double learned_log_likelihood = 0;
  double divergence = 0;
  double total_variation = 0;
};

// The row's candidates; a continuous response is itself added as one of no weight, so that its density comes
// with the others'. Returns its place.
std::size_t place_observed(const PlantedProblem& problem, const SimulatedData<double>& data, Index row,
                           Candidates& candidates) {
  const auto at = static_cast<std::size_t>(row);
  switch (problem.kind()) {
    case ResponseKind::classes:
      return static_cast<std::size_t>(data.classes[at]);
    case ResponseKind::alternatives: {
      alternatives_of(data, row, candidates);
      const auto first = data.available.begin() + data.begin[at];
      return static_cast<std::size_t>(std::count(first, first + data.chosen[at], std::uint8_t{1}));
    }
    case ResponseKind::continuous:
    case ResponseKind::hybrid:
      break;
  }
  const std::size_t last = candidates.size() - 1;
  std::copy_n(data.values.row(row), data.values.cols(), candidates.values.row(static_cast<Index>(last)));
  if (!candidates.classes.empty()) candidates.classes[last] = data.classes[at];
  return last;
}

// Room for the observed response behind the nodes of a continuous one.
Candidates extended_candidates(const PlantedProblem& problem) {
  Candidates nodes = common_candidates(problem, distribution_panels(problem));
  if (problem.support.dimension() == 0) return nodes;
  Candidates out;
  out.values.resize(nodes.values.rows() + 1, nodes.values.cols());
  std::copy(nodes.values.flat().begin(), nodes.values.flat().end(), out.values.data());
  out.log_weights = std::move(nodes.log_weights);
  out.log_weights.push_back(-std::numeric_limits<double>::infinity());
  out.classes = std::move(nodes.classes);
  if (!out.classes.empty()) out.classes.push_back(0);
  return out;
}

// Log-density of a normal distribution fitted to some rows, at any point.
class FittedNormal {
 public:
  FittedNormal(const Matrix<double>& values, const std::vector<Index>& rows) {
    const Index dims = values.cols();
    if (static_cast<Index>(rows.size()) <= dims)
      throw DataError("too few rows to fit the normal distribution of the null model");
    mean_ = Eigen::VectorXd::Zero(dims);
    for (const Index row : rows) mean_ += point(values, row);
    mean_ /= static_cast<double>(rows.size());
    Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(dims, dims);
    for (const Index row : rows) {
      const Eigen::VectorXd from_mean = point(values, row) - mean_;
      covariance += from_mean * from_mean.transpose();
    }
    factor_.compute(covariance / static_cast<double>(rows.size()));
    log_constant_ = -0.5 * static_cast<double>(dims) * std::log(2 * std::numbers::pi) -
                    factor_.matrixLLT().diagonal().array().log().sum();
  }

  double log_density(const Matrix<double>& values, Index row) const {
    const Eigen::VectorXd from_mean = point(values, row) - mean_;
    return log_constant_ - 0.5 * from_mean.dot(factor_.solve(from_mean));
  }

 private:
  static Eigen::VectorXd point(const Matrix<double>& values, Index row) {
    return Eigen::Map<const Eigen::VectorXd>(values.row(row), values.cols());
  }
  Eigen::VectorXd mean_;
  Eigen::LLT<Eigen::MatrixXd> factor_;
  double log_constant_ = 0;
};

}  // namespace

std::vector<double> null_log_likelihood(const PlantedProblem& problem, const SimulatedData<double>& training,
                                        const SimulatedData<double>& data) {
  std::vector<double> out(static_cast<std::size_t>(data.rows), 0.0);
  if (problem.kind() == ResponseKind::alternatives) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const auto first = data.available.begin();
      out[i] = -std::log(std::count(first + data.begin[i], first + data.begin[i + 1], std::uint8_t{1}));
    }
    return out;
  }
  // Rows by class; all in one group where the response has no classes.
  const bool classes = !training.classes.empty();
  std::vector<std::vector<Index>> groups(std::max<std::size_t>(1, problem.class_names.size()));
  const auto group_of = [&](const SimulatedData<double>& rows, Index row) {
    return classes ? static_cast<std::size_t>(rows.classes[static_cast<std::size_t>(row)]) : 0;
  };
  for (Index row = 0; row < training.rows; ++row) groups[group_of(training, row)].push_back(row);
  std::vector<FittedNormal> normals;
  if (problem.support.dimension() > 0)
    for (const auto& rows : groups) normals.emplace_back(training.values, rows);
  for (Index row = 0; row < data.rows; ++row) {
    const std::size_t group = group_of(data, row);
    double& value = out[static_cast<std::size_t>(row)];
    value = std::log(static_cast<double>(groups[group].size()) / static_cast<double>(training.rows));
    if (!normals.empty()) value += normals[group].log_density(data.values, row);
  }
  return out;
}

DistributionComparison compare_with_truth(const PlantedProblem& problem,
                                          std::span<const double> learned_parameters,
                                          const SimulatedData<double>& data, const Context& job) {
  const GibbsDistribution truth(problem.architecture, problem.parameters, problem.temperature);
  const GibbsDistribution learned(problem.architecture, learned_parameters, problem.temperature);
  const Candidates common = extended_candidates(problem);
  std::vector<RowDifference> rows(static_cast<std::size_t>(data.rows));
  const auto tasks = static_cast<std::size_t>((data.rows + kComparedPerTask - 1) / kComparedPerTask);
  job.run(tasks, [&](std::size_t task) {
    DistributionWorkspace ws;
    Candidates candidates = common;
    std::vector<double> p, q;
    const Index from = static_cast<Index>(task) * kComparedPerTask;
    for (Index row = from; row < std::min(data.rows, from + kComparedPerTask); ++row) {
      const std::size_t observed = place_observed(problem, data, row, candidates);
      const std::span<const double> context(data.context.row(row),
                                            static_cast<std::size_t>(data.context.cols()));
      truth.log_density(context, candidates, ws, p);
      learned.log_density(context, candidates, ws, q);
      RowDifference& out = rows[static_cast<std::size_t>(row)];
      out.learned_log_likelihood = q[observed];
      for (std::size_t k = 0; k < p.size(); ++k) {
        const double weight = std::exp(candidates.log_weights[k]);
        out.divergence += weight * std::exp(p[k]) * (p[k] - q[k]);
        out.total_variation += 0.5 * weight * std::abs(std::exp(p[k]) - std::exp(q[k]));
      }
    }
  });
  DistributionComparison mean;
  const double share = 1.0 / static_cast<double>(data.rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    mean.true_log_likelihood += share * data.true_log_likelihood[i];
    mean.learned_log_likelihood += share * rows[i].learned_log_likelihood;
    mean.divergence += share * rows[i].divergence;
    mean.total_variation += share * rows[i].total_variation;
  }
  return mean;
}

}  // namespace bl::simulation
