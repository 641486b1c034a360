// Simulate from a model, fit it again, compare: do its standard errors mean what they say?
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bl/model.hpp"

namespace bl {

// One parameter over replications that have standard errors.
struct RecoveredParameter {
  std::string name;
  double truth = 0;
  double mean = 0;
  double standard_deviation = 0;  // of the estimates
  double standard_error = 0;      // robust, root of the mean square
  double coverage = 0;            // share of robust 95% intervals that hold the truth
  double classical_coverage = 0;  // NaN under score matching
  double bound = 0;           // smallest standard deviation that any estimator can have; NaN where not known
  std::size_t intervals = 0;  // replications counted
};

// All replications of one size.
struct RecoveryRound {
  std::size_t rows = 0;
  std::size_t replications = 0;
  std::size_t not_converged = 0;  // no minimum was reached
  std::size_t at_bound = 0;       // a weight ended at zero
  std::size_t unidentified = 0;   // the rows left a direction open
  // Where the best of the random starts ended, against the start from the truth: the same minimum, a lower
  // one, a higher one. All 0 without random starts.
  std::size_t found_again = 0, lower = 0, worse = 0;
  double error = 0;  // typical one of an estimate, in standard deviations of the bound for one row
  std::array<double, 3> shares = {};  // of 50%, 80% and 95% intervals, over all parameters
  double mean_coverage = 0;           // over parameters
  double median_variance_ratio = 0;   // variance over that of the bound
  std::vector<RecoveredParameter> parameters;

  std::size_t failed() const { return not_converged + at_bound + unidentified; }
};

struct CheckOptions {
  std::size_t replications = 100;
  int starts = 0;  // random ones beside the model's own parameters
  std::uint64_t seed = 1;
  std::size_t threads = 0;
  std::string device = "cpu";  // where refits are computed: cpu, cuda, auto
  // Both one at a time, from any thread. should_stop ends the work with Interrupted.
  std::function<bool()> should_stop = {};
  std::function<void(double seconds, const std::string& text)> on_progress = {};
};

struct CheckReport {
  std::string response;
  std::string objective;  // likelihood, score matching
  RecoveryRound recovery;
  std::vector<std::string> findings;  // sentences, the verdict first
  bool sound = false;                 // errors of this model and sample size can be believed
};

// Responses drawn from the model at the features of these rows, or choices at these situations (the training
// rows where the data are those of the fit, else all), as many times as asked; each time the model is fitted
// again. UsageError for models whose response this cannot draw, DataError where weights are zero.
CheckReport check_model(const Model& model, const Data& data, const CheckOptions& options = {});

std::string check_text(const CheckReport& report);  // the table alone; findings are for the front end to wrap
std::string check_json(const CheckReport& report);

}  // namespace bl
