#include "random_utility/maximum.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bl/errors.hpp"
#include "training/lbfgs.hpp"

namespace bl::random_utility {

namespace {

constexpr std::int64_t kIterationsPerScaling = 15;
// Of coordinates of unit information, in which errors are about 1 / sqrt(persons); and at most so much of a
// parameter's own coordinate, for where scores are all but 0 a unit of information is far away.
constexpr double kHessianStep = 1e-4, kLargestStep = 1e-3;
constexpr double kLargestLogarithm = 30;

double total_weight(const ChoiceSets& sets) {
  return sets.weights.empty() ? static_cast<double>(sets.person_count())
                              : std::accumulate(sets.weights.begin(), sets.weights.end(), 0.0);
}

// The log-likelihood as a function of coordinates, with the persons' scores.
class InCoordinates {
 public:
  InCoordinates(const RandomUtilityModel& model, const std::vector<Coordinate>& coordinates,
                const Context& job)
      : model_(model), coordinates_(coordinates), job_(job) {
    scores_.resize(model.sets().person_count(), model.parameters());
  }

  std::vector<double> parameters(const Eigen::VectorXd& at) const {
    std::vector<double> out;
    for (std::size_t k = 0; k < coordinates_.size(); ++k)
      out.push_back(coordinates_[k].parameter(at(static_cast<Index>(k))));
    return out;
  }

  double evaluate(const Eigen::VectorXd& at) {
    const double value = model_.log_likelihood(parameters(at), scores_.view(), job_, job_.ranks());
    slopes_.resize(at.size());
    for (Index k = 0; k < at.size(); ++k) slopes_(k) = coordinates_[static_cast<std::size_t>(k)].slope(at(k));
    return value;
  }
  Eigen::MatrixXd scores() const {
    Eigen::MatrixXd out(scores_.rows(), scores_.cols());
    for (Index i = 0; i < out.rows(); ++i)
      for (Index k = 0; k < out.cols(); ++k) out(i, k) = scores_(i, k) * slopes_(k);
    return out;
  }
  Eigen::VectorXd gradient() const {
    Eigen::VectorXd out = Eigen::VectorXd::Zero(scores_.cols());
    for (Index i = 0; i < scores_.rows(); ++i)
      for (Index k = 0; k < out.size(); ++k) out(k) += scores_(i, k);
    return out.cwiseProduct(slopes_);
  }

 private:
  const RandomUtilityModel& model_;
  const std::vector<Coordinate>& coordinates_;
  const Context& job_;
  Matrix<double> scores_;
  Eigen::VectorXd slopes_;
};

// Columns that make the mean products of the scores the identity, as far as there is information.
Eigen::MatrixXd whitening(const Eigen::MatrixXd& scores, double weight) {
  Eigen::MatrixXd products = scores.transpose() * scores / weight;
  const double largest = products.diagonal().maxCoeff();
  products.diagonal().array() += 1e-10 * (largest > 0 ? largest : 1);
  const Eigen::LLT<Eigen::MatrixXd> factor(products);
  const Index size = products.rows();
  if (factor.info() != Eigen::Success) return Eigen::MatrixXd::Identity(size, size);
  return factor.matrixU().solve(Eigen::MatrixXd::Identity(size, size));
}

// Signals differ between ranks: rank 0 decides for all.
bool asked_to_stop(const Context& job) {
  std::uint8_t stop = job.should_stop() ? 1 : 0;
  if (Ranks* const ranks = job.ranks()) ranks->broadcast(std::as_writable_bytes(std::span(&stop, 1)));
  return stop != 0;
}

}  // namespace

double Coordinate::parameter(double coordinate) const {
  if (kind == Kind::positive) return std::exp(std::clamp(coordinate, -kLargestLogarithm, kLargestLogarithm));
  if (kind == Kind::share) return 1 / (1 + std::exp(-coordinate));
  return factor * coordinate + shift;
}

double Coordinate::coordinate(double parameter) const {
  if (kind == Kind::positive) return std::log(parameter);
  if (kind == Kind::share) return std::log(parameter / (1 - parameter));
  return (parameter - shift) / factor;
}

double Coordinate::slope(double coordinate) const {
  const double value = parameter(coordinate);
  if (kind == Kind::positive) return value;
  if (kind == Kind::share) return value * (1 - value);
  return factor;
}

Maximum maximise(const RandomUtilityModel& model, std::vector<double> start,
                 const std::vector<Coordinate>& coordinates, const MaximumSpec& spec, const Context& job) {
  InCoordinates function(model, coordinates, job);
  const auto size = static_cast<Index>(start.size());
  const double weight = total_weight(model.sets());
  if (!(weight > 0)) throw DataError("the weights sum to zero; there is nothing to learn from");
  Eigen::VectorXd origin(size);
  for (Index k = 0; k < size; ++k)
    origin(k) = coordinates[static_cast<std::size_t>(k)].coordinate(start[static_cast<std::size_t>(k)]);
  Maximum out;
  const Lbfgs<double> optimizer;
  bool stuck = false, flat = false;
  double before = -std::numeric_limits<double>::infinity();
  while (!out.converged && !out.interrupted && !stuck && !flat && out.iterations < spec.iterations) {
    const double now = function.evaluate(origin);
    if (!std::isfinite(now)) throw NumericError("the log-likelihood is not finite; scale the attributes");
    flat = now - before < spec.plateau;
    if (flat) break;
    before = now;
    const Eigen::MatrixXd basis = whitening(function.scores(), weight);
    const auto place = [&](std::span<const double> u) {
      return Eigen::VectorXd(origin + basis * Eigen::Map<const Eigen::VectorXd>(u.data(), size));
    };
    const DifferentiableFunction<double> loss = [&](std::span<const double> u, std::span<double> gradient) {
      const double value = -function.evaluate(place(u)) / weight;
      const Eigen::VectorXd g = -(basis.transpose() * function.gradient()) / weight;
      std::copy(g.data(), g.data() + size, gradient.begin());
      return value;
    };
    std::vector<double> u(start.size(), 0.0);
    LbfgsState<double> state;
    for (std::int64_t i = 0; i < kIterationsPerScaling && out.iterations < spec.iterations; ++i) {
      const LbfgsStatus status = optimizer.iterate(loss, u, state);
      ++out.iterations;
      out.gradient = std::sqrt(
          std::inner_product(state.gradient.begin(), state.gradient.end(), state.gradient.begin(), 0.0));
      out.converged = out.gradient < spec.tolerance;
      job.tell("iterations", out.iterations, 0);
      out.interrupted = asked_to_stop(job);
      stuck = status == LbfgsStatus::no_descent;
      if (out.converged || out.interrupted || stuck) break;
    }
    origin = place(u);
  }
  out.log_likelihood = function.evaluate(origin);
  // At the precision of the arithmetic the line search ends; the gradient says whether it is the maximum.
  out.converged = out.converged || flat || (stuck && out.gradient < 1e3 * spec.tolerance);
  out.parameters = function.parameters(origin);
  out.cause = fmt::format("{} after {} iterations, gradient norm {:.1e}",
                          flat            ? "ended on a plateau"
                          : out.converged ? "converged"
                                          : "stopped before it converged",
                          out.iterations, out.gradient);
  return out;
}

ChoiceInformation information_at(const RandomUtilityModel& model, const Maximum& maximum,
                                 const std::vector<Coordinate>& coordinates, const Context& job) {
  InCoordinates function(model, coordinates, job);
  const auto size = static_cast<Index>(maximum.parameters.size());
  const double weight = total_weight(model.sets());
  Eigen::VectorXd at(size), slopes(size);
  for (Index k = 0; k < size; ++k) {
    const Coordinate& one = coordinates[static_cast<std::size_t>(k)];
    at(k) = one.coordinate(maximum.parameters[static_cast<std::size_t>(k)]);
    slopes(k) = one.slope(at(k));
  }
  ChoiceInformation out;
  inference::Estimate& e = out.estimate;
  e.loss = -function.evaluate(at) / weight;
  out.scores = function.scores();
  const Eigen::VectorXd gradient = function.gradient();
  const Eigen::MatrixXd basis = whitening(out.scores, weight), inverse = basis.inverse();
  Eigen::MatrixXd hessian(size, size);  // in whitened coordinates: all directions have a like size
  for (Index k = 0; k < size; ++k) {
    job.tell("second derivatives", k, size);
    job.require_going();
    const double step = std::min(kHessianStep, kLargestStep / basis.col(k).cwiseAbs().maxCoeff());
    function.evaluate(at + step * basis.col(k));
    const Eigen::VectorXd up = function.gradient();
    function.evaluate(at - step * basis.col(k));
    hessian.col(k) = -(basis.transpose() * (up - function.gradient())) / (2 * step);
  }
  hessian = (0.5 * (hessian + hessian.transpose())).eval();
  e.information.hessian = inverse.transpose() * hessian * inverse;
  e.information.products = out.scores.transpose() * out.scores;
  e.information.gradient = -gradient / weight;
  e.information.total_weight = weight;
  e.total_weight = weight;
  e.chart.raw = e.chart.effective = maximum.parameters;
  e.chart.states.assign(maximum.parameters.size(), inference::ParameterState::free);
  for (Index k = 0; k < size; ++k) e.chart.positions.push_back(k);
  e.chart.tangent = slopes.asDiagonal();
  e.identification = inference::identify(e.information.hessian, e.chart);
  e.covariance = inference::covariance(out.scores, e.information, e.identification, {});
  e.entries = inference::entry_covariance(e.chart, e.identification, e.covariance.coordinates);
  for (Index k = 0; k < size; ++k) {
    const double spread = std::sqrt(e.information.products(k, k) / weight);
    if (spread > 0) e.gradient = std::max(e.gradient, std::abs(gradient(k)) / weight / spread);
  }
  e.converged = maximum.converged && e.identification.is_minimum;
  e.cause = !maximum.converged ? maximum.cause : "the log-likelihood still rises along some direction";
  e.minimisation.starts = 1;
  e.minimisation.interrupted = maximum.interrupted;
  e.minimisation.best.parameters = maximum.parameters;
  e.minimisation.best.iterations = maximum.iterations;
  e.minimisation.best.gradient_norm = maximum.gradient;
  e.minimisation.optima = {
      {.loss = e.loss, .gradient_norm = maximum.gradient, .starts = 1, .converged = maximum.converged}};
  return out;
}

}  // namespace bl::random_utility
