// Lists of names: in a line, one among them.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bl {

// a, b, c
inline std::string joined(std::span<const std::string> names, std::string_view separator = ", ") {
  std::string out;
  for (const std::string& name : names) {
    if (&name != names.data()) out += separator;
    out += name;
  }
  return out;
}

// The same of anything: `text` gives the text of one.
template <class Items, class Text>
std::string joined(const Items& items, std::string_view separator, const Text& text) {
  std::string out;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += separator;
    first = false;
    out += text(item);
  }
  return out;
}

inline bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace bl
