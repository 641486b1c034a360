#include "features/json_fields.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "base/nesting.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl {

nlohmann::json parse_json(const std::string& text, const std::string& what) {
  if (json_depth(text) > kDeepestJson)
    throw ModelFileError(what + " nests deeper than " + std::to_string(kDeepestJson) + " levels");
  // The parser would take a zero byte for the end and leave the rest unread.
  nlohmann::json value = text.find('\0') == std::string::npos
                             ? nlohmann::json::parse(text, nullptr, false)
                             : nlohmann::json(nlohmann::json::value_t::discarded);
  if (value.is_discarded()) throw ModelFileError(what + " is not JSON");
  return value;
}

JsonField JsonField::operator[](const std::string& key) const {
  if (!json_->is_object()) fail("should be an object");
  const auto found = json_->find(key);
  if (found == json_->end()) fail("the field " + in_quotes(key) + " is missing");
  return {*found, path_ + "." + key};
}

std::vector<JsonField> JsonField::elements() const {
  if (!json_->is_array()) fail("should be a list");
  std::vector<JsonField> result;
  for (const nlohmann::json& element : *json_) {
    result.emplace_back(element, path_ + "[" + std::to_string(result.size()) + "]");
  }
  return result;
}

std::string JsonField::text() const {
  if (!json_->is_string()) fail("should be text");
  return json_->get<std::string>();
}

double JsonField::number() const {
  if (!json_->is_number()) fail("should be a number");
  const double value = json_->get<double>();
  if (!std::isfinite(value)) fail("should be a finite number");
  return value;
}

bool JsonField::flag() const {
  if (!json_->is_boolean()) fail("should be true or false");
  return json_->get<bool>();
}

std::int64_t JsonField::integer(std::int64_t least, std::int64_t most) const {
  const bool fits =
      json_->is_number_integer() && !(json_->is_number_unsigned() && json_->get<std::uint64_t>() > INT64_MAX);
  if (!fits || json_->get<std::int64_t>() < least || json_->get<std::int64_t>() > most) {
    fail("should be an integer from " + std::to_string(least) + " to " + std::to_string(most));
  }
  return json_->get<std::int64_t>();
}

double JsonField::positive() const {
  const double value = number();
  if (!(value > 0)) fail("should be positive");
  return value;
}

std::vector<double> JsonField::numbers() const {
  std::vector<double> values;
  for (const JsonField& element : elements()) values.push_back(element.number());
  return values;
}

std::vector<double> JsonField::ascending() const {
  std::vector<double> values = numbers();
  if (std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) != values.end())
    fail("should be ascending");
  return values;
}

std::vector<std::string> JsonField::texts() const {
  std::vector<std::string> result;
  for (const JsonField& element : elements()) result.push_back(element.text());
  return result;
}

std::vector<std::string> JsonField::distinct_texts() const {
  std::vector<std::string> result = texts();
  std::set<std::string> seen;
  for (const std::string& text : result) {
    if (!seen.insert(text).second) fail(in_quotes(text) + " is listed twice");
  }
  return result;
}

void JsonField::fail(const std::string& message) const {
  throw ModelFileError(path_ + ": " + message);
}

}  // namespace bl
