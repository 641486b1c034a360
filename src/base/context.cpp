#include "base/context.hpp"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "base/clock.hpp"
#include "base/memory.hpp"
#include "base/parallel.hpp"
#include "bl/errors.hpp"

namespace bl {

struct Context::Outside {
  const ContextHooks hooks;
  const double begun = now();
  std::mutex mutex;
  bool stopped = false;
  std::string stage;
  double stage_begun = begun, told = begun;

  explicit Outside(ContextHooks given) : hooks(std::move(given)) {}
};

Context::Context(std::size_t threads, ContextHooks hooks)
    : threads_(std::make_shared<ThreadPool>(threads)),
      outside_(std::make_shared<Outside>(std::move(hooks))) {}

std::size_t Context::threads() const {
  return threads_->threads();
}

void Context::run(std::size_t count, const std::function<void(std::size_t)>& task) const {
  threads_->run(count, task);
}

Context Context::on(Device device) const {
  Context other = *this;
  other.device_ = device;
  return other;
}

Context Context::without_ranks() const {
  Context own = *this;
  own.ranks_ = nullptr;
  return own;
}

Context Context::alone() const {
  Context one = without_ranks();
  one.silent_ = true;
  one.threads_ = std::make_shared<ThreadPool>(1);
  return one;
}

Context Context::waiting(std::size_t threads) const {
  Context many = *this;
  many.threads_ = std::make_shared<ThreadPool>(threads, ThreadPool::Wait::for_device);
  return many;
}

Context Context::silent() const {
  Context quiet = *this;
  quiet.silent_ = true;
  return quiet;
}

void Context::tell(const std::string& text) const {
  if (silent_ || !outside_->hooks.on_progress) return;
  const std::lock_guard lock(outside_->mutex);
  outside_->told = now();
  outside_->hooks.on_progress(outside_->told - outside_->begun, text);
}

void Context::tell(std::string_view what, std::int64_t done, std::int64_t of, std::string_view more) const {
  if (silent_ || !outside_->hooks.on_progress) return;
  Outside& o = *outside_;
  const std::lock_guard lock(o.mutex);
  if (what != o.stage) o.stage_begun = o.told;
  o.stage = what;
  o.told = now();
  std::string text = fmt::format("{}: {}", what, done);
  if (of > 0) text += fmt::format(" of {}", of);
  if (of > 0 && done > 0)
    text += ", " + time_left(o.told - o.stage_begun, static_cast<double>(done) / static_cast<double>(of));
  if (!more.empty()) text += fmt::format(", {}", more);
  o.hooks.on_progress(o.told - o.begun, text);
}

bool Context::should_stop() const {
  if (!outside_->hooks.should_stop) return false;
  const std::lock_guard lock(outside_->mutex);
  return outside_->stopped = outside_->stopped || outside_->hooks.should_stop();
}

bool Context::stopped() const {
  const std::lock_guard lock(outside_->mutex);
  return outside_->stopped;
}

void Context::require_going() const {
  if (!outside_->hooks.keeps && should_stop()) throw Interrupted("interrupted: nothing was written");
}

double Context::seconds() const {
  return now() - outside_->begun;
}

double Context::memory() const {
  return outside_->hooks.memory > 0 ? outside_->hooks.memory : physical_memory();
}

}  // namespace bl
