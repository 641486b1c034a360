// The engine of NVIDIA GPUs, as the rest of the library sees it. Where the library was built without CUDA
// there is none, and these functions say so.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/engine.hpp"

namespace bl::cuda {

struct DeviceInfo {
  std::string name;
  std::string architecture;  // "9.0"
  double memory = 0;         // bytes
  double free_memory = 0;
  int multiprocessors = 0;
};

// Whether the library was built with CUDA.
bool built();

// The GPUs of this machine; empty where there is none. why_none says why.
std::vector<DeviceInfo> devices();
std::string why_none();

// Why a model with this objective is computed on the processor alone; empty where a GPU computes it, too.
std::string why_processor_only(const Architecture& architecture, const ObjectiveSpec& spec);

// Why these chains run on the processor alone; empty where a GPU runs them, or where there is none.
std::string why_chains_on_processor(const ChainPlan<double>& plan);

// How many lanes of a warp work on one of these chains; 0: the threads of a block share several. For tests.
int lanes_of_chain(const ChainPlan<double>& plan);

// UsageError where there is no GPU.
template <class T>
std::unique_ptr<Engine<T>> make_cuda_engine(const Context& context);

// Which path a model takes, for tests and benchmarks: small models through the paths of large ones.
struct Tuning {
  long long wide_context = 4096;  // weights of row features beyond which they are shared out by heads
  bool streamed = false;          // nothing is kept in shared memory
  int chain_lanes = -1;           // of a chain: 0, 4 or 16; -1: by shape and number
};
Tuning& tuning();

}  // namespace bl::cuda
