// A fit by several processes that mpi4py started.
#pragma once

#include "bindings.hpp"

namespace bl::python {

// As long as it lives, the calling thread works with these ranks (python/behavior_learning/_ranks.py); None:
// alone.
class WithRanks {
 public:
  explicit WithRanks(const nb::object& collectives);
  ~WithRanks();
  WithRanks(const WithRanks&) = delete;
  WithRanks& operator=(const WithRanks&) = delete;
};

}  // namespace bl::python
