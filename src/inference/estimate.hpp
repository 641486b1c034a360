// From rows to estimates with a covariance: the minimum, its canonical form, and what the rows say about it.
//
//   const Network<double> network(architecture);
//   const Objective<double> objective(network, spec, data);
//   const Estimate e = estimate(objective, {.minimiser = {.starts = 8}}, job);
//
// Many fits at once: Engine::together, each on the engine that it is given; the network may be shared.
#pragma once

#include <string>
#include <vector>

#include "inference/covariance.hpp"
#include "inference/minimiser.hpp"

namespace bl::inference {

struct EstimateSpec {
  MinimiserSpec minimiser = {};
  CovarianceSpec covariance = {};
  // Weights that may not be negative and whose share is below this are at their bound.
  double bound = 1e-5;
  // Gradient of the mean loss by the coordinates, largest entry in units of the scores' standard deviation:
  // below is a minimum.
  double tolerance = 1e-6;
};

struct Estimate {
  Minimisation minimisation;  // best.parameters: raw, canonical
  Chart chart;
  Information information;
  Identification identification;
  Covariance covariance;
  Eigen::MatrixXd entries;  // covariance of the free entries (effective values), as chart.positions
  double loss = 0;          // mean
  double gradient = 0;      // see tolerance
  bool converged = false;
  std::string cause;               // why not, in words
  std::vector<std::string> notes;  // heads and blocks without weight
  double total_weight = 0;
};

// Everything from many starts. A search that the context ends leaves the best point so far, which is no
// estimate.
Estimate estimate(const Objective<double>& objective, const EstimateSpec& spec, const Context& job);

// The same from a minimum that is already known, raw: polished, then the covariance. No further starts.
// Interrupted where the context ends it.
Estimate estimate_at(const Objective<double>& objective, const Minimisation& minimisation,
                     const EstimateSpec& spec, Engine<double>& engine);

// The same of these entries alone, from a point near their minimum; the others stay as they are and nothing
// is put in canonical form. For entries that are stored as they are (Sign::free).
Estimate estimate_entries(const Objective<double>& objective, std::vector<double> raw,
                          std::vector<Index> positions, const EstimateSpec& spec, const Context& job);

}  // namespace bl::inference
