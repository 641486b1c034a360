// Which device a fit runs on.
#pragma once

#include <string>

#include "base/device.hpp"
#include "bl/settings.hpp"

namespace bl {

struct DeviceChoice {
  Device device;
  std::string note;  // where the choice was left to us: which and why
};

// numbers_per_step: intermediate numbers of a training step, all networks that are learned together counted.
// exact: normalisers are exact, which is computed on the processor alone.
// UsageError where a GPU is asked for and there is none, or where the precision needs one.
DeviceChoice plan_device(const Settings& settings, double numbers_per_step, bool exact);

}  // namespace bl
