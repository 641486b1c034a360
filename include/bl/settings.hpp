// Everything that can be chosen about a fit, with its defaults. See settings.def for the list.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bl {

struct Settings {
#define BL_GROUP(title)
#define BL_TEXT(name, value, help) std::string name = value;
#define BL_CHOICE(name, value, choices, help) std::string name = value;
#define BL_NUMBER(name, value, low, high, help) double name = value;
#define BL_INTEGER(name, value, low, high, help) std::int64_t name = value;
#define BL_FLAG(name, value, help) bool name = value;
#include "bl/settings.def"
#undef BL_GROUP
#undef BL_TEXT
#undef BL_CHOICE
#undef BL_NUMBER
#undef BL_INTEGER
#undef BL_FLAG
};

struct SettingInfo {
  enum class Kind { text, choice, number, integer, flag };
  std::string_view group;
  std::string_view name;  // with underscores; options have dashes
  Kind kind = Kind::text;
  std::string default_value;
  std::vector<std::string> choices;
  double lowest = 0;
  double highest = 0;
  std::string_view help;
};

// In the order of declaration.
const std::vector<SettingInfo>& setting_list();

// Sets one by name (dashes count as underscores) from its text. UsageError for an unknown name, with the
// nearest valid one, and for a value of the wrong kind or out of range.
void set(Settings& settings, std::string_view name, std::string_view value);

// The value as text; set() reads it back.
std::string get(const Settings& settings, std::string_view name);

// Sets every key of a TOML file, or of such a text under a name. UsageError naming file and line.
void read_settings_file(Settings& settings, const std::string& path);
void read_settings_text(Settings& settings, std::string_view text, const std::string& name);

// The file that read_settings_file reads: every setting with its help as a comment.
std::string write_settings_file(const Settings& settings);

// The reference page, in Markdown.
std::string settings_reference();

}  // namespace bl
