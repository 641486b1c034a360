// Kernels that are compiled for every instruction set: the fastest, chosen at run time, and all, for
// comparing them.
#pragma once

#include <hwy/targets.h>

#include <cstdint>
#include <vector>

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

// name<T>(): the kernels that `table` gives for the fastest instruction set this processor runs.
#define BL_CHOSEN_KERNELS(Kernels, name, table, T)                  \
  HWY_EXPORT(table);                                                \
  template <>                                                       \
  const Kernels<T>& name<T>() {                                     \
    static const Kernels<T> chosen = HWY_DYNAMIC_DISPATCH(table)(); \
    return chosen;                                                  \
  }

// Those of every instruction set, fastest first; after BL_CHOSEN_KERNELS.
#define BL_KERNELS_OF_EVERY_TARGET(Kernels, name, table, T)                      \
  template <>                                                                    \
  std::vector<Kernels<T>> name##_of_every_target<T>() {                          \
    std::vector<Kernels<T>> tables;                                              \
    with_every_target([&] { tables.push_back(HWY_DYNAMIC_DISPATCH(table)()); }); \
    return tables;                                                               \
  }
