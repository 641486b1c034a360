// Paragraphs for a terminal.
#pragma once

#include <algorithm>
#include <string>

namespace bl {

// `start`, then the words of `text`, broken at `width` columns and continued under column `indent`.
inline std::string wrapped(const std::string& start, const std::string& text, std::size_t indent,
                           std::size_t width) {
  std::string out, line = start;
  std::size_t from = 0;
  bool first = true;
  while (from < text.size()) {
    const std::size_t to = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, to - from);
    if (!first && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line = std::string(indent, ' ');
      first = true;
    }
    line += (first ? "" : " ") + word;
    first = false;
    from = to + 1;
  }
  return out + line + "\n";
}

}  // namespace bl
