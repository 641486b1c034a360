#include "base/context.hpp"

#include <unistd.h>

#include <chrono>
#include <mutex>
#include <utility>

#include "bl/errors.hpp"

namespace bl {

struct Context::Outside {
  ContextHooks hooks;
  double begun = clock_seconds();
  std::mutex mutex;
  bool stopped = false;

  explicit Outside(ContextHooks given) : hooks(std::move(given)) {}
};

Context::Context(std::size_t threads, ContextHooks hooks)
    : threads_(std::make_shared<ThreadPool>(threads)),
      outside_(std::make_shared<Outside>(std::move(hooks))) {}

Context::Context(ThreadPool& threads, ContextHooks hooks)
    : threads_(std::shared_ptr<ThreadPool>(), &threads),
      outside_(std::make_shared<Outside>(std::move(hooks))) {}

Context Context::alone() const {
  Context one = *this;
  one.threads_ = std::make_shared<ThreadPool>(1, device());
  one.ranks_ = nullptr;
  return one;
}

void Context::tell(std::string_view what, std::int64_t done, std::int64_t of) const {
  if (!outside_->hooks.on_progress) return;
  const std::lock_guard lock(outside_->mutex);
  outside_->hooks.on_progress({.what = what, .done = done, .of = of, .seconds = seconds()});
}

bool Context::should_stop() const {
  if (!outside_->hooks.should_stop) return false;
  const std::lock_guard lock(outside_->mutex);
  return outside_->stopped = outside_->stopped || outside_->hooks.should_stop();
}

void Context::require_going() const {
  if (should_stop()) throw Interrupted("interrupted: nothing was written");
}

double Context::seconds() const {
  return clock_seconds() - outside_->begun;
}

double Context::memory_budget() const {
  return outside_->hooks.memory_budget > 0 ? outside_->hooks.memory_budget : physical_memory();
}

double clock_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double physical_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace bl
