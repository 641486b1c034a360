// Weights of a block beyond the logit that the likelihood does not hold: a ridge that leads to infinity.
#pragma once

#include <vector>

#include "choice/beyond.hpp"

namespace bl {

// A head of a class (or of all persons), by positions of the model's parameters.
struct BlockHeadAt {
  Index lambda = -1;     // -1: has none
  bool random = false;   // the lambda differs between persons
  bool log = false;      // and its logarithm is what is normal
  bool bounded = false;  // what the lambda multiplies is
  std::vector<Index> weights;
};
// None of a linear utility.
std::vector<BlockHeadAt> heads_of_classes(const ChoiceSchema& schema, const BeyondModel& beyond);

struct Ridges {
  std::vector<Index> lambdas;    // that run away: their heads are all but linear
  std::vector<Index> kinks;      // that fall to 0 while what they multiply grows: their heads become kinks
  std::vector<Index> positions;  // all these, and what stands in their heads
};

// Holds every doubtful lambda at ten times its value and at a tenth of it, with all else at its best: it is
// on a ridge where the likelihood is as high there, by a test of 5%.
Ridges ridges_of(const ChoiceSchema& schema, const BeyondModel& beyond,
                 const random_utility::Maximum& maximum, const random_utility::ChoiceInformation& found,
                 const std::vector<random_utility::Coordinate>& coordinates,
                 const random_utility::MaximumSpec& how, const Context& job);

}  // namespace bl
