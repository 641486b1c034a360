#include "bl/devices.hpp"

#include <fmt/format.h>

#include <thread>

#include "base/memory.hpp"
#include "engine/cuda/cuda.hpp"

namespace bl {

std::vector<ComputeDevice> compute_devices() {
  std::vector<ComputeDevice> out = {
      {"cpu", "processor",
       fmt::format("{} threads, {:.0f} GiB of memory", std::thread::hardware_concurrency(),
                   physical_memory() / 0x1p30)}};
  for (const cuda::DeviceInfo& one : cuda::devices())
    out.push_back(
        {"cuda", one.name,
         fmt::format("compute capability {}, {} multiprocessors, {:.0f} of {:.0f} GiB of memory free",
                     one.architecture, one.multiprocessors, one.free_memory / 0x1p30, one.memory / 0x1p30)});
  return out;
}

std::string why_no_gpu() {
  return cuda::devices().empty() ? cuda::why_none() : "";
}

}  // namespace bl
