// A text that a person gave, into its parts.
#pragma once

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bl {

// Without the spaces at both ends.
inline std::string_view trimmed(std::string_view text, std::string_view spaces = " \t") {
  const std::size_t first = text.find_first_not_of(spaces);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(spaces) - first + 1);
}

// "a, b,c" -> a, b, c; no empty parts.
inline std::vector<std::string> split_list(std::string_view text, char separator = ',') {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find(separator, from), text.size());
    const std::string_view part = trimmed(text.substr(from, to - from), " ");
    if (!part.empty()) parts.emplace_back(part);
    from = to + 1;
  }
  return parts;
}

// The number that is the whole text.
template <class Number>
std::optional<Number> number_of(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace bl
