// Draws from a model's distribution of the response given each row.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "bl/model.hpp"

namespace bl {

struct SampleOptions {
  // exact, hmc, mala, langevin, paper; auto: exact where possible, hmc elsewhere.
  std::string method = "auto";
  std::size_t draws = 100;  // per row
  std::size_t chains = 4;   // per row
  std::size_t warmup = 300;
  double temperature = 0;  // another than the trained one; 0: the trained one
  double step = 0;         // 0: adapted in warm-up
  std::string given;       // unsupervised: columns to hold at the row's values, comma-separated
  std::uint64_t seed = 0;
  std::size_t threads = 0;
  std::string device = "cpu";  // where chains run: cpu, cuda, auto
  std::vector<std::string> carry;
  // Both one at a time, from any thread. should_stop ends the work with Interrupted; chains on a GPU run to
  // their end.
  std::function<bool()> should_stop = {};
  std::function<void(double seconds, const std::string& text)> on_progress = {};
};

struct SampleResult {
  OutputTable draws;    // row, draw, then the responses in raw units
  std::string method;   // what was used
  std::string verdict;  // in words
  std::string note;     // where the device was left to us: which and why
  // Where the chains mix so badly that the draws should not be used, or quadrature missed its tolerance.
  std::string warning;
  double acceptance = 1;
  // The worst over rows and responses; NaN where there are too few draws to tell.
  double worst_rhat = 1;
  double least_bulk_size = 0, least_tail_size = 0;
  std::size_t divergences = 0;
};

// One distribution per row of the data. A model without features takes no data: sample(model, options).
SampleResult sample(const Model& model, const Data& data, const SampleOptions& options);
SampleResult sample(const Model& model, const SampleOptions& options);

}  // namespace bl
