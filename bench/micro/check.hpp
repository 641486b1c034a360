// A benchmark states its expected answer: a run whose result is off is an error, whatever its speed.
#pragma once

#include <benchmark/benchmark.h>

#include <cmath>
#include <string>

namespace bl::bench {

inline void expect_near(benchmark::State& state, double value, double truth, double tolerance,
                        const char* what) {
  if (!(std::abs(value - truth) <= tolerance))
    state.SkipWithError(
        (std::string(what) + ": " + std::to_string(value) + " instead of " + std::to_string(truth)).c_str());
}

}  // namespace bl::bench
