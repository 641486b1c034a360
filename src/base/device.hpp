// Where a model is computed: on this machine's processors or on a GPU.
#pragma once

namespace bl {

struct Device {
  enum class Kind { cpu, cuda };
  Kind kind = Kind::cpu;
  bool tf32 = false;  // products of float32 on tensor cores: operands rounded to 10 bits
};

}  // namespace bl
