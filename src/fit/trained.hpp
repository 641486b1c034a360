// What learning makes of a prepared table: in steps, or to the minimum.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "artifact/model_file.hpp"
#include "fit/members.hpp"
#include "fit/prepared.hpp"

namespace bl {

struct Trained {
  TrainedMembers learned;
  Support support;
  double encoded_megabytes = 0;
  std::optional<StoredInference> inference = {};
  std::vector<std::string> notes = {};
  std::optional<double> smoothness = {};   // of curves
  std::optional<double> decay = {};        // of weights, that was chosen
  std::optional<double> temperature = {};  // that suits rows which members had not seen
};

// Members learned in steps.
Trained train_steps(const Prepared& p, const FitOptions& options, const Context& job);

// The lowest minimum of several starts in canonical form, with its covariances where it is one. Keeps no
// checkpoint: starts run side by side, and a fit that is run again ends with the same bytes.
Trained train_to_minimum(const Prepared& p, int starts, const Context& job);

}  // namespace bl
