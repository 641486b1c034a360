#include "report/record.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bl/settings.hpp"
#include "report/html.hpp"

namespace bl::report {

namespace {

using nlohmann::json;

std::string text_of(const json& value) {
  return value.is_string() ? value.get<std::string>()
                           : value.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Settings of the fit that are not at their defaults.
std::string changed_settings(const json& settings) {
  std::string out;
  for (const auto& [name, value] : settings.items()) {
    const std::string text = text_of(value);
    const auto& list = setting_list();
    const auto known = std::find_if(list.begin(), list.end(),
                                    [&, &key = name](const SettingInfo& one) { return one.name == key; });
    if (known != list.end() && known->default_value == text) continue;
    out += fmt::format("<code>{} = {}</code><br>", escaped(name), escaped(text));
  }
  return out.empty() ? "all at their defaults" : out;
}

}  // namespace

std::string record_html(const FittedModel& model, const Data& data, const ReportOptions& options) {
  const json& information = model.stored.information;
  const json fit_data = information.value("data", json::object());
  const json settings = information.value("settings", json::object());
  const bool same = is_fit_data(model, data.impl().table);
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"Data of the fit", fmt::format("digest <code>{}</code>, {} rows",
                                                 escaped(text_of(fit_data.value("digest", json("unknown")))),
                                                 escaped(text_of(fit_data.value("rows", json("?")))))});
  rows.push_back({"Data of this report",
                  fmt::format("digest <code>{}</code>, {} rows: {}", escaped(data.digest()), data.rows(),
                              same ? "those of the fit" : "other rows than those of the fit")});
  rows.push_back({"Seed", escaped(text_of(settings.value("seed", json("0"))))});
  rows.push_back({"Settings of the fit", changed_settings(settings)});
  rows.push_back({"Version", "Behavior Learning " + library_version()});
  if (!options.command.empty()) rows.push_back({"Command", "<code>" + escaped(options.command) + "</code>"});
  return table({.caption = "", .columns = {"", ""}, .rows = rows}) +
         details("What the fit said",
                 "<pre>" + escaped(Model(std::make_shared<const FittedModel>(model)).describe()) + "</pre>");
}

}  // namespace bl::report
