// The one parallel loop of the library. Others run on a Context, which has the threads.
//
// Results never depend on the number of threads: callers cut work into tasks in a way that is fixed by
// the data, each task writes to a place of its own, and sums over tasks are taken in task order.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

namespace bl {

class ThreadPool {
 public:
  // threads = 0 takes the number of processors; more than 16 and more than there are processors are not
  // started, for they would only wait for each other. One thread means the caller's own, and none is started.
  // UsageError where the system does not give so many.
  // Threads that wait for a device most of the time may be more than there are processors.
  enum class Wait { never, for_device };
  explicit ThreadPool(std::size_t threads, Wait wait = Wait::never);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t threads() const;

  // Calls task(0) ... task(count - 1), each once, in any order, and returns when all have ended. If tasks
  // throw, later ones may be left out, and the exception of the lowest index is rethrown here. Not to be
  // called from inside a task.
  void run(std::size_t count, const std::function<void(std::size_t)>& task);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bl
