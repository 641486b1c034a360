// What work is given by whoever asked for it, passed down as one thing: threads to run on, the device, other
// ranks, whom to tell, when to stop, the clock, how much memory there is.
//
// A context is a handle: copies share all of it. Each command makes one. Where it is passed it is called
// `job`, for the context of a model is what its response depends on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/device.hpp"
#include "bl/ranks.hpp"

namespace bl {

class ThreadPool;

struct ContextHooks {
  // Both are called by one thread at a time, from any thread.
  std::function<bool()> should_stop = {};
  std::function<void(double seconds, const std::string& text)> on_progress = {};
  bool keeps = false;  // work that is ended early keeps what it has reached, as a fit does
  double memory = 0;   // bytes that the work may take; 0: those of this machine
};

class Context {
 public:
  // threads = 0 takes the number of processors; see ThreadPool.
  explicit Context(std::size_t threads, ContextHooks hooks = {});

  std::size_t threads() const;
  // ThreadPool::run. Not to be called from inside a task.
  void run(std::size_t count, const std::function<void(std::size_t)>& task) const;

  Device device() const { return device_; }
  Context on(Device device) const;  // the same on another device

  // Those of the thread that made the context; null where it works alone.
  Ranks* ranks() const { return ranks_.get(); }
  Context without_ranks() const;

  // The same context on the caller's own thread, silent and without other ranks: for one of several pieces of
  // work side by side.
  Context alone() const;
  // The same on so many threads of its own, which wait for the device most of the time.
  Context waiting(std::size_t threads) const;
  // work(i, context) for i = 0 ... count - 1. Small pieces run several at once, each on one thread: a step of
  // theirs is too short to be shared. Others run one after the other, each on all threads. Work that keeps to
  // fixed lanes gives bit-identical results either way. The exception of the lowest index is rethrown.
  // Their contexts are silent: who runs the pieces tells how many are done.
  template <class F>
  void side_by_side(std::size_t count, bool small, F&& work) const;

  void tell(const std::string& text) const;
  // "resamples: 3 of 20, about 40 s left". of = 0: nobody knows how many. What has another name is another
  // stage, whose time counts from the end of the one before. more: said last.
  void tell(std::string_view what, std::int64_t done, std::int64_t of, std::string_view more = {}) const;
  Context silent() const;  // the same, telling nothing

  // Whether the caller wants the work to end. Once true it stays true, for all copies.
  bool should_stop() const;
  bool stopped() const;  // whether that was the answer so far; nobody is asked
  // Throws Interrupted where that is so, unless what was reached is kept: for work of which no part is a
  // result.
  void require_going() const;
  double seconds() const;  // since the context was made
  double memory() const;   // bytes; what needs more is refused before it is begun

 private:
  struct Outside;
  std::shared_ptr<ThreadPool> threads_;
  std::shared_ptr<Outside> outside_;
  std::shared_ptr<Ranks> ranks_ = current_ranks();
  Device device_;
  bool silent_ = false;
};

template <class F>
void Context::side_by_side(std::size_t count, bool small, F&& work) const {
  if (!small || count < 2 || threads() < 2) {
    for (std::size_t i = 0; i < count; ++i) work(i, silent());
    return;
  }
  run(count, [&](std::size_t i) { work(i, alone()); });
}

}  // namespace bl
