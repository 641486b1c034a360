// Reading JSON that may come from anywhere: each function gives a field of the asked kind or throws a
// ModelFileError that names its path, such as encoder.features[3].scale.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace bl {

// The value that a text from anywhere spells; ModelFileError, naming `what`, where it is not JSON or nests so
// deep that working with it could overflow the stack.
nlohmann::json parse_json(const std::string& text, const std::string& what);

// A JSON value together with its path in the document.
class JsonField {
 public:
  JsonField(const nlohmann::json& json, std::string path) : json_(&json), path_(std::move(path)) {}

  JsonField operator[](const std::string& key) const;
  const nlohmann::json& json() const { return *json_; }
  // The elements of an array.
  std::vector<JsonField> elements() const;

  std::string text() const;
  double number() const;  // finite
  bool flag() const;
  std::int64_t integer(std::int64_t least, std::int64_t most) const;
  double positive() const;
  std::vector<double> numbers() const;
  std::vector<double> ascending() const;
  std::vector<std::string> texts() const;
  // Texts without repetition.
  std::vector<std::string> distinct_texts() const;
  // The value that parse gives for the text; parse returns an optional.
  template <class Parse>
  auto name(const Parse& parse) const {
    const auto value = parse(text());
    if (!value) fail("the name " + text() + " is unknown");
    return *value;
  }

  [[noreturn]] void fail(const std::string& message) const;

 private:
  const nlohmann::json* json_;
  std::string path_;
};

}  // namespace bl
