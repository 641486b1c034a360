// For comparing instruction sets with each other.
#pragma once

#include <hwy/targets.h>

#include <cstdint>

namespace bl {

// Calls visit once for each instruction set this processor runs, fastest first, with dynamic dispatch set to
// it. Not to be used while other threads dispatch.
template <class F>
void with_every_target(F&& visit) {
  for (const std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    visit();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace bl
