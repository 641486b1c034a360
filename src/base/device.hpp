// Where a model is computed: on this machine's processors or on a GPU.
#pragma once

#include <cstdint>

namespace bl {

struct Device {
  enum class Kind { cpu, cuda };
  // Of float32 matrices: as they are, or on tensor cores with operands rounded to 10 or to 7 bits behind the
  // point. Sums are float32 in all three.
  enum class Products : std::uint8_t { float32, tf32, bf16 };
  Kind kind = Kind::cpu;
  Products products = Products::float32;
};

}  // namespace bl
