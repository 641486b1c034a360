// What one task of a mixed logit computes with. Used by mixed_logit.cpp and mixed_forecast.cpp alone.
#pragma once

#include "base/spill.hpp"
#include "random_utility/mixed_logit.hpp"

namespace bl::random_utility {

struct MixedLogit::Workspace {
  Matrix<double> coefficients;       // random terms x draws
  Matrix<double> slopes;             // the same: d log-likelihood / d coefficient
  Matrix<double> probabilities;      // rows of the person x draws
  AlignedVector<double> likelihood;  // draws; later their weights
  std::vector<double> fixed, sums;   // rows of the person
  Matrix<double> entry_slopes;       // entries of a situation x draws
  std::int64_t response_begin = 0;

  void prepare(std::int64_t rows, Index random, std::size_t draws) {
    probabilities.resize(static_cast<Index>(rows), static_cast<Index>(draws));
    slopes.resize(random, static_cast<Index>(draws));
    likelihood.resize(draws);
    fixed.resize(static_cast<std::size_t>(rows));
    sums.resize(static_cast<std::size_t>(rows));
  }
};

}  // namespace bl::random_utility
