// Weights of a head that make one function together, with the covariance of their estimates: errors of their
// linear combinations, and the test that they are zero.
#pragma once

#include <Eigen/Core>
#include <map>
#include <vector>

#include "explain/bands.hpp"
#include "explain/read_problem.hpp"

namespace bl::explain {

// Parameters of a model, with the covariance of those that are estimated.
struct Estimates {
  const std::vector<double>& parameters;
  const Eigen::MatrixXd& covariance;          // NaN: not determined
  std::map<Index, Eigen::Index> places = {};  // of parameters in the covariance; the others are fixed
};

class EstimatedWeights {
 public:
  // A weight for each part: the sum of its terms' weights, which stand from `first` on, times their factors.
  EstimatedWeights(const Estimates& estimates, Index first, const CurveParts& parts);

  Eigen::Index size() const { return values_.size(); }
  // Of the sum of weights times these factors.
  double value(const Eigen::VectorXd& factors) const { return factors.dot(values_); }
  double error(const Eigen::VectorXd& factors) const;  // NaN: not determined
  bool fixed(Eigen::Index weight) const;
  // Wald, that the weights from this one on are zero; fixed ones say nothing.
  WaldTest zero_from(Eigen::Index first) const;

 private:
  Eigen::VectorXd values_;
  Eigen::MatrixXd covariance_;
  std::vector<Eigen::Index> free_;  // ascending
};

}  // namespace bl::explain
