// What a fit to the minimum tells the outside, as other fits do.
#pragma once

#include <limits>

#include "base/clock.hpp"
#include "bl/fit.hpp"
#include "inference/minimiser.hpp"

namespace bl {

// The options must outlive the search. Time left is that of the starts which ended, and not known before.
inline void watch_minimiser(inference::MinimiserSpec& spec, const FitOptions& options) {
  if (!options.on_progress) return;
  const double begun = now();
  spec.on_progress = [&options, begun, picked = begun](const inference::MinimiserProgress& p) mutable {
    const double time = now();
    if (p.tries_done < p.tries) picked = time;
    const double done = p.starts_done, starting = time - picked;
    FitProgress out{.train_loss = p.best,
                    .validation_loss = std::numeric_limits<double>::quiet_NaN(),
                    .best = p.best,
                    .seconds = time - begun,
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
