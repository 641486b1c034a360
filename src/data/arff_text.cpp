#include "data/arff_text.hpp"

#include <algorithm>
#include <cctype>

#include "base/text.hpp"
#include "base/text_parts.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

constexpr std::string_view kSpaces = " \t";

bool is_quote(char c) {
  return c == '\'' || c == '"';
}

// Takes a plain or quoted name from the front of the text.
std::string take_name(std::string_view& text) {
  std::size_t end = 0;
  std::string name;
  if (!text.empty() && is_quote(text[0])) {
    for (end = 1; end < text.size() && text[end] != text[0]; ++end) {
      if (text[end] == '\\' && end + 1 < text.size()) ++end;
      name += text[end];
    }
    if (end == text.size()) throw DataError("the name's quote is never closed: " + in_quotes(text));
    ++end;
  } else {
    end = std::min(text.size(), text.find_first_of(" \t{"));
    name = text.substr(0, end);
  }
  text = trimmed(text.substr(end));
  return name;
}

std::vector<std::string> parse_levels(std::string_view type) {
  if (!type.ends_with('}'))
    throw DataError("the list of values is never closed; write {a, b, c} on one line");
  type.remove_prefix(1);
  type.remove_suffix(1);
  ArffValues values;
  std::vector<std::string> levels;
  for (const std::string_view value : values.split(type)) {
    if (std::find(levels.begin(), levels.end(), value) != levels.end()) {
      throw DataError("the value " + in_quotes(value) + " is listed twice");
    }
    if (!is_utf8(value)) throw DataError("the value " + in_quotes(value) + " is not UTF-8; convert the file");
    levels.emplace_back(value);
  }
  return levels;
}

}  // namespace

const std::vector<std::string_view>& ArffValues::split(std::string_view line) {
  values_.clear();
  unescaped_.clear();
  unescaped_.reserve(line.size());  // never grows after this: views into it stay valid
  for (std::size_t at = 0;;) {
    at = std::min(line.size(), line.find_first_not_of(kSpaces, at));
    if (at < line.size() && is_quote(line[at])) {
      at = take_quoted(line, at);
    } else {
      const std::size_t end = std::min(line.size(), line.find(',', at));
      values_.push_back(trimmed(line.substr(at, end - at)));
      at = end;
    }
    if (at == line.size()) return values_;
    ++at;
  }
}

// From the opening quote to the comma or end behind the closing one.
std::size_t ArffValues::take_quoted(std::string_view line, std::size_t at) {
  const char quote = line[at];
  const std::size_t begin = unescaped_.size();
  for (++at; at < line.size() && line[at] != quote; ++at) {
    if (line[at] == '\\' && at + 1 < line.size()) ++at;
    unescaped_ += line[at];
  }
  if (at == line.size()) throw DataError("a quote is opened but never closed");
  values_.push_back(std::string_view(unescaped_).substr(begin));
  at = std::min(line.size(), line.find_first_not_of(kSpaces, at + 1));
  if (at < line.size() && line[at] != ',') {
    throw DataError("value " + std::to_string(values_.size()) + " goes on after its closing quote");
  }
  return at;
}

ArffAttribute parse_arff_attribute(std::string_view declaration) {
  ArffAttribute attribute;
  attribute.name = take_name(declaration);
  if (attribute.name.empty()) throw DataError("an attribute needs a name and a type");
  if (!is_utf8(attribute.name)) {
    throw DataError("the name " + in_quotes(attribute.name) + " is not UTF-8; convert the file");
  }
  std::string_view type = declaration;
  if (type.starts_with('{')) {
    attribute.kind = ArffAttribute::Kind::nominal;
    attribute.levels = parse_levels(type);
  } else if (take_keyword(type, "numeric") || take_keyword(type, "real") || take_keyword(type, "integer")) {
    attribute.kind = ArffAttribute::Kind::numeric;
  } else if (take_keyword(type, "string") || take_keyword(type, "date")) {
    attribute.kind = ArffAttribute::Kind::string;
  } else {
    throw DataError("attribute " + in_quotes(attribute.name) + " has the type " + in_quotes(declaration) +
                    "; known types are numeric, real, integer, string, date and {a, b, c}");
  }
  return attribute;
}

bool take_keyword(std::string_view& text, std::string_view lower_word) {
  if (text.size() < lower_word.size()) return false;
  for (std::size_t i = 0; i < lower_word.size(); ++i) {
    if (std::tolower(static_cast<unsigned char>(text[i])) != lower_word[i]) return false;
  }
  const std::string_view rest = text.substr(lower_word.size());
  if (!rest.empty() && kSpaces.find(rest[0]) == std::string_view::npos) return false;
  text = trimmed(rest);
  return true;
}

}  // namespace bl
