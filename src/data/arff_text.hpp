// The small grammar of ARFF files: attribute declarations and lists of values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace bl {

struct ArffAttribute {
  enum class Kind { numeric, nominal, string };

  std::string name;
  Kind kind = Kind::numeric;
  std::vector<std::string> levels;  // nominal
};

// Values between commas, with spaces around them dropped; 'single' or "double" quotes with \-escapes. The
// views point into the line or into the list's own memory and are valid until the next split.
class ArffValues {
 public:
  // DataError without place (the caller knows it) for a quote that is never closed or text behind a quote.
  const std::vector<std::string_view>& split(std::string_view line);

 private:
  std::size_t take_quoted(std::string_view line, std::size_t at);

  std::vector<std::string_view> values_;
  std::string unescaped_;
};

// What follows the keyword @attribute: a name and a type. DataError without place.
ArffAttribute parse_arff_attribute(std::string_view declaration);

// Removes the word (given in lower case, found in any) and the spaces behind it from the front of the text.
bool take_keyword(std::string_view& text, std::string_view lower_word);

}  // namespace bl
