#include "base/parallel.hpp"

#include <fmt/format.h>

#include <atomic>
#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "bl/errors.hpp"

namespace bl {

namespace {

// How long a worker looks for the next job before it sleeps, in pauses of some ten nanoseconds: the parts of
// a training step follow each other within some hundred microseconds, and waking a sleeping thread costs more
// than a small step.
constexpr int kSpins = 40000;
// Threads started where there are fewer processors: enough to try what threads do, and no stampede.
constexpr std::size_t kMostWithoutProcessors = 16;

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

// What a thread writes in a job lies on cache lines of its own.
constexpr std::size_t kLine = 64;

inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

}  // namespace

// The tasks of a job that a thread does first, those of all others once they are done. Tasks of the same
// place in jobs of the same length fall to the same thread, in whose cache their numbers still are.
struct alignas(kLine) Share {
  std::atomic<std::size_t> next{0};
  std::size_t end = 0;
};

struct ThreadPool::State {
  std::vector<std::thread> workers;
  std::vector<Share> shares;  // of the caller, then of the workers
  std::mutex mutex;
  std::condition_variable wake;
  std::atomic<bool> stop{false};
  const std::function<void(std::size_t)>* task = nullptr;
  alignas(kLine) std::atomic<std::size_t> generation{0};
  alignas(kLine) std::atomic<std::size_t> busy{0};

  std::mutex error_mutex;
  std::exception_ptr error;
  std::atomic<std::size_t> error_index{kNone};  // the lowest

  explicit State(std::size_t threads) : shares(threads) {}

  void divide(std::size_t count) {
    for (std::size_t t = 0; t < shares.size(); ++t) {
      shares[t].next.store(count * t / shares.size(), std::memory_order_relaxed);
      shares[t].end = count * (t + 1) / shares.size();
    }
  }

  void call(std::size_t i) {
    if (i > error_index.load(std::memory_order_relaxed)) return;
    try {
      (*task)(i);
    } catch (...) {
      const std::lock_guard lock(error_mutex);
      if (i < error_index.load(std::memory_order_relaxed)) {
        error = std::current_exception();
        error_index.store(i, std::memory_order_relaxed);
      }
    }
  }

  void work(std::size_t thread) {
    for (std::size_t k = 0; k < shares.size(); ++k) {
      Share& share = shares[(thread + k) % shares.size()];
      for (;;) {
        const std::size_t i = share.next.fetch_add(1, std::memory_order_relaxed);
        if (i >= share.end) break;
        call(i);
      }
    }
  }

  void loop(std::size_t thread) {
    std::size_t seen = 0;
    for (;;) {
      for (int spin = 0; spin < kSpins && generation.load(std::memory_order_acquire) == seen; ++spin) relax();
      if (generation.load(std::memory_order_acquire) == seen) {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return generation.load(std::memory_order_acquire) != seen; });
      }
      seen = generation.load(std::memory_order_acquire);
      if (stop.load(std::memory_order_acquire)) return;
      work(thread);
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

  void end() {
    stop.store(true, std::memory_order_release);
    announce();
    for (auto& worker : workers) worker.join();
  }
};

ThreadPool::ThreadPool(std::size_t threads, Wait wait) {
  const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
  const std::size_t most = std::max(processors, wait == Wait::for_device ? threads : kMostWithoutProcessors);
  threads = threads == 0 ? processors : std::min(threads, most);
  state_ = std::make_unique<State>(threads);
  state_->workers.reserve(threads - 1);
  try {
    for (std::size_t i = 1; i < threads; ++i)
      state_->workers.emplace_back([s = state_.get(), i] { s->loop(i); });
  } catch (const std::system_error&) {
    const std::size_t started = state_->workers.size() + 1;
    state_->end();
    throw UsageError(fmt::format("of {} threads only {} could be started; ask for fewer", threads, started));
  }
}

ThreadPool::~ThreadPool() {
  state_->end();
}

std::size_t ThreadPool::threads() const {
  return state_->workers.size() + 1;
}

void ThreadPool::run(std::size_t count, const std::function<void(std::size_t)>& task) {
  State& s = *state_;
  s.task = &task;
  s.error = nullptr;
  s.error_index.store(kNone, std::memory_order_relaxed);
  s.divide(count);
  if (count > 1 && !s.workers.empty()) {
    s.busy.store(s.workers.size(), std::memory_order_relaxed);
    s.announce();
    s.work(0);
    for (int spin = 0; s.busy.load(std::memory_order_acquire) != 0; ++spin) {
      if (spin < kSpins)
        relax();
      else
        std::this_thread::yield();
    }
  } else {
    s.work(0);
  }
  if (s.error) std::rethrow_exception(s.error);
}

}  // namespace bl
