// Any bytes either parse or raise a ModelFileError; what parses is a fixed point of write and read.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "artifact/safetensors.hpp"
#include "bl/errors.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bl::artifact;
  TensorFile file;
  try {
    file = parse(std::string_view(reinterpret_cast<const char*>(data), size), "fuzz");
  } catch (const bl::ModelFileError&) {
    return 0;
  }
  const std::string written = serialize(file);
  const TensorFile again = parse(written, "fuzz");
  if (again.metadata != file.metadata || again.tensors.size() != file.tensors.size() ||
      serialize(again) != written)
    __builtin_trap();
  return 0;
}
