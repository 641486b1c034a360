#include "bl/settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <variant>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/toml.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

using Text = Setting<std::string> Settings::*;
using Number = Setting<double> Settings::*;
using Integer = Setting<std::int64_t> Settings::*;
using Flag = Setting<bool> Settings::*;
using Field = std::variant<Text, Number, Integer, Flag>;

constexpr std::size_t kLargestFile = 16U << 20;

struct Entry {
  SettingInfo info;
  Field field;
};

std::vector<std::string> split_choices(std::string_view text) {
  std::vector<std::string> parts;
  for (std::size_t from = 0; from <= text.size();) {
    const std::size_t to = std::min(text.find('|', from), text.size());
    parts.emplace_back(text.substr(from, to - from));
    from = to + 1;
  }
  return parts;
}

std::vector<Entry> make_entries() {
  using Kind = SettingInfo::Kind;
  std::vector<Entry> entries;
  std::string_view group;
#define BL_GROUP(title) group = title;
#define BL_TEXT(name, value, help) \
  entries.push_back({{group, #name, Kind::text, value, {}, 0, 0, help}, &Settings::name});
#define BL_CHOICE(name, value, choices, help) \
  entries.push_back(                          \
      {{group, #name, Kind::choice, value, split_choices(choices), 0, 0, help}, &Settings::name});
#define BL_NUMBER(name, value, low, high, help) \
  entries.push_back(                            \
      {{group, #name, Kind::number, format_number(value), {}, low, high, help}, &Settings::name});
#define BL_INTEGER(name, value, low, high, help) \
  entries.push_back(                             \
      {{group, #name, Kind::integer, fmt::format("{}", value), {}, low, high, help}, &Settings::name});
#define BL_FLAG(name, value, help) \
  entries.push_back({{group, #name, Kind::flag, value ? "true" : "false", {}, 0, 0, help}, &Settings::name});
#include "bl/settings.def"
#undef BL_GROUP
#undef BL_TEXT
#undef BL_CHOICE
#undef BL_NUMBER
#undef BL_INTEGER
#undef BL_FLAG
  return entries;
}

const std::vector<Entry>& entries() {
  static const std::vector<Entry> all = make_entries();
  return all;
}

const Entry& find_entry(std::string_view given) {
  std::string name(given);
  std::replace(name.begin(), name.end(), '-', '_');
  for (const Entry& entry : entries())
    if (entry.info.name == name) return entry;
  std::vector<std::string> names;
  for (const Entry& entry : entries()) names.emplace_back(entry.info.name);
  throw UsageError(fmt::format("unknown setting {}{}", in_quotes(given), did_you_mean(name, names)));
}

[[noreturn]] void refuse(const SettingInfo& info, std::string_view value, const std::string& expected) {
  throw UsageError(fmt::format("`{}` = {}: expected {}", info.name, in_quotes(value), expected));
}

template <class T>
T parse_in_range(const SettingInfo& info, std::string_view value, const char* kind) {
  T number{};
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  const bool whole = error == std::errc() && end == value.data() + value.size();
  if (!whole || std::isnan(static_cast<double>(number)) || static_cast<double>(number) < info.lowest ||
      static_cast<double>(number) > info.highest)
    refuse(info, value,
           fmt::format("{} from {} to {}", kind, format_number(info.lowest), format_number(info.highest)));
  return number;
}

}  // namespace

const std::vector<SettingInfo>& setting_list() {
  static const std::vector<SettingInfo> all = [] {
    std::vector<SettingInfo> list;
    for (const Entry& entry : entries()) list.push_back(entry.info);
    return list;
  }();
  return all;
}

void set(Settings& settings, std::string_view name, std::string_view value) {
  const Entry& entry = find_entry(name);
  const SettingInfo& info = entry.info;
  switch (info.kind) {
    case SettingInfo::Kind::text:
      settings.*std::get<Text>(entry.field) = std::string(value);
      return;
    case SettingInfo::Kind::choice:
      if (std::find(info.choices.begin(), info.choices.end(), value) == info.choices.end())
        refuse(info, value, "one of " + quoted_list(info.choices) + did_you_mean(value, info.choices));
      settings.*std::get<Text>(entry.field) = std::string(value);
      return;
    case SettingInfo::Kind::number:
      settings.*std::get<Number>(entry.field) = parse_in_range<double>(info, value, "a number");
      return;
    case SettingInfo::Kind::integer:
      settings.*std::get<Integer>(entry.field) = parse_in_range<std::int64_t>(info, value, "a whole number");
      return;
    case SettingInfo::Kind::flag:
      if (value != "true" && value != "false") refuse(info, value, "true or false");
      settings.*std::get<Flag>(entry.field) = value == "true";
      return;
  }
}

void set_default(Settings& settings, std::string_view name, std::string_view value) {
  set(settings, name, value);
  std::visit([&](auto field) { settings.*field = Setting((settings.*field).value()); },
             find_entry(name).field);
}

std::string get(const Settings& settings, std::string_view name) {
  struct InWords {
    const Settings& from;
    std::string operator()(Text field) const { return from.*field; }
    std::string operator()(Number field) const { return format_number(from.*field); }
    std::string operator()(Integer field) const { return std::to_string(from.*field); }
    std::string operator()(Flag field) const { return from.*field ? "true" : "false"; }
  };
  return std::visit(InWords{settings}, find_entry(name).field);
}

bool is_given(const Settings& settings, std::string_view name) {
  return std::visit([&](auto field) { return (settings.*field).given(); }, find_entry(name).field);
}

void validate(const Settings& settings) {
  Settings checked;
  for (const SettingInfo& info : setting_list()) set(checked, info.name, get(settings, info.name));
}

void read_settings_file(Settings& settings, const std::string& path) {
  read_settings_text(settings, read_whole_file(path, kLargestFile), path);
}

void read_settings_text(Settings& settings, std::string_view text, const std::string& name) {
  const auto place = [&](const toml::source_region& source) {
    return fmt::format("{}:{}", name, source.begin.line);
  };
  const toml::table table = parse_toml(text, name);
  for (const auto& [key, node] : table) {
    std::string value;
    if (const auto words = node.value_exact<std::string>()) {
      value = *words;
    } else if (const auto flag = node.value_exact<bool>()) {
      value = *flag ? "true" : "false";
    } else if (const auto integer = node.value_exact<std::int64_t>()) {
      value = fmt::format("{}", *integer);
    } else if (const auto number = node.value_exact<double>()) {
      value = format_number(*number);
    } else {
      throw UsageError(
          fmt::format("{}: `{}` must be a text, a number or true/false", place(node.source()), key.str()));
    }
    try {
      set(settings, key.str(), value);
    } catch (const UsageError& error) {
      throw UsageError(fmt::format("{}: {}", place(node.source()), error.what()));
    }
  }
}

std::string write_settings_file(const Settings& settings) {
  std::string out;
  std::string_view group;
  for (const SettingInfo& info : setting_list()) {
    if (info.group != group) out += fmt::format("{}# --- {}\n", group.empty() ? "" : "\n", info.group);
    group = info.group;
    const bool text = info.kind == SettingInfo::Kind::text || info.kind == SettingInfo::Kind::choice;
    const std::string value = get(settings, info.name);
    out += fmt::format("# {}\n{}{} = {}\n", info.help, is_given(settings, info.name) ? "" : "#", info.name,
                       text ? toml_text(value) : value);
  }
  return out;
}

}  // namespace bl
