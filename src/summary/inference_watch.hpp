// Who waits for an inference: told where it stands, asked whether to stop.
#pragma once

#include <fmt/format.h>

#include <mutex>
#include <string>

#include "base/clock.hpp"
#include "bl/errors.hpp"
#include "bl/inference.hpp"
#include "inference/estimate.hpp"

namespace bl {

// The options must outlive it, and it the work. Calls the options' hooks one at a time.
class InferenceWatch {
 public:
  explicit InferenceWatch(const InferenceOptions& options) : options_(options) {}
  InferenceWatch(const InferenceWatch&) = delete;
  InferenceWatch& operator=(const InferenceWatch&) = delete;

  void attach(inference::EstimateSpec& spec) {
    attach(spec.minimiser);
    spec.on_step = on_step();
  }
  void attach(inference::MinimiserSpec& spec) {
    spec.should_stop = [this] { return stopped(); };
    spec.on_progress = [this](const inference::MinimiserProgress& p) {
      if (p.tries_done < p.tries) return tell("starts tried", p.tries_done, p.tries);
      tell("starts at their minimum", p.starts_done, p.starts);
    };
  }
  inference::OnStep on_step() {
    return [this](const char* what, Index done, Index of) {
      tell(what, done, of);
      require_going();
    };
  }

  // Throws Interrupted where the work was told to stop: what it left is no result.
  void require_going() {
    if (stopped()) throw Interrupted("interrupted: nothing was written");
  }
  bool stopped() {
    const std::lock_guard lock(mutex_);
    return stopped_ = stopped_ || (options_.should_stop && options_.should_stop());
  }
  // of = 0: nobody knows how many.
  void tell(const std::string& what, Index done, Index of) {
    if (!options_.on_progress) return;
    const std::lock_guard lock(mutex_);
    if (what != what_) stage_ = last_;
    what_ = what;
    last_ = now();
    const double share = of > 0 ? static_cast<double>(done) / static_cast<double>(of) : 0;
    const std::string left = share > 0 ? ", " + time_left(last_ - stage_, share) : "";
    options_.on_progress(last_ - begun_, of > 0 ? fmt::format("{}: {} of {}{}", what, done, of, left)
                                                : fmt::format("{}: {}", what, done));
  }

 private:
  const InferenceOptions& options_;
  std::mutex mutex_;
  bool stopped_ = false;
  std::string what_;
  double begun_ = now(), stage_ = begun_, last_ = begun_;
};

}  // namespace bl
