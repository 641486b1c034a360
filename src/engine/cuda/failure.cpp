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

void product_refused(int status, int m, int n, int k) {
  throw NumericError(fmt::format(
      "the GPU failed during a product of {} x {} and {} x {}: cuBLAS returned status {}; use `device` = cpu",
      m, k, k, n, status));
}

void no_gpu(const char* why) {
  throw UsageError(fmt::format("`device` = cuda: {}; use `device` = cpu", why));
}

void no_wide_products() {
  throw UsageError(
      "`precision` = bf16 is for the products of wide models; the steps of this one fit the memory of a "
      "multiprocessor and are computed in float32: use `precision` = float32");
}

void outside_support(long chain, double value) {
  throw UsageError(fmt::format("start of chain {}: {} is not a point of the support", chain, value));
}

void bad_chain_start(long chain) {
  throw NumericError(fmt::format(
      "the log-density or its gradient is not finite where chain {} stands; choose another start", chain));
}

}  // namespace bl::cuda
