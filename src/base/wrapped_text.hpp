// Words set in lines.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/joined.hpp"

namespace bl {

inline std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> all;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = std::min(text.find(' ', from), text.size());
    all.push_back(text.substr(from, to - from));
    from = to + 1;
  }
  return all;
}

// `start`, then pieces that may not be broken, in lines that fit where that can be; `indent` begins the later
// ones.
template <class Fits>
std::vector<std::string> set_in_lines(const std::string& start, const std::vector<std::string>& pieces,
                                      const std::string& indent, const Fits& fits) {
  std::vector<std::string> lines = {start};
  bool alone = start.empty() || start.back() == ' ' || start.back() == '(';  // the first piece stands close
  for (const std::string& piece : pieces) {
    const std::string longer = lines.back() + (alone ? "" : " ") + piece;
    if (&piece != pieces.data() && !fits(longer))
      lines.push_back(indent + piece);
    else
      lines.back() = longer;
    alone = false;
  }
  return lines;
}

// A paragraph for a terminal: lines of at most `width` columns, continued under column `indent`.
inline std::string paragraph(const std::string& start, const std::vector<std::string>& pieces,
                             std::size_t indent, std::size_t width) {
  const auto fits = [&](const std::string& line) { return line.size() <= width; };
  return joined(set_in_lines(start, pieces, std::string(indent, ' '), fits), "\n") + "\n";
}
inline std::string wrapped(const std::string& start, const std::string& text, std::size_t indent,
                           std::size_t width) {
  return paragraph(start, words(text), indent, width);
}

}  // namespace bl
