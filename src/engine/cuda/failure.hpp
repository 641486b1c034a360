// Errors of the GPU's runtime as errors of the library.
#pragma once

namespace bl::cuda {

// UsageError where the GPU has too little memory (bytes free of total), else NumericError.
[[noreturn]] void fail(bool memory, const char* what, const char* reason, double free, double total);

}  // namespace bl::cuda
