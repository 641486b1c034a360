#include "bl/ranks.hpp"

#include <utility>

namespace bl {

namespace {

// Of the thread, not of the process: a test runs ranks as threads.
std::shared_ptr<Ranks>& of_this_thread() {
  thread_local std::shared_ptr<Ranks> ranks;
  return ranks;
}

}  // namespace

void use_ranks(std::shared_ptr<Ranks> ranks) {
  const bool alone = ranks == nullptr || ranks->size() < 2;
  of_this_thread() = alone ? nullptr : std::move(ranks);
}

std::shared_ptr<Ranks> current_ranks() {
  return of_this_thread();
}

}  // namespace bl
