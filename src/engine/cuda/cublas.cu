#include "engine/cuda/cublas.cuh"

#include <cuda_bf16.h>
#include <dlfcn.h>

#include <algorithm>

#include "engine/cuda/memory.cuh"

namespace bl::cuda {

namespace {

// Numbers of cublas_api.h and library_types.h, fixed by their binary interface.
constexpr int kFloat = 0, kDouble = 1, kBf16 = 14, kComputeFloat = 68, kComputeTf32 = 77, kComputeDouble = 70,
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

constexpr int kRoundingThreads = 256;

// A column of float32 for each block, rounded. Columns begin at multiples of four numbers; what lies between
// two of them may be rounded, too.
__global__ void __launch_bounds__(kRoundingThreads)
    rounding_kernel(int rows, const float* from, int ld, __nv_bfloat16* to, int to_ld) {
  from += static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(ld);
  to += static_cast<std::size_t>(blockIdx.x) * static_cast<std::size_t>(to_ld);
  for (int i = 4 * static_cast<int>(threadIdx.x); i < rows; i += 4 * kRoundingThreads) {
    const float4 x = *reinterpret_cast<const float4*>(from + i);
    __nv_bfloat162 both[2] = {__floats2bfloat162_rn(x.x, x.y), __floats2bfloat162_rn(x.z, x.w)};
    *reinterpret_cast<float2*>(to + i) = *reinterpret_cast<const float2*>(both);
  }
}

// Tensor cores read columns that begin at multiples of 16 bytes.
constexpr int rounded_ld(int rows) {
  return (rows + 7) / 8 * 8;
}

}  // namespace

struct Cublas::State {
  const Functions* call = nullptr;
  void* handle = nullptr;
  cudaStream_t stream = nullptr;
  Device::Products products = Device::Products::float32;
  Array<unsigned char> workspace;
  Array<__nv_bfloat16> left, right;

  // A matrix (rows x columns, ld between columns) in bf16.
  const void* rounded(int rows, int columns, const float* from, int ld,
                      const Array<__nv_bfloat16>& to) const {
    if (to.size() < static_cast<std::size_t>(rounded_ld(rows)) * static_cast<std::size_t>(columns))
      fail(false, "a product", "no room was reserved for its operands", 0, 0);
    rounding_kernel<<<static_cast<unsigned>(columns), kRoundingThreads, 0, stream>>>(
        rows, from, ld, to.data(), rounded_ld(rows));
    check(cudaGetLastError(), "a launch");
    return to.data();
  }
};

Cublas::Cublas(std::unique_ptr<State> state) : state_(std::move(state)) {}

Cublas::~Cublas() {
  const std::lock_guard lock(whole_device());
  state_->call->destroy(state_->handle);
}

std::unique_ptr<Cublas> Cublas::open(cudaStream_t stream, Device::Products products) {
  auto state = std::make_unique<State>();
  state->call = functions();
  if (!state->call) return nullptr;
  {
    const std::lock_guard lock(whole_device());
    if (state->call->create(&state->handle) != 0) return nullptr;
  }
  state->stream = stream;
  state->products = products;
  state->workspace.reserve(kWorkspace);
  state->call->set_stream(state->handle, stream);
  // A workspace of its own: bit-identical from run to run, and nothing is allocated while a graph is
  // recorded.
  state->call->set_workspace(state->handle, state->workspace.data(), kWorkspace);
  return std::unique_ptr<Cublas>(new Cublas(std::move(state)));
}

bool Cublas::reserve(std::size_t numbers) {
  if (state_->products != Device::Products::bf16 || numbers <= state_->left.size()) return false;
  state_->left.reserve(numbers);
  state_->right.reserve(numbers);
  return true;
}

void Cublas::multiply(bool transpose_a, bool transpose_b, int m, int n, int k, const float* a, int lda,
                      const float* b, int ldb, bool accumulate, float* c, int ldc) const {
  const float alpha = 1, beta = accumulate ? 1 : 0;
  const void *left = a, *right = b;
  const bool bf16 = state_->products == Device::Products::bf16;
  if (bf16) {
    const int a_rows = transpose_a ? k : m, b_rows = transpose_b ? n : k;
    left = state_->rounded(a_rows, transpose_a ? m : k, a, lda, state_->left);
    right = state_->rounded(b_rows, transpose_b ? k : n, b, ldb, state_->right);
    lda = rounded_ld(a_rows);
    ldb = rounded_ld(b_rows);
  }
  const int kind = bf16 ? kBf16 : kFloat;
  const int compute = state_->products == Device::Products::tf32 ? kComputeTf32 : kComputeFloat;
  const int status =
      state_->call->multiply(state_->handle, transpose_a, transpose_b, m, n, k, &alpha, left, kind, lda,
                             right, kind, ldb, &beta, c, kFloat, ldc, compute, kDefaultAlgorithm);
  if (status != 0) product_refused(status, m, n, k);
}

void Cublas::multiply(bool transpose_a, bool transpose_b, int m, int n, int k, const double* a, int lda,
                      const double* b, int ldb, bool accumulate, double* c, int ldc) const {
  const double alpha = 1, beta = accumulate ? 1 : 0;
  const int status =
      state_->call->multiply(state_->handle, transpose_a, transpose_b, m, n, k, &alpha, a, kDouble, lda, b,
                             kDouble, ldb, &beta, c, kDouble, ldc, kComputeDouble, kDefaultAlgorithm);
  if (status != 0) product_refused(status, m, n, k);
}

}  // namespace bl::cuda
