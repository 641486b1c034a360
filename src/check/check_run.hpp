// Checks: simulated responses, refits, and what they show.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "bl/check.hpp"
#include "fitted/fitted_model.hpp"
#include "simulation/replications.hpp"

namespace bl {

// Share of a block's weight below which a head counts as absent, as in infer.
inline constexpr double kCheckBound = 1e-5;

struct CheckRun {
  const simulation::PlantedProblem* problem = nullptr;
  ObjectiveSpec objective;   // of every refit
  ObjectiveSpec likelihood;  // of the rows, for the smallest errors possible
  std::function<simulation::SimulatedData<double>(std::uint64_t seed, const Context& job)>
      draw;  // by any thread
  std::function<std::vector<std::string>(const std::vector<Index>& positions)> names;
  std::size_t rows = 0;
  std::string response;
};

// UsageError for fewer than two replications.
CheckReport run_check(const CheckRun& run, const CheckOptions& options, const Context& given);

CheckReport check_table(const Model& model, const Table& table, const CheckOptions& options,
                        const Context& job);
CheckReport check_choices(const Model& model, const Table& table, const CheckOptions& options,
                          const Context& job);

// One name per position; "parameter 7" for what has none.
std::vector<std::string> names_at(const std::map<Index, std::string>& names,
                                  const std::vector<Index>& positions);

}  // namespace bl
