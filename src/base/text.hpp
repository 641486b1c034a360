// Text for people: names that were probably meant, values as they appear in messages, numbers without loss.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bl/names.hpp"

namespace bl {

// Insertions, deletions, replacements and swaps of neighbors that turn a into b (optimal string alignment);
// letters of different case count as equal.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The closest of the valid names, if it is close enough to be a slip: at most a third of the longer name
// differs (one letter in short names), and something is left in common.
std::optional<std::string> nearest_name(std::string_view wrong, std::span<const std::string> valid);

// The text in single quotes for a message: control characters escaped, long values cut.
std::string in_quotes(std::string_view text);

// At most so many bytes, with two points where something was cut; no character of UTF-8 is cut in two.
std::string shortened(const std::string& text, std::size_t most);

// 'a', 'b', 'c' and 4 more
std::string quoted_list(std::span<const std::string> names);

// The shortest decimal spelling that reads back as the same double; integers without a point.
std::string format_number(double value);

bool is_utf8(std::string_view bytes);

}  // namespace bl
