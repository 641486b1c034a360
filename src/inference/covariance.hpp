// The covariance of the estimates: J^-1, J^-1 K J^-1, or with K by clusters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inference/information.hpp"

namespace bl::inference {

enum class CovarianceKind {
  classical,  // J^-1: the model is right and the objective a likelihood
  robust,     // J^-1 K J^-1, K the plain sum of score products
  cluster,    // the same with scores summed within clusters first; two ways: K_1 + K_2 - K_12
};
std::string_view name(CovarianceKind kind);
CovarianceKind covariance_from_name(std::string_view name);  // throws UsageError

struct CovarianceSpec {
  CovarianceKind kind = CovarianceKind::robust;
  // One or two ways of grouping, a number for every row of the data.
  std::vector<std::vector<std::int32_t>> clusters = {};
  bool finite_sample = true;  // clusters: each K times G / (G - 1), G its number of clusters
};

struct Covariance {
  Eigen::MatrixXd coordinates;        // of the chart's coordinates
  std::string factor;                 // the finite-sample factor, in words
  std::vector<Index> cluster_counts;  // by way
  bool repaired = false;              // two ways left a negative variance, which was set to zero
};

// UsageError where clusters are missing or too few, or a classical one is asked of score matching.
Covariance covariance(Loss& loss, const Chart& chart, const Information& information,
                      const Identification& identification, const CovarianceSpec& spec);

// The same of a likelihood whose units, such as persons, have known scores, units x coordinates.
// Clusters have a number for every unit.
Covariance covariance(const Eigen::MatrixXd& scores, const Information& information,
                      const Identification& identification, const CovarianceSpec& spec);

// Covariance of the free entries (effective values), in the order of chart.positions. What the rows do not
// determine has NaN rows and columns.
Eigen::MatrixXd entry_covariance(const Chart& chart, const Identification& identification,
                                 const Eigen::MatrixXd& coordinates);

// Square roots of the diagonal.
std::vector<double> standard_errors(const Eigen::MatrixXd& covariance);

}  // namespace bl::inference
