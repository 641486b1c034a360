#include "data/number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <system_error>

namespace bl {

namespace {

constexpr std::size_t kLongestCommaNumber = 400;  // bytes of a number with a decimal comma

// A number out of range is too small rather than too large if its exponent is negative, or if it has no
// exponent and nothing but zeros before the point. Only called for text that from_chars took as a number.
bool too_small(std::string_view digits) {
  const std::size_t exponent = digits.find_first_of("eE");
  if (exponent != std::string_view::npos) return exponent + 1 < digits.size() && digits[exponent + 1] == '-';
  const std::size_t first = digits.find_first_not_of("+-0");
  return first != std::string_view::npos && digits[first] == '.';
}

ParsedNumber parse_pointed(std::string_view cell) {
  if (!cell.empty() && cell[0] == '+') {
    cell.remove_prefix(1);
    if (!cell.empty() && cell[0] == '-') return {NumberKind::none, 0};
  }
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (end != cell.data() + cell.size() || error == std::errc::invalid_argument) return {NumberKind::none, 0};
  if (error == std::errc::result_out_of_range) {
    return too_small(cell) ? ParsedNumber{NumberKind::finite, 0} : ParsedNumber{NumberKind::not_finite, 0};
  }
  return {std::isfinite(value) ? NumberKind::finite : NumberKind::not_finite, value};
}

}  // namespace

ParsedNumber parse_number(std::string_view cell, bool decimal_comma) {
  if (!decimal_comma) return parse_pointed(cell);
  std::array<char, kLongestCommaNumber> copy;
  if (cell.size() > copy.size() || cell.find('.') != std::string_view::npos) return {NumberKind::none, 0};
  std::replace_copy(cell.begin(), cell.end(), copy.begin(), ',', '.');
  return parse_pointed({copy.data(), cell.size()});
}

MissingTokens::MissingTokens(std::vector<std::string> tokens) : tokens_(std::move(tokens)) {
  for (const std::string& token : tokens_) {
    if (token.empty()) {
      empty_ = true;
    } else {
      begins_[static_cast<unsigned char>(token[0])] = true;
    }
  }
}

bool MissingTokens::listed(std::string_view cell) const {
  return std::find(tokens_.begin(), tokens_.end(), cell) != tokens_.end();
}

}  // namespace bl
