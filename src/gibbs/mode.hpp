// The best response in any dimension: the highest point of a distribution inside its box, by ascent from
// several starts.
//
// Smooth parts are climbed by projected L-BFGS; starts that end at a kink go on by gradient sampling (Burke,
// Lewis and Overton 2005): the shortest convex combination of gradients nearby is a direction of ascent
// there, and its length bounds how far the point is from stationary.
#pragma once

#include <cstdint>
#include <vector>

#include "gibbs/box.hpp"
#include "gibbs/log_density.hpp"

namespace bl::gibbs {

struct ModeOptions {
  Index max_iterations = 400;        // of L-BFGS, per start
  double gradient_tolerance = 1e-7;  // projected gradient (largest component) at which a start has arrived
  double radius = 1e-6;     // last radius of gradient sampling, as a share of the box or of max(1, |y|)
  double agreement = 1e-4;  // starts agree when they end this close: same share, and relative in value
  std::uint64_t seed = 1;
};

struct ModeResult {
  std::vector<double> point;
  double value = 0;  // log-density
  // The certificate: length of the shortest convex combination of projected gradients within `radius` of the
  // point; near zero at a smooth mode and at a kink.
  double subgradient = 0;
  Index agreeing = 0;          // starts that ended at this point, the winner among them
  Matrix<double> ends;         // starts x dimension
  std::vector<double> values;  // of the ends
};

// `distribution` must be the same in every row; it is asked with first = 0 and at most kChainsPerChunk rows.
// NumericError where the log-density is not finite at a start.
ModeResult find_mode(const LogDensity<double>& distribution, const Box& box, MatrixView<const double> starts,
                     const ModeOptions& options = {});

// Starts spread over the box: its middle, then uniform points; a dimension with an infinite end takes
// standard normal numbers moved into the box.
Matrix<double> mode_starts(const Box& box, Index count, std::uint64_t seed);

}  // namespace bl::gibbs
