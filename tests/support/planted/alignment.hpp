// A learned block written the way the planted one is written, without changing its distribution: what data
// cannot tell apart is decided as in the truth, so that coefficients can be compared one by one.
//
//   scale      a head under identity, relu, abs or square takes up the ratio of its lambda to the true one
//   sign       an equality head (its activation is even) points the way of the true one; class by class where
//              every term has a class factor, for then the classes' signs are free of each other
//   reflection l0 U - l1 rho(C) = (l0 U - l1 C) - l1 rho(-C) for an identity U and rho = relu or softplus:
//              of the two readings, the one whose C points the way of the true one
//   unseen     in an identity U, terms without a factor of the response and the bias cancel in the distribution: zero
#pragma once

#include "support/planted/planted_block.hpp"

namespace bl::simulation {

// The block in canonical writing. Throws NumericError where a learned lambda or a lambda it must be scaled to
// is zero, since then nothing can be taken up.
Block aligned(const PlantedProblem& problem, const Block& learned);

// Which raw parameters an aligned block leaves to the data: 1 for those, 0 for lambdas fixed by the scale and
// for what the distribution cannot see.
std::vector<std::uint8_t> identified_parameters(const PlantedProblem& problem);

}  // namespace bl::simulation
