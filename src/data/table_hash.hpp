// The hash behind a table's digest, in steps: one column after the other, its values in order.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "data/table.hpp"

namespace bl {

// FNV-1a's step on 64-bit words instead of bytes, with the high half folded back because the
// multiplication alone never moves information downwards.
class WordHash {
 public:
  void add(std::uint64_t word) {
    state_ = (state_ ^ word) * 0x100000001B3U;
    state_ ^= state_ >> 32;
  }
  void add(std::string_view text) {
    add(text.size());
    for (const char c : text) add(static_cast<unsigned char>(c));
  }
  std::uint64_t value() const { return state_; }
  // Goes on from the value of another.
  void set(std::uint64_t value) { state_ = value; }

 private:
  std::uint64_t state_ = 0xCBF29CE484222325U;
};

// The name of a column of numbers, and one of its values.
void add_number_column(std::string_view name, WordHash& hash);
void add_number(double value, WordHash& hash);
// The column's name and type.
void add_name(const Column& column, WordHash& hash);
void add_values(const Column& column, WordHash& hash);
// 16 hexadecimal digits.
std::string digest_text(const WordHash& hash);

}  // namespace bl
