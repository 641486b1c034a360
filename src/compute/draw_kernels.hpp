// A logit at many draws of its random coefficients at once, the draws in the lanes of vectors.
#pragma once

#include <cstddef>

namespace bl {

inline constexpr std::size_t kDrawStep = 16;  // numbers of draws are padded to multiples of this

// The smallest utility difference and the largest that are told apart from beyond them: what is chosen with a
// probability below exp(-690) counts as exp(-690).
inline constexpr double kLargestDifference = 690;

// One situation. Alternatives but one, the base, by their differences from it.
struct DrawnSituation {
  const double* fixed;  // alternatives: the part of the difference in utility that no draw changes
  const double*
      difference;  // alternatives x coefficients, row-major: of the attributes with random coefficients
  std::size_t alternatives;  // without the base
  std::size_t coefficients;
};

// `draws` is a multiple of kDrawStep; matrices are row-major with `draws` columns, aligned to 64 bytes.
// coefficients: random coefficients x draws. Writes the probabilities of the alternatives other than the base
// (alternatives x draws); multiplies `base` (per draw) by the base's probability, or adds its logarithm where
// `logarithm`; and adds d log(probability of the base) / d coefficient to `slopes` (coefficients x draws)
// unless it is null.
void logit_at_draws(const DrawnSituation& situation, const double* coefficients, std::size_t draws,
                    bool logarithm, double* base, double* probabilities, double* slopes);

// values_r becomes sign exp(values_r), its exponent held within kLargestDifference.
void scaled_exp(double sign, double* values, std::size_t draws);

// sum_r weights_r values_r, for `rows` rows of values.
void weighted_row_sums(const double* values, std::size_t rows, const double* weights, std::size_t draws,
                       double* sums);

}  // namespace bl
