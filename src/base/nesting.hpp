// How deep a text nests, told by one pass without recursion: parsers and destructors that recurse are given
// only what a bounded stack can hold.
#pragma once

#include <cstddef>
#include <string_view>

namespace bl {

inline constexpr std::size_t kDeepestJson = 100;     // brackets within brackets
inline constexpr std::size_t kLongestTomlKey = 100;  // parts of a dotted key or table name

// Brackets open at the same time, outside of texts in quotes.
std::size_t json_depth(std::string_view text);

// The first line, counted from 1, with a key or table name of more than `most` parts; 0 where there is none.
std::size_t line_of_long_toml_key(std::string_view text, std::size_t most);

}  // namespace bl
