#include "artifact/digest.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>

namespace bl::artifact {

namespace {

constexpr const char* kDigest = "digest";

// FNV-1a, 64 bits. Every step is one-to-one, so two contents that differ in one byte never agree.
class ByteHash {
 public:
  void add(std::string_view bytes) {
    add(bytes.size());
    for (const char c : bytes) step(static_cast<unsigned char>(c));
  }
  void add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) step(static_cast<unsigned char>(number >> shift));
  }
  std::uint64_t value() const { return state_; }

 private:
  void step(unsigned char byte) { state_ = (state_ ^ byte) * 0x100000001B3U; }
  std::uint64_t state_ = 0xCBF29CE484222325U;
};

}  // namespace

std::string digest_of(const TensorFile& file) {
  ByteHash hash;
  for (const auto& [key, value] : file.metadata) {
    if (key == kDigest) continue;
    hash.add(key);
    hash.add(value);
  }
  for (const auto& [name, tensor] : file.tensors) {
    hash.add(name);
    hash.add(static_cast<std::uint64_t>(tensor.dtype));
    hash.add(tensor.shape.size());
    for (const std::int64_t n : tensor.shape) hash.add(static_cast<std::uint64_t>(n));
    hash.add(tensor.bytes);
  }
  return fmt::format("{:016x}", hash.value());
}

void add_digest(TensorFile& file) {
  file.metadata[kDigest] = digest_of(file);
}

bool has_digest(const TensorFile& file) {
  return file.metadata.contains(kDigest);
}

bool digest_holds(const TensorFile& file) {
  return !has_digest(file) || file.metadata.at(kDigest) == digest_of(file);
}

}  // namespace bl::artifact
