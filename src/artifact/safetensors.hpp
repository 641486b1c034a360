// The safetensors container: 8 bytes of little-endian header length, a JSON header that gives each tensor's
// dtype, shape and place, and under "__metadata__" a map of strings; then the tensors' bytes, without gaps.
// https://github.com/huggingface/safetensors
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace bl::artifact {

static_assert(std::endian::native == std::endian::little, "tensors are copied as they lie in memory");

// Ascending as the safetensors library orders them; a file holds the tensors of the last dtype first, so that
// each starts at a multiple of its element size.
enum class Dtype { u8, i32, f32, f64, i64, u64 };

template <class T>
consteval Dtype dtype_of() {
  if constexpr (std::is_same_v<T, std::uint8_t>) return Dtype::u8;
  if constexpr (std::is_same_v<T, std::int32_t>) return Dtype::i32;
  if constexpr (std::is_same_v<T, float>) return Dtype::f32;
  if constexpr (std::is_same_v<T, double>) return Dtype::f64;
  if constexpr (std::is_same_v<T, std::int64_t>) return Dtype::i64;
  if constexpr (std::is_same_v<T, std::uint64_t>) return Dtype::u64;
}

using Shape = std::vector<std::int64_t>;  // no dimensions: a single number

struct Tensor {
  Dtype dtype = Dtype::f32;
  Shape shape;
  std::string bytes;  // row-major

  // UsageError where the shape does not hold as many values as are given.
  template <class T>
  static Tensor of(std::span<const T> values, Shape shape) {
    return checked({dtype_of<T>(),
                    std::move(shape),
                    {reinterpret_cast<const char*>(values.data()), values.size_bytes()}});
  }

  // A copy of the values; the dtype must be T's (ModelFileError).
  template <class T>
  std::vector<T> as() const {
    expect_dtype(dtype_of<T>());
    std::vector<T> values(bytes.size() / sizeof(T));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  void expect_dtype(Dtype wanted) const;
  void expect_shape(const Shape& wanted) const;

 private:
  static Tensor checked(Tensor tensor);
};

struct TensorFile {
  std::map<std::string, std::string> metadata;
  std::map<std::string, Tensor> tensors;
  std::string source = "model";  // what messages call the file

  // ModelFileError, naming file and entry, where it is absent or not as asked for.
  const std::string& metadata_value(const std::string& key) const;
  template <class T>
  std::vector<T> values(const std::string& name, const Shape& shape) const {
    return tensor(name, dtype_of<T>(), shape).template as<T>();
  }

 private:
  const Tensor& tensor(const std::string& name, Dtype dtype, const Shape& shape) const;
};

// The same contents give the same bytes. DataError where a name or a metadata string is not UTF-8 or the
// header would be longer than the format allows.
std::string serialize(const TensorFile& file);

// Trusts nothing: every length, offset and size is checked before it is used, and a ModelFileError names the
// field, what was found and what was expected.
TensorFile parse(std::string_view bytes, const std::string& name_for_errors);

// DataError where the file cannot be written; nothing is left behind then.
void save(const std::string& path, const TensorFile& file);
// ModelFileError also where the file cannot be read.
TensorFile load(const std::string& path);

}  // namespace bl::artifact
