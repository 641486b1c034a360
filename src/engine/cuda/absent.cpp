#if !defined(BL_WITH_CUDA)

#include "bl/errors.hpp"
#include "engine/cuda/cuda.hpp"

namespace bl::cuda {

bool built() {
  return false;
}

std::vector<DeviceInfo> devices() {
  return {};
}

std::string why_none() {
  return "this library was built without CUDA; build it where nvcc is found";
}

std::string why_chains_on_processor(const ChainPlan<double>&) {
  return "";
}

int lanes_of_chain(const ChainPlan<double>&) {
  return 0;
}

Tuning& tuning() {
  static Tuning values;
  return values;
}

template <class T>
std::unique_ptr<Engine<T>> make_cuda_engine(const Context&) {
  throw UsageError("`device` = cuda: " + why_none() + ", or use `device` = cpu");
}

template std::unique_ptr<Engine<float>> make_cuda_engine(const Context&);
template std::unique_ptr<Engine<double>> make_cuda_engine(const Context&);

}  // namespace bl::cuda

#endif
