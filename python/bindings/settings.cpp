#include "bl/settings.hpp"

#include "bindings.hpp"

namespace bl::python {

const std::map<std::string, std::string>& renamed_settings() {
  // `lambda` is a word of Python's own, and utility() a method.
  static const std::map<std::string, std::string> names = {{"lambda", "lambda_sign"},
                                                           {"utility", "utility_activation"}};
  return names;
}

Settings settings_of(const SettingTexts& texts) {
  Settings settings;
  for (const auto& [name, value] : texts) set(settings, name, value);
  return settings;
}

void bind_settings(nb::module_& module) {
  module.def(
      "setting_list",
      [] {
        const std::map<SettingInfo::Kind, const char*> kinds = {{SettingInfo::Kind::text, "text"},
                                                                {SettingInfo::Kind::choice, "choice"},
                                                                {SettingInfo::Kind::number, "number"},
                                                                {SettingInfo::Kind::integer, "integer"},
                                                                {SettingInfo::Kind::flag, "flag"}};
        nb::list out;
        for (const SettingInfo& info : setting_list()) {
          nb::dict one;
          one["group"] = std::string(info.group);
          one["name"] = std::string(info.name);
          one["kind"] = kinds.at(info.kind);
          one["default"] = info.default_value;
          one["choices"] = info.choices;
          one["lowest"] = info.lowest;
          one["highest"] = info.highest;
          one["help"] = std::string(info.help);
          out.append(one);
        }
        return out;
      },
      "Every setting of the library, in the order of its reference page.");
  module.def("renamed_settings", &renamed_settings, "The settings whose parameter has another name.");
  module.def(
      "check_settings", [](const SettingTexts& texts) { static_cast<void>(settings_of(texts)); },
      "Raises UsageError for an unknown name or a value out of range.");
}

}  // namespace bl::python
