// Any bytes either parse or raise a ModelFileError; what parses is a fixed point of write and read.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "artifact/safetensors.hpp"
#include "bl/errors.hpp"
#include "fuzz/target.hpp"

FuzzSeeds fuzz_seeds() {
  using namespace bl::artifact;
  TensorFile file;
  file.metadata = {{"format", "test"}, {"note", "seed"}};
  file.tensors["a/weight"] = Tensor::of<float>(std::vector<float>{1, 2, 3, 4, 5, 6}, {2, 3});
  file.tensors["b"] = Tensor::of<double>(std::vector<double>{0.5}, {});
  file.tensors["empty"] = Tensor::of<std::int64_t>(std::vector<std::int64_t>{}, {0});
  return {{serialize(file), serialize(TensorFile{})},
          {"\"dtype\"", "\"shape\"", "\"data_offsets\"", "__metadata__", "F32", "F64", "[", "]", "{", "}",
           ":", ","}};
}

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
