// Planted problems: data are made from a known optimization problem, a model learns it, and the two are
// compared.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace bl {

struct DemoCoefficient {
  std::string term;
  double truth = 0;
  double learned = 0;
  double standard_error = 0;  // 0: set by convention, not by the data
};

// "U", "C" or "T", its penalty or activation, its weight first and then its terms.
struct DemoLine {
  std::string head;
  std::string activation;
  std::vector<DemoCoefficient> coefficients;
};

struct DemoExample {
  std::string situation;
  std::vector<std::string> alternatives;
  std::vector<double> true_probabilities, learned_probabilities;
};

struct DemoReport {
  std::string name, description, response;
  std::size_t training_rows = 0, held_out_rows = 0;
  std::vector<DemoLine> lines;
  std::vector<DemoExample> examples;
  double true_log_likelihood = 0, learned_log_likelihood = 0, null_log_likelihood = 0;  // per held-out row
  double divergence = 0;       // Kullback-Leibler, from the true to the learned distribution
  double total_variation = 0;  // 0: equal, 1: disjoint
  int starts = 0, agreeing_starts = 0;
  double seconds = 0;
};

// progress: seconds so far and a line of text. Interrupted where should_stop ends the work.
DemoReport run_demo(std::uint64_t seed, std::size_t threads,
                    const std::function<void(double, const std::string&)>& progress = {},
                    const std::function<bool()>& should_stop = {});

}  // namespace bl
