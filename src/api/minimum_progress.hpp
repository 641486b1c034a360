// What a fit to the minimum tells the outside, as other fits do.
#pragma once

#include <chrono>
#include <limits>

#include "bl/fit.hpp"
#include "inference/minimiser.hpp"

namespace bl {

// The options must outlive the search. Time left is that of the starts which ended, and not known before.
inline void watch_minimiser(inference::MinimiserSpec& spec, const FitOptions& options) {
  spec.should_stop = options.should_stop;
  if (!options.on_progress) return;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begun = Clock::now();
  spec.on_progress = [&options, begun, picked = begun](const inference::MinimiserProgress& p) mutable {
    const Clock::time_point now = Clock::now();
    if (p.tries_done < p.tries) picked = now;
    const double done = p.starts_done, starting = std::chrono::duration<double>(now - picked).count();
    FitProgress out{.train_loss = p.best,
                    .validation_loss = std::numeric_limits<double>::quiet_NaN(),
                    .best = p.best,
                    .seconds = std::chrono::duration<double>(now - begun).count(),
                    .seconds_left = done > 0 ? starting / done * (p.starts - done)
                                             : std::numeric_limits<double>::quiet_NaN()};
    out.tries = p.tries;
    out.tries_done = p.tries_done;
    out.starts = p.starts;
    out.starts_done = p.starts_done;
    options.on_progress(out);
  };
}

}  // namespace bl
