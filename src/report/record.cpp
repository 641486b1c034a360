#include "report/record.hpp"

#include <fmt/format.h>

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

// Those that the fit was given.
std::string given_settings(const Settings& settings) {
  std::string out;
  for (const SettingInfo& info : setting_list())
    if (is_given(settings, info.name))
      out += fmt::format("<code>{} = {}</code><br>", info.name, escaped(get(settings, info.name)));
  return out.empty() ? "all at their defaults" : out;
}

}  // namespace

std::string record_html(const FittedModel& model, const Data& data, const ReportOptions& options) {
  const json& information = model.stored.information;
  const json fit_data = information.value("data", json::object());
  const Settings settings = fit_settings(model);
  const bool same = is_fit_data(model, data.impl().table);
  std::vector<std::vector<std::string>> rows;
  rows.push_back({"Data of the fit", fmt::format("digest <code>{}</code>, {} rows",
                                                 escaped(text_of(fit_data.value("digest", json("unknown")))),
                                                 escaped(text_of(fit_data.value("rows", json("?")))))});
  rows.push_back({"Data of this report",
                  fmt::format("digest <code>{}</code>, {} rows: {}", escaped(data.digest()), data.rows(),
                              same ? "those of the fit" : "other rows than those of the fit")});
  rows.push_back({"Seed", get(settings, "seed")});
  rows.push_back({"Settings of the fit", given_settings(settings)});
  rows.push_back({"Version", "Behavior Learning " + library_version()});
  if (!options.command.empty()) rows.push_back({"Command", "<code>" + escaped(options.command) + "</code>"});
  return table({.caption = "", .columns = {"", ""}, .rows = rows}) +
         details("What the fit said",
                 "<pre>" + escaped(Model(std::make_shared<const FittedModel>(model)).describe()) + "</pre>");
}

}  // namespace bl::report
