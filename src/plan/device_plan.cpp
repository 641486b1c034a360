#include "plan/device_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bl/errors.hpp"
#include "bl/ranks.hpp"
#include "engine/cuda/cuda.hpp"

namespace bl {

namespace {

// Intermediate numbers of a step from which on a GPU is expected to be faster (docs/gpu.md).
constexpr double kWorthAGpu = 1 << 18;

constexpr std::size_t kMostSideBySide = 1024;

// Why this is computed on the processor, where a GPU is not insisted on; empty: it is not.
std::string why_processor(const std::vector<cuda::DeviceInfo>& found, double numbers_per_step,
                          const std::string& processor_only) {
  if (found.empty()) return ": " + cuda::why_none();
  if (!processor_only.empty()) return ": " + processor_only;
  if (numbers_per_step >= kWorthAGpu) return "";
  return fmt::format(
      ", not on the {}: a step has {:.0f} intermediate numbers, and a GPU is expected to be faster from "
      "{:.0f} "
      "on",
      found[0].name, numbers_per_step, kWorthAGpu);
}

}  // namespace

void require_device_name(const std::string& device) {
  if (device != "cpu" && device != "cuda" && device != "auto")
    throw UsageError(fmt::format("`device` is cpu, cuda or auto, not '{}'", device));
}

DeviceChoice plan_device(const std::string& device, double numbers_per_step,
                         const std::string& processor_only) {
  require_device_name(device);
  DeviceChoice choice;
  if (device == "cpu") return choice;
  const std::string only = processor_only.empty() && current_ranks()
                               ? "several processes share the work on processors"
                               : processor_only;
  if (device == "cuda" && !only.empty())
    throw UsageError(fmt::format("`device` = cuda: {}; use `device` = cpu or auto", only));
  const std::vector<cuda::DeviceInfo> found = cuda::devices();
  if (device == "cuda" && found.empty())
    throw UsageError("`device` = cuda: " + cuda::why_none() + "; use `device` = cpu");
  const std::string why = device == "cuda" ? "" : why_processor(found, numbers_per_step, only);
  if (why.empty()) choice.device.kind = Device::Kind::cuda;
  if (device == "auto")
    choice.note = why.empty() ? fmt::format("computed on the {}: a step has {:.0f} intermediate numbers",
                                            found[0].name, numbers_per_step)
                              : "computed on the processor" + why;
  return choice;
}

DeviceChoice plan_device(const std::string& device, double numbers_per_step, const Architecture& architecture,
                         const ObjectiveSpec& objective) {
  return plan_device(device, numbers_per_step, cuda::why_processor_only(architecture, objective));
}

DeviceChoice plan_device(const std::string& device, double numbers_per_step,
                         const ChainPlan<double>& chains) {
  return plan_device(device, numbers_per_step, cuda::why_chains_on_processor(chains));
}

DeviceChoice plan_device(const Settings& s, double numbers_per_step, const Architecture& architecture,
                         const ObjectiveSpec& objective) {
  return plan_device(s, numbers_per_step, cuda::why_processor_only(architecture, objective));
}

DeviceChoice plan_device(const Settings& s, double numbers_per_step, const std::string& processor_only) {
  DeviceChoice choice = plan_device(s.device.value(), numbers_per_step, processor_only);
  if (s.precision == "tf32") choice.device.products = Device::Products::tf32;
  if (s.precision == "bf16") choice.device.products = Device::Products::bf16;
  if (choice.device.products != Device::Products::float32 && choice.device.kind == Device::Kind::cpu)
    throw UsageError(fmt::format(
        "`precision` = {} needs a GPU; use `device` = cuda, or `precision` = float32", s.precision.value()));
  return choice;
}

double side_by_side(std::size_t fits) {
  return static_cast<double>(std::clamp<std::size_t>(fits, 1, kMostSideBySide));
}

}  // namespace bl
