#include "base/parallel.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace bl {

namespace {

// How long a worker looks for the next job before it sleeps: training steps follow each other within
// microseconds, and waking a sleeping thread costs more than a small step.
constexpr int kSpins = 2000;

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

struct ThreadPool::State {
  std::vector<std::thread> workers;
  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<std::size_t> generation{0};
  std::atomic<bool> stop{false};

  const std::function<void(std::size_t)>* task = nullptr;
  std::size_t count = 0;
  std::atomic<std::size_t> next{0};
  std::atomic<std::size_t> busy{0};

  std::mutex error_mutex;
  std::exception_ptr error;
  std::size_t error_index = 0;

  void work() {
    for (;;) {
      const std::size_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= count) return;
      try {
        (*task)(i);
      } catch (...) {
        const std::lock_guard lock(error_mutex);
        if (!error || i < error_index) {
          error = std::current_exception();
          error_index = i;
        }
      }
    }
  }

  void loop() {
    std::size_t seen = 0;
    for (;;) {
      for (int spin = 0; spin < kSpins && generation.load(std::memory_order_acquire) == seen; ++spin) relax();
      if (generation.load(std::memory_order_acquire) == seen) {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return generation.load(std::memory_order_acquire) != seen; });
      }
      seen = generation.load(std::memory_order_acquire);
      if (stop.load(std::memory_order_acquire)) return;
      work();
      busy.fetch_sub(1, std::memory_order_acq_rel);
    }
  }

  void announce() {
    {
      const std::lock_guard lock(mutex);
      generation.fetch_add(1, std::memory_order_acq_rel);
    }
    wake.notify_all();
  }
};

ThreadPool::ThreadPool(std::size_t threads) : state_(std::make_unique<State>()) {
  if (threads == 0) threads = std::max(1U, std::thread::hardware_concurrency());
  state_->workers.reserve(threads - 1);
  for (std::size_t i = 1; i < threads; ++i) state_->workers.emplace_back([s = state_.get()] { s->loop(); });
}

ThreadPool::~ThreadPool() {
  state_->stop.store(true, std::memory_order_release);
  state_->announce();
  for (auto& worker : state_->workers) worker.join();
}

std::size_t ThreadPool::threads() const {
  return state_->workers.size() + 1;
}

void ThreadPool::run(std::size_t count, const std::function<void(std::size_t)>& task) {
  State& s = *state_;
  s.task = &task;
  s.count = count;
  s.next.store(0, std::memory_order_relaxed);
  s.error = nullptr;
  if (count > 1 && !s.workers.empty()) {
    s.busy.store(s.workers.size(), std::memory_order_relaxed);
    s.announce();
    s.work();
    for (int spin = 0; s.busy.load(std::memory_order_acquire) != 0; ++spin) {
      if (spin < kSpins)
        relax();
      else
        std::this_thread::yield();
    }
  } else {
    s.work();
  }
  if (s.error) std::rethrow_exception(s.error);
}

}  // namespace bl
