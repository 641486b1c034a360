// Lines of a text file, one at a time, without their line ends.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "data/byte_source.hpp"

namespace bl {

class LineReader {
 public:
  explicit LineReader(Input& input) : input_(input) {}

  // The next line; false at the end. The text is valid until the next call. DataError for lines above 64 MiB.
  bool next(std::string_view& text);
  // Number of the line that next gave last, from 1.
  std::int64_t line() const { return line_; }

 private:
  bool refill();

  Input& input_;
  std::vector<char> buffer_;
  std::size_t start_ = 0;
  std::size_t end_ = 0;
  std::int64_t line_ = 0;
};

}  // namespace bl
