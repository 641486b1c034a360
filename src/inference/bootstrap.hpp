// The estimates of resampled rows, as a cross-check of asymptotic errors.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "inference/estimate.hpp"

namespace bl::inference {

struct BootstrapSpec {
  int resamples = 200;
  std::uint64_t seed = 1;
  // A number for every row: clusters are drawn whole. Empty: rows are drawn.
  std::vector<std::int32_t> clusters = {};
};

struct Bootstrap {
  Eigen::MatrixXd draws;  // resamples that reached a minimum x free entries (effective values)
  int failed = 0;         // resamples that did not
};

// Each resample is fitted from the estimate, its zero weights held, in parallel, bit-identical for any
// number of threads.
Bootstrap bootstrap(const Objective<double>& objective, const Estimate& estimate, const EstimateSpec& fit,
                    const BootstrapSpec& spec, const Context& job);

// Standard deviation of a linear function of the entries over the draws; NaN for fewer than two.
double bootstrap_error(const Bootstrap& bootstrap, const Eigen::VectorXd& coefficients);

}  // namespace bl::inference
