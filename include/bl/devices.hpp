// The devices that training can run on.
#pragma once

#include <string>
#include <vector>

namespace bl {

struct ComputeDevice {
  std::string setting;  // what `device` is to be: "cpu", "cuda"
  std::string name;
  std::string details;  // in words: threads, memory, architecture
};

// The processor first, then the GPU that would be used.
std::vector<ComputeDevice> compute_devices();
// Why there is no GPU among them; empty where there is one.
std::string why_no_gpu();

}  // namespace bl
