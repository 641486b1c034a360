// Draws of random coefficients: points of a sequence in (0, 1)^dimensions, one after the other to one person
// after the other, and what they become under a distribution.
#pragma once

#include <cstdint>
#include <vector>

#include "base/matrix.hpp"

namespace bl::random_utility {

enum class Sequence : std::uint8_t {
  halton,            // the radical inverse of 1 + dropped, 2 + dropped, ... in one prime per dimension
  scrambled_halton,  // the same with the digits other than 0 of each prime permuted at random
  sobol,             // direction numbers of Joe and Kuo (2008), shifted at random, digit by digit
  pseudo_random,     // independent
};

struct DrawSpec {
  Index count = 500;  // per person
  Sequence sequence = Sequence::sobol;
  std::int64_t dropped = 0;               // points of a Halton sequence left out at its beginning
  std::vector<std::int64_t> primes = {};  // Halton: per dimension; empty: 2, 3, 5, ...
  std::uint64_t seed = 1;                 // of what is random in the sequence
};

inline constexpr Index kSobolDimensions = 21;

// Person p's draws of dimension d: row p * dimensions + d. UsageError for more dimensions than a sequence
// has.
Matrix<double> uniform_draws(const DrawSpec& spec, Index persons, Index dimensions);

// Quantile functions for millions of draws: of the standard normal (Wichura 1988, AS 241, to 1e-15), and of
// the symmetric triangular distribution from -1 to 1.
double normal_draw(double u);
double triangular_quantile(double u);

}  // namespace bl::random_utility
