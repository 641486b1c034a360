// What work is given by whoever asked for it, passed down as one thing: threads to run on, whom to tell,
// when to stop, the clock, how much memory there is.
//
// A context is a handle: copies share all of it. Made once per command, next to what it works on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "base/parallel.hpp"
#include "bl/ranks.hpp"

namespace bl {

// Where a piece of work stands.
struct Progress {
  std::string_view what;  // in words a user reads: "epochs", "resamples"
  std::int64_t done = 0;
  std::int64_t of = 0;  // 0: not known
  double seconds = 0;   // since the context was made
};

struct ContextHooks {
  // Both are called by one thread at a time, from any thread.
  std::function<void(const Progress&)> on_progress = {};
  std::function<bool()> should_stop = {};
  double memory_budget = 0;  // bytes; 0: the memory of this machine
};

class Context {
 public:
  // threads = 0 takes the number of processors.
  explicit Context(std::size_t threads = 0, ContextHooks hooks = {});
  // On threads that someone else owns and keeps for as long as the context.
  Context(ThreadPool& threads, ContextHooks hooks = {});  // NOLINT(google-explicit-constructor)

  ThreadPool& threads() const { return *threads_; }
  Device device() const { return threads_->device(); }

  // Those of the thread that made the context; null where it works alone.
  Ranks* ranks() const { return ranks_.get(); }

  // The same context on the caller's own thread alone, without other ranks: for one of several pieces of work
  // side by side.
  Context alone() const;
  // work(i, context) for i = 0 ... count - 1. Small pieces run several at once, each on one thread: a step of
  // theirs is too short to be shared. Others run one after the other, each on all threads. Work that keeps to
  // fixed lanes gives bit-identical results either way. The exception of the lowest index is rethrown.
  template <class F>
  void side_by_side(std::size_t count, bool small, F&& work) const;

  void tell(std::string_view what, std::int64_t done, std::int64_t of) const;
  // Whether the caller wants the work to end. Once true it stays true, for all copies.
  bool should_stop() const;
  // Throws Interrupted where that is so: for work of which nothing can be kept.
  void require_going() const;

  double seconds() const;        // since the context was made
  double memory_budget() const;  // bytes

 private:
  struct Outside;
  std::shared_ptr<ThreadPool> threads_;
  std::shared_ptr<Outside> outside_;
  std::shared_ptr<Ranks> ranks_ = current_ranks();
};

// Seconds of a clock that only goes forward.
double clock_seconds();
// Bytes of memory that this machine has.
double physical_memory();

template <class F>
void Context::side_by_side(std::size_t count, bool small, F&& work) const {
  if (!small || count < 2 || threads_->threads() < 2) {
    for (std::size_t i = 0; i < count; ++i) work(i, *this);
    return;
  }
  threads_->run(count, [&](std::size_t i) { work(i, alone()); });
}

}  // namespace bl
