#include "plan/stored_settings.hpp"

#include <algorithm>
#include <string>

#include "bl/errors.hpp"
#include "plan/table_plan.hpp"

namespace bl {

using nlohmann::json;

namespace {

bool is_stored(const SettingInfo& info) {
  return info.name != "threads" && info.name != "device" && info.name != "out_of_core";
}

// Files of earlier versions do not say which settings were given: those that are not at their defaults.
bool was_given(const json& information, const std::string& name, const std::string& value) {
  if (const auto names = information.find("given"); names != information.end())
    return std::find(names->begin(), names->end(), name) != names->end();
  const std::vector<SettingInfo>& all = setting_list();
  return std::none_of(all.begin(), all.end(), [&](const SettingInfo& info) {
    return info.name == name && info.default_value == value;
  });
}

}  // namespace

json settings_json(const Settings& settings) {
  json object = json::object();
  for (const SettingInfo& info : setting_list())
    if (is_stored(info)) object[std::string(info.name)] = get(settings, info.name);
  return object;
}

void store_settings(const Settings& settings, json& information) {
  information["settings"] = settings_json(settings);
  json& given = information["given"] = json::array();
  for (const SettingInfo& info : setting_list())
    if (is_stored(info) && is_given(settings, info.name)) given.push_back(info.name);
}

Settings stored_settings(const json& information) {
  Settings settings;
  const json stored = information.value("settings", json::object());
  for (const auto& [name, value] : stored.items()) {
    if (!value.is_string()) throw ModelFileError("model: information.settings." + name + " should be a text");
    const std::string text = value.get<std::string>();
    try {
      (was_given(information, name, text) ? set : set_default)(settings, name, text);
      if (name == "fractions") split_fractions(text);
    } catch (const UsageError& error) {
      throw ModelFileError(std::string("model: information.settings: ") + error.what());
    }
  }
  return settings;
}

}  // namespace bl
