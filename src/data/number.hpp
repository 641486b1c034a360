// Cells that are numbers, and cells that count as missing.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace bl {

enum class NumberKind {
  finite,
  not_finite,  // infinity or NaN by name, or too large for a double
  none,        // not a number at all
};

struct ParsedNumber {
  NumberKind kind;
  double value;
};

// The whole cell as a decimal number: sign, digits, point (or comma), exponent. No thousands separators, no
// hexadecimal. Too small for a double gives 0.
ParsedNumber parse_number(std::string_view cell, bool decimal_comma);

// Compares only cells that begin like one of the tokens, so that a column of numbers costs one look-up each.
class MissingTokens {
 public:
  explicit MissingTokens(std::vector<std::string> tokens);
  bool contains(std::string_view cell) const {
    if (cell.empty()) return empty_;
    return begins_[static_cast<unsigned char>(cell[0])] && listed(cell);
  }

 private:
  bool listed(std::string_view cell) const;

  std::vector<std::string> tokens_;
  std::array<bool, 256> begins_{};
  bool empty_ = false;
};

}  // namespace bl
