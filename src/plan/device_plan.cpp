#include "plan/device_plan.hpp"

#include <fmt/format.h>

#include "bl/errors.hpp"
#include "engine/cuda/cuda.hpp"

namespace bl {

namespace {

// Intermediate numbers of a step from which on a GPU is expected to be faster (docs/gpu.md).
constexpr double kWorthAGpu = 1 << 18;

}  // namespace

DeviceChoice plan_device(const Settings& s, double numbers_per_step, bool exact) {
  DeviceChoice choice;
  choice.device.tf32 = s.precision == "tf32";
  const std::vector<cuda::DeviceInfo> found =
      s.device == "cpu" ? std::vector<cuda::DeviceInfo>() : cuda::devices();
  if (s.device == "cuda" && found.empty())
    throw UsageError("`device` = cuda: " + cuda::why_none() + "; use `device` = cpu");
  if (s.device == "cuda") choice.device.kind = Device::Kind::cuda;
  if (s.device == "auto") {
    if (found.empty()) {
      choice.note = "computed on the processor: " + cuda::why_none();
    } else if (exact) {
      choice.note = "computed on the processor: normalisers are exact there";
    } else if (numbers_per_step < kWorthAGpu) {
      choice.note = fmt::format(
          "computed on the processor, not on the {}: a step has {:.0f} intermediate numbers, and a GPU is "
          "expected to be faster from {:.0f} on",
          found[0].name, numbers_per_step, kWorthAGpu);
    } else {
      choice.device.kind = Device::Kind::cuda;
      choice.note = fmt::format("computed on the {}: a step has {:.0f} intermediate numbers", found[0].name,
                                numbers_per_step);
    }
  }
  if (choice.device.tf32 && choice.device.kind == Device::Kind::cpu)
    throw UsageError("`precision` = tf32 needs a GPU; use `device` = cuda, or `precision` = float32");
  return choice;
}

}  // namespace bl
