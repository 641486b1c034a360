#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace bl {

namespace {

constexpr std::size_t kLongestName = 200;   // longer names are never compared: the distance is quadratic
constexpr std::size_t kLongestQuoted = 60;  // bytes of a value shown in a message
constexpr std::size_t kLongestList = 10;    // names shown in a message

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

// Bytes of the UTF-8 sequence that starts with this byte; 0 when none does.
std::size_t sequence_length(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  if (first >= 0xF0 && first < 0xF5) return 4;
  return 0;
}

// The last place up to `most` at which a character ends.
std::size_t character_end(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text.size();
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  return most;
}

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::string s = lower(a);
  const std::string t = lower(b);
  std::vector<std::size_t> before_last(t.size() + 1), last(t.size() + 1), row(t.size() + 1);
  for (std::size_t j = 0; j <= t.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= s.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= t.size(); ++j) {
      const std::size_t replace = last[j - 1] + (s[i - 1] == t[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && s[i - 1] == t[j - 2] && s[i - 2] == t[j - 1]) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[t.size()];
}

std::optional<std::string> nearest_name(std::string_view wrong, std::span<const std::string> valid) {
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  if (wrong.empty() || wrong.size() > kLongestName) return best;
  for (const std::string& name : valid) {
    if (name.size() > kLongestName) continue;
    const std::size_t longer = std::max(wrong.size(), name.size());
    const std::size_t allowed = std::min(std::max<std::size_t>(1, longer / 3), longer - 1);
    const std::size_t distance = edit_distance(wrong, name);
    if (distance <= allowed && (!best || distance < best_distance)) {
      best = name;
      best_distance = distance;
    }
  }
  return best;
}

std::string did_you_mean(std::string_view wrong, std::span<const std::string> valid) {
  const auto name = nearest_name(wrong, valid);
  return name ? "; did you mean " + in_quotes(*name) + "?" : "";
}

std::string shortened(const std::string& text, std::size_t most) {
  return text.size() <= most ? text : text.substr(0, character_end(text, most - 2)) + "..";
}

std::string in_quotes(std::string_view text) {
  std::string result = "'";
  const std::size_t shown = character_end(text, kLongestQuoted);
  const bool readable = is_utf8(text.substr(0, shown));
  for (const char c : text.substr(0, shown)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && (readable ? byte != 0x7F : byte < 0x7F)) {
      result += c;
    } else {
      constexpr std::string_view kHex = "0123456789ABCDEF";
      result += "\\x";
      result += kHex[byte >> 4];
      result += kHex[byte & 0xF];
    }
  }
  if (shown < text.size()) result += "...";
  return result + "'";
}

std::string quoted_list(std::span<const std::string> names) {
  std::string result;
  const std::size_t shown = std::min(names.size(), kLongestList);
  for (std::size_t i = 0; i < shown; ++i) result += (i > 0 ? ", " : "") + in_quotes(names[i]);
  if (shown < names.size()) result += " and " + std::to_string(names.size() - shown) + " more";
  return result;
}

std::string format_number(double value) {
  constexpr double kPlainBelow = 1e15;  // integers up to here have one spelling with at most 15 digits
  if (std::trunc(value) == value && std::abs(value) < kPlainBelow) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  std::array<char, 32> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

bool is_utf8(std::string_view bytes) {
  for (std::size_t i = 0; i < bytes.size();) {
    const auto first = static_cast<unsigned char>(bytes[i]);
    const std::size_t length = sequence_length(first);
    if (length == 0 || i + length > bytes.size()) return false;
    for (std::size_t k = 1; k < length; ++k) {
      if ((static_cast<unsigned char>(bytes[i + k]) & 0xC0) != 0x80) return false;
    }
    if (length > 2) {  // overlong forms, surrogates and values past U+10FFFF
      const auto second = static_cast<unsigned char>(bytes[i + 1]);
      if (first == 0xE0 && second < 0xA0) return false;
      if (first == 0xED && second > 0x9F) return false;
      if (first == 0xF0 && second < 0x90) return false;
      if (first == 0xF4 && second > 0x8F) return false;
    }
    i += length;
  }
  return true;
}

}  // namespace bl
