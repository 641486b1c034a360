// The maximum of a likelihood of persons' choices, and what is known about the parameters there.
#pragma once

#include <string>
#include <vector>

#include "inference/estimate.hpp"
#include "random_utility/random_utility_model.hpp"

namespace bl::random_utility {

// How the maximiser moves a parameter: in units in which its effect is about 1, and within its bounds.
struct Coordinate {
  enum class Kind : std::uint8_t {
    affine,    // parameter = factor * coordinate + shift
    positive,  // exp(coordinate), the coordinate held within kLargestLogarithm
    share,     // 1 / (1 + exp(-coordinate)), between 0 and 1
  };
  Kind kind = Kind::affine;
  double factor = 1, shift = 0;

  double parameter(double coordinate) const;
  double coordinate(double parameter) const;
  double slope(double coordinate) const;  // d parameter / d coordinate
};

struct MaximumSpec {
  std::int64_t iterations = 500;
  // Norm of the gradient of the mean log-likelihood by coordinates of unit information.
  double tolerance = 1e-8;
  // The search also ends where a whole round of iterations raises the log-likelihood by less than this, as
  // along a ridge that leads to infinity.
  double plateau = 0;
};

struct Maximum {
  std::vector<double> parameters;
  double log_likelihood = 0;
  std::int64_t iterations = 0;
  double gradient = 0;  // see tolerance
  bool converged = false, interrupted = false;
  std::string cause;
};

// L-BFGS in coordinates in which the products of the scores (BHHH) are the identity, at the start and again
// every few iterations. NumericError where the likelihood is not finite at the start.
Maximum maximise(const RandomUtilityModel& model, std::vector<double> start,
                 const std::vector<Coordinate>& coordinates, const MaximumSpec& spec, const Context& job);

// Of these parameters, in the form in which inference/ hands over estimates: positions are those of the
// parameters. The Hessian is that of central differences of the exact gradient.
struct ChoiceInformation {
  inference::Estimate estimate;  // robust: scores of persons
  Eigen::MatrixXd scores;        // persons x coordinates
};
ChoiceInformation information_at(const RandomUtilityModel& model, const Maximum& maximum,
                                 const std::vector<Coordinate>& coordinates, const Context& job);

}  // namespace bl::random_utility
