#include "base/nesting.hpp"

#include <algorithm>

namespace bl {

namespace {

// The place after the text in quotes that begins at `from`: of one line, or of several between three quotes.
std::size_t after_toml_text(std::string_view text, std::size_t from) {
  const char quote = text[from];
  const std::string_view three = quote == '"' ? R"(""")" : "'''";
  const bool lines = text.substr(from).starts_with(three);
  for (std::size_t at = from + (lines ? 3 : 1); at < text.size(); ++at) {
    if (text[at] == '\\' && quote == '"') {
      ++at;
    } else if (!lines && (text[at] == quote || text[at] == '\n')) {
      return text[at] == quote ? at + 1 : at;
    } else if (lines && text.substr(at).starts_with(three)) {
      at += 3;  // two more quotes may belong to the text
      for (int more = 0; more < 2 && at < text.size() && text[at] == quote; ++more) ++at;
      return at;
    }
  }
  return text.size();
}

}  // namespace

std::size_t json_depth(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (quoted) {
      if (c == '\\') ++at;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

std::size_t line_of_long_toml_key(std::string_view text, std::size_t most) {
  std::size_t parts = 1;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = after_toml_text(text, at);
      continue;
    }
    if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
      continue;
    }
    if (c == '.' && ++parts > most)
      return 1 + static_cast<std::size_t>(
                     std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
    if (std::string_view("\n=,[]{}").find(c) != std::string_view::npos) parts = 1;
    ++at;
  }
  return 0;
}

}  // namespace bl
