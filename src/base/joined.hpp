// Names in a line.
#pragma once

#include <span>
#include <string>
#include <string_view>

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

}  // namespace bl
