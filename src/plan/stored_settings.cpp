#include "plan/stored_settings.hpp"

#include <string>

#include "bl/errors.hpp"

namespace bl {

using nlohmann::json;

json settings_json(const Settings& settings) {
  json object = json::object();
  for (const SettingInfo& info : setting_list())
    if (info.name != "threads" && info.name != "device" && info.name != "out_of_core")
      object[std::string(info.name)] = get(settings, info.name);
  return object;
}

Settings stored_settings(const json& information) {
  Settings settings;
  const json stored = information.value("settings", json::object());
  for (const auto& [name, value] : stored.items()) {
    if (!value.is_string()) throw ModelFileError("model: information.settings." + name + " should be a text");
    try {
      set(settings, name, value.get<std::string>());
    } catch (const UsageError& error) {
      throw ModelFileError(std::string("model: information.settings: ") + error.what());
    }
  }
  return settings;
}

}  // namespace bl
