#include "support/planted/standard_errors.hpp"

#include "bl/errors.hpp"
#include "inference/covariance.hpp"
#include "support/planted/alignment.hpp"

namespace bl::simulation {

std::vector<double> standard_errors(const PlantedProblem& problem, const Objective<double>& objective,
                                    std::uint64_t noise_seed, const Context& job) {
  std::vector<Index> positions;
  const auto identified = identified_parameters(problem);
  for (std::size_t i = 0; i < identified.size(); ++i)
    if (identified[i]) positions.push_back(static_cast<Index>(i));
  const inference::Chart chart =
      inference::plain_chart(problem.architecture, problem.parameters, std::move(positions));
  const auto engine = make_engine<double>(job.silent());
  inference::Loss loss(objective, noise_seed, *engine);
  const Eigen::MatrixXd products = inference::score_products(loss, chart, {});
  const bool likelihood = objective.spec().kind == ObjectiveKind::likelihood;
  const inference::Identification found =
      inference::identify(likelihood ? products : inference::hessian(loss, chart, products), chart);
  if (found.null.cols() > 0)
    throw NumericError("the information matrix is singular: the problem is not identified by these rows");
  const Eigen::MatrixXd covariance =
      likelihood ? found.inverse : Eigen::MatrixXd(found.inverse * products * found.inverse);
  const std::vector<double> errors = inference::standard_errors(covariance);
  std::vector<double> out(problem.parameters.size(), 0.0);
  for (std::size_t i = 0; i < errors.size(); ++i)
    out[static_cast<std::size_t>(chart.positions[i])] = errors[i];
  return out;
}

}  // namespace bl::simulation
