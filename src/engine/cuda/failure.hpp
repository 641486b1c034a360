// Errors of the GPU's runtime as errors of the library.
#pragma once

namespace bl::cuda {

// UsageError where the GPU has too little memory (bytes free of total), else NumericError.
[[noreturn]] void fail(bool memory, const char* what, const char* reason, double free, double total);

// NumericError: what cuBLAS answered to a product of m x k and k x n.
[[noreturn]] void product_refused(int status, int m, int n, int k);

// UsageError: a GPU was asked for and there is none.
[[noreturn]] void no_gpu(const char* why);

// UsageError: bf16 was asked for, and no product of this model is one of large matrices.
[[noreturn]] void no_wide_products();

// UsageError and NumericError of chains that cannot start.
[[noreturn]] void outside_support(long chain, double value);
[[noreturn]] void bad_chain_start(long chain);

}  // namespace bl::cuda
