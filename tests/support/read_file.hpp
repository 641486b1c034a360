// A file as it lies on disk, to compare two of them.
#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace bl::test {

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

}  // namespace bl::test
