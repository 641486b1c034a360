// One parameter vector for every distribution: what data cannot determine is fixed by convention.
//
//   columns     of columns that are the same function one is used, and one class is the reference
//   weight      lambda is 1 (or -1 where its sign is free) under identity, relu, abs and square: the head
//               takes it up; a free negative lambda under tanh and clip turns the head's sign
//   sign        an equality head's largest coefficient is positive (class by class where classes share no
//               column); so is that of an inequality head beside an identity U, since
//               U - l rho(C) = (U - l C) - l rho(-C) for relu and softplus
//   odd blocks  below the last layer, a block of tanh or clip heads alone turns its sign with its
//               coefficients: the largest coefficient that reads it is positive (where no equality head
//               stands above it)
//   unseen      in an identity U that is linear up to the output: terms without a factor of the response,
//               the constant, and one class of each f(x) e_k; the constant of a scalar readout; a common
//               shift of the rows of a vector readout
//   constants   of an identity U below the last layer go into the biases of its readers
//   two classes lambda tanh(u_1) - lambda tanh(u_2) is that of (-u_2, -u_1), clip likewise: the largest
//               coefficient is positive
//   scale       the weights of a block that is read (see amplitude) sum to 1, its readers take up the factor
//   order       heads by weight, blocks by the norm of what reads them, largest first
//   merge       heads that are the same up to scale become one, and blocks that are equal; the other is zero
//   prune       heads and blocks whose share of the weight is too small become zero
//
// A head that is zero has lambda 0 and no coefficients.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "inference/parameter_map.hpp"

namespace bl::inference {

struct CanonicalOptions {
  Index reference = 0;  // the class, alternative or output whose coefficients are 0
  double prune = 0;     // largest share of a block's weight that counts as none
  bool merge = true;
};

struct CanonicalForm {
  std::vector<double> parameters;  // raw
  std::vector<std::string> notes;  // what was merged or pruned, in words
};

// UsageError for a reference that is not there.
CanonicalForm canonical_form(const Architecture& architecture, std::span<const double> raw,
                             const CanonicalOptions& options = {});

// True for tanh and clip: odd, and lambda stays a parameter of its own, whose sign can go into the head.
bool turns_sign(Activation activation);

// What a head adds to its block's scale: |lambda| under an activation of no degree; |lambda| times the norm
// of its coefficients (squared under square) otherwise. Linear in the block's scale.
double amplitude(const HeadPlace& head, Activation activation, std::span<const double> effective);

// True where the last layer's utility heads are added up to the output and so is what they cannot show: an
// identity U in the scalar form.
bool linear_to_output(const Architecture& architecture, std::size_t layer);

}  // namespace bl::inference
