// Which device a fit runs on.
#pragma once

#include <cstddef>
#include <string>

#include "base/device.hpp"
#include "bl/settings.hpp"
#include "engine/chains.hpp"
#include "objective/objective.hpp"

namespace bl {

struct DeviceChoice {
  Device device;
  std::string note;  // where the choice was left to us: which and why
};

// UsageError for another word than cpu, cuda or auto.
void require_device_name(const std::string& device);

// device: as above. numbers_per_step: intermediate numbers of a step, all fits that run side by side counted.
// processor_only: why the processor alone computes this, in words; empty: a GPU can. UsageError where a GPU
// is asked for and there is none, or it does not compute this.
DeviceChoice plan_device(const std::string& device, double numbers_per_step,
                         const std::string& processor_only);

// By the settings of a fit. UsageError also where the precision needs a GPU.
DeviceChoice plan_device(const Settings& settings, double numbers_per_step,
                         const std::string& processor_only);

// Likewise, of a model with this objective.
DeviceChoice plan_device(const std::string& device, double numbers_per_step, const Architecture& architecture,
                         const ObjectiveSpec& objective);
DeviceChoice plan_device(const Settings& settings, double numbers_per_step, const Architecture& architecture,
                         const ObjectiveSpec& objective);

// Of chains.
DeviceChoice plan_device(const std::string& device, double numbers_per_step, const ChainPlan<double>& chains);

// How many of several fits count in numbers_per_step: a GPU runs no more at once.
double side_by_side(std::size_t fits);

}  // namespace bl
