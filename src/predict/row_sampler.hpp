// Draws of the encoded response for rows of encoded context, by Markov chains in lock-step over all rows.
#pragma once

#include <string>

#include "base/context.hpp"
#include "fitted/fitted_model.hpp"
#include "gibbs/sampler.hpp"

namespace bl {

// So many that means have an error of a twentieth of a standard deviation.
inline constexpr Index kDrawsPerRow = 400;

struct RowSamplerOptions {
  gibbs::Method method = gibbs::Method::hmc;
  Index draws = 100;  // per row, over all its chains
  Index chains = 4;
  Index warmup = 300;
  double step = 0;
  std::uint64_t seed = 0;
  std::string device = "cpu";
  // Unsupervised: responses held at given values (rows x values; free columns unread), and which are free.
  std::vector<Index> free;
  Matrix<double> held;
  Matrix<std::uint8_t> allowed;  // rows x classes: 0 where a row never has it; empty: all
};

struct RowSamples {
  Index draws_per_row = 0;
  Matrix<double> values;              // (row, draw) x values, encoded
  std::vector<std::int32_t> classes;  // (row, draw); empty without classes
  double acceptance = 1;
  Index divergences = 0;
  std::vector<gibbs::Diagnostics> diagnostics;
  std::string verdict;
  std::string note;  // where the device was left to us: which and why
};

RowSamples sample_rows(const gibbs::Utility& utility, const Matrix<double>& context,
                       const RowSamplerOptions& options, const Context& job);

}  // namespace bl
