#include "zoo/standard_errors.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <numeric>

#include "bl/errors.hpp"
#include "objective/batch.hpp"
#include "zoo/alignment.hpp"

namespace bl::zoo {

namespace {

constexpr Index kRowsPerTask = 256;

// The noise a fit by L-BFGS with this seed sees.
Noise fixed_noise(const Objective<double>& objective, std::uint64_t seed) {
  return {RandomStream(seed, Purpose::score_noise), objective.spec().sigma, {}};
}

std::vector<Index> free_positions(const PlantedProblem& problem) {
  const auto identified = identified_parameters(problem);
  std::vector<Index> positions;
  for (std::size_t i = 0; i < identified.size(); ++i)
    if (identified[i]) positions.push_back(static_cast<Index>(i));
  return positions;
}

Eigen::VectorXd select(std::span<const double> all, const std::vector<Index>& positions) {
  Eigen::VectorXd out(static_cast<Index>(positions.size()));
  for (std::size_t i = 0; i < positions.size(); ++i)
    out(static_cast<Index>(i)) = all[static_cast<std::size_t>(positions[i])];
  return out;
}

// Mean of g g' over rows; partial sums by task, added in task order.
Eigen::MatrixXd outer_product(const PlantedProblem& problem, const Objective<double>& objective,
                              const std::vector<Index>& positions, const Noise& noise, ThreadPool& pool) {
  const Network<double>& network = objective.network();
  const Index rows = objective.data().rows;
  const auto size = static_cast<Index>(positions.size());
  const auto tasks = static_cast<std::size_t>((rows + kRowsPerTask - 1) / kRowsPerTask);
  PreparedParameters<double> prepared;
  network.prepare(problem.parameters, prepared);
  std::vector<Eigen::MatrixXd> sums(tasks, Eigen::MatrixXd::Zero(size, size));
  pool.run(tasks, [&](std::size_t task) {
    ObjectiveWorkspace<double> ws;
    GradientSum<double> gradient;
    const Index from = static_cast<Index>(task) * kRowsPerTask;
    for (std::int64_t row = from; row < std::min(rows, from + kRowsPerTask); ++row) {
      network.clear(gradient);
      objective.chunk(prepared, std::span<const std::int64_t>(&row, 1), noise, 1.0, ws, &gradient);
      network.finish(prepared, gradient);
      const Eigen::VectorXd g = select(gradient.flat, positions);
      sums[task] += g * g.transpose();
    }
  });
  Eigen::MatrixXd total = Eigen::MatrixXd::Zero(size, size);
  for (const Eigen::MatrixXd& sum : sums) total += sum;
  return total / static_cast<double>(rows);
}

Eigen::MatrixXd hessian(const PlantedProblem& problem, const Objective<double>& objective,
                        const std::vector<Index>& positions, const Noise& noise, ThreadPool& pool) {
  constexpr double kStep = 1e-4;
  BatchEvaluator<double> evaluator(objective, pool);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(objective.data().rows));
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  std::vector<double> point(problem.parameters), gradient(point.size());
  const auto gradient_at = [&](std::size_t position, double value) {
    point[position] = value;
    evaluator.evaluate(point, rows, noise, 1.0 / static_cast<double>(rows.size()), gradient);
    point[position] = problem.parameters[position];
    return select(gradient, positions);
  };
  const auto size = static_cast<Index>(positions.size());
  Eigen::MatrixXd out(size, size);
  for (Index i = 0; i < size; ++i) {
    const auto position = static_cast<std::size_t>(positions[static_cast<std::size_t>(i)]);
    const double at = problem.parameters[position];
    out.col(i) = (gradient_at(position, at + kStep) - gradient_at(position, at - kStep)) / (2 * kStep);
  }
  return 0.5 * (out + out.transpose());
}

Eigen::MatrixXd inverse(const Eigen::MatrixXd& matrix) {
  constexpr double kSingular = 1e-10;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  const auto& values = solver.eigenvalues();
  if (!(values.minCoeff() > kSingular * values.maxCoeff()))
    throw NumericError("the information matrix is singular: the problem is not identified by these rows");
  return solver.eigenvectors() * values.cwiseInverse().asDiagonal() * solver.eigenvectors().transpose();
}

}  // namespace

std::vector<double> standard_errors(const PlantedProblem& problem, const Objective<double>& objective,
                                    std::uint64_t noise_seed, ThreadPool& pool) {
  const std::vector<Index> positions = free_positions(problem);
  const Noise noise = fixed_noise(objective, noise_seed);
  const Eigen::MatrixXd k = outer_product(problem, objective, positions, noise, pool);
  Eigen::MatrixXd covariance;
  if (objective.spec().kind == ObjectiveKind::likelihood) {
    covariance = inverse(k);
  } else {
    const Eigen::MatrixXd j = inverse(hessian(problem, objective, positions, noise, pool));
    covariance = j * k * j;
  }
  std::vector<double> out(problem.parameters.size(), 0.0);
  for (std::size_t i = 0; i < positions.size(); ++i)
    out[static_cast<std::size_t>(positions[i])] =
        std::sqrt(covariance(static_cast<Index>(i), static_cast<Index>(i)) /
                  static_cast<double>(objective.data().rows));
  return out;
}

}  // namespace bl::zoo
