// What learning makes of rows or choices: in steps, or to the minimum.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "artifact/model_file.hpp"
#include "fit/members.hpp"
#include "fit/prepared.hpp"
#include "summary/estimation.hpp"

namespace bl {

struct Trained {
  TrainedMembers learned;
  Support support = {};  // of a table's continuous responses
  double encoded_megabytes = 0;
  std::optional<StoredInference> inference = {};
  std::vector<std::string> notes = {};
  std::optional<double> smoothness = {};   // of curves
  std::optional<double> decay = {};        // of weights, that was chosen
  std::optional<double> temperature = {};  // that suits rows which members had not seen
};

// Members learned in steps.
Trained train_steps(const Prepared& p, const FitOptions& options, const Context& job);

// The lowest minimum of several starts in canonical form, with its covariances where it is one.
Trained train_to_minimum(const Prepared& p, int starts, const FitOptions& options, const Context& job);

// The same of any search: `estimate` gets the plan of the starts. Keeps no checkpoint: starts run side by
// side, and a fit that is run again ends with the same bytes. UsageError for FitOptions::resume.
Trained train_to_minimum(const Settings& settings, int starts, const FitOptions& options, const Context& job,
                         const std::function<Estimation(const inference::MinimiserSpec&)>& estimate);

// UsageError where the fit is to go on from a checkpoint, and `what` keeps none.
void refuse_resume(const FitOptions& options, const std::string& what);

// How a search for the best parameters ended.
FitReport fit_report(const inference::Estimate& estimate, std::string cause);

}  // namespace bl
