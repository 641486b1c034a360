#include "engine/cuda/cublas.cuh"

#include <dlfcn.h>

#include <cstddef>

#include "engine/cuda/memory.cuh"

namespace bl::cuda {

namespace {

// Numbers of cublas_api.h and library_types.h, fixed by their binary interface.
constexpr int kFloat = 0, kDouble = 1, kComputeFloat = 68, kComputeTf32 = 77, kComputeDouble = 70,
              kDefaultAlgorithm = -1;
constexpr std::size_t kWorkspace = std::size_t{32} << 20;

struct Functions {
  int (*create)(void**) = nullptr;
  int (*destroy)(void*) = nullptr;
  int (*set_stream)(void*, cudaStream_t) = nullptr;
  int (*set_workspace)(void*, void*, std::size_t) = nullptr;
  int (*multiply)(void*, int, int, int, int, int, const void*, const void*, int, int, const void*, int, int,
                  const void*, void*, int, int, int, int) = nullptr;
};

const Functions* functions() {
  static const Functions found = [] {
    Functions out;
    void* library = nullptr;
    for (const char* name :
         {"libcublas.so.13", "libcublas.so.12", "libcublas.so", "/usr/local/cuda/lib64/libcublas.so"})
      if (!library) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library) return out;
    const auto load = [&](auto& function, const char* name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    };
    load(out.create, "cublasCreate_v2");
    load(out.destroy, "cublasDestroy_v2");
    load(out.set_stream, "cublasSetStream_v2");
    load(out.set_workspace, "cublasSetWorkspace_v2");
    load(out.multiply, "cublasGemmEx");
    return out;
  }();
  const bool all = found.create && found.destroy && found.set_stream && found.set_workspace && found.multiply;
  return all ? &found : nullptr;
}

}  // namespace

struct Cublas::State {
  const Functions* call = nullptr;
  void* handle = nullptr;
  bool tf32 = false;
  Array<unsigned char> workspace;
};

Cublas::Cublas(std::unique_ptr<State> state) : state_(std::move(state)) {}

Cublas::~Cublas() {
  state_->call->destroy(state_->handle);
}

std::unique_ptr<Cublas> Cublas::open(cudaStream_t stream, bool tf32) {
  auto state = std::make_unique<State>();
  state->call = functions();
  if (!state->call || state->call->create(&state->handle) != 0) return nullptr;
  state->tf32 = tf32;
  state->workspace.reserve(kWorkspace);
  state->call->set_stream(state->handle, stream);
  // A workspace of its own: bit-identical from run to run, and nothing is allocated while a graph is recorded.
  state->call->set_workspace(state->handle, state->workspace.data(), kWorkspace);
  return std::unique_ptr<Cublas>(new Cublas(std::move(state)));
}

void Cublas::multiply(bool transpose_a, bool transpose_b, int m, int n, int k, const float* a, int lda,
                      const float* b, int ldb, bool accumulate, float* c, int ldc) const {
  const float alpha = 1, beta = accumulate ? 1 : 0;
  const int status = state_->call->multiply(state_->handle, transpose_a, transpose_b, m, n, k, &alpha, a,
                                            kFloat, lda, b, kFloat, ldb, &beta, c, kFloat, ldc,
                                            state_->tf32 ? kComputeTf32 : kComputeFloat, kDefaultAlgorithm);
  if (status != 0) fail(false, "a product", "cuBLAS refused it", 0, 0);
}

void Cublas::multiply(bool transpose_a, bool transpose_b, int m, int n, int k, const double* a, int lda,
                      const double* b, int ldb, bool accumulate, double* c, int ldc) const {
  const double alpha = 1, beta = accumulate ? 1 : 0;
  const int status =
      state_->call->multiply(state_->handle, transpose_a, transpose_b, m, n, k, &alpha, a, kDouble, lda, b,
                             kDouble, ldb, &beta, c, kDouble, ldc, kComputeDouble, kDefaultAlgorithm);
  if (status != 0) fail(false, "a product", "cuBLAS refused it", 0, 0);
}

}  // namespace bl::cuda
