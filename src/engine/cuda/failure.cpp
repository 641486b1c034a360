#include "engine/cuda/failure.hpp"

#include <fmt/format.h>

#include "bl/errors.hpp"

namespace bl::cuda {

void fail(bool memory, const char* what, const char* reason, double free, double total) {
  if (memory)
    throw UsageError(fmt::format(
        "the GPU has too little memory for {}: {:.1f} of {:.1f} GiB are free; use a smaller `batch_size` or "
        "`device` = cpu",
        what, free / 0x1p30, total / 0x1p30));
  throw NumericError(fmt::format("the GPU failed during {}: {}", what, reason));
}

}  // namespace bl::cuda
