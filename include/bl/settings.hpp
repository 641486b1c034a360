// Everything that can be chosen about a fit, with its defaults. See settings.def for the list.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bl {

// A value and whether somebody gave it: what is assigned counts as given, also where it equals the default.
template <class T>
class Setting {
 public:
  explicit Setting(T default_value) : value_(std::move(default_value)) {}
  Setting& operator=(T value) {
    value_ = std::move(value);
    given_ = true;
    return *this;
  }

  bool given() const { return given_; }
  const T& value() const { return value_; }

  // Reads like the value itself.
  operator const T&() const { return value_; }
  operator std::string_view() const requires std::same_as<T, std::string> { return value_; }
  bool empty() const requires std::same_as<T, std::string> { return value_.empty(); }
  friend bool operator==(const Setting& setting,
                         std::string_view text) requires std::same_as<T, std::string> {
    return setting.value_ == text;
  }

 private:
  T value_;
  bool given_ = false;
};

struct Settings {
#define BL_GROUP(title)
#define BL_TEXT(name, value, help) Setting<std::string> name{value};
#define BL_CHOICE(name, value, choices, help) Setting<std::string> name{value};
#define BL_NUMBER(name, value, low, high, help) Setting<double> name{value};
#define BL_INTEGER(name, value, low, high, help) Setting<std::int64_t> name{value};
#define BL_FLAG(name, value, help) Setting<bool> name{value};
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

// The same of a value that nobody gave, such as one that a fit left at the default of its time.
void set_default(Settings& settings, std::string_view name, std::string_view value);

// The value as text; set() reads it back.
std::string get(const Settings& settings, std::string_view name);

// Whether it was set or assigned.
bool is_given(const Settings& settings, std::string_view name);

// UsageError for a value that set() would refuse: a program may have assigned it. A fit begins with this.
void validate(const Settings& settings);

// Sets every key of a TOML file, or of such a text under a name. UsageError naming file and line.
void read_settings_file(Settings& settings, const std::string& path);
void read_settings_text(Settings& settings, std::string_view text, const std::string& name);

// The file that read_settings_file reads: every setting with its help as a comment; those that were not given
// are commented out.
std::string write_settings_file(const Settings& settings);

}  // namespace bl
