#include "artifact/version_1.hpp"

#include <cmath>

#include "artifact/choice_json.hpp"
#include "base/unknown.hpp"

namespace bl {

namespace {

using nlohmann::json;

double number_or_nan(const JsonField& field) {
  return field.json().is_null() ? kUnknown : field.number();
}

// What version 2 says about the fit, in its groups.
json upgraded_information(const json& old) {
  json out = {{"settings", old.value("settings", json::object())},
              {"data", {{"digest", old.value("digest", json(""))}}},
              {"split", old.value("situations", json::object())},
              {"training", json::object()}};
  for (const char* key : {"stop_cause", "epochs"})
    if (old.contains(key)) out["training"][key] = old[key];
  return out;
}

}  // namespace

json upgraded_table(json document) {
  if (document.is_object() && document.contains("support")) {
    document["response"] = {{"kind", "table"}, {"support", document["support"]}};
    document.erase("support");
  }
  return document;
}

json upgraded_choice(const json& document) {
  const JsonField root(document, "model");
  const ChoiceDeclaration declaration =
      ChoiceDeclaration::parse(root["schema"].text(), root["schema_name"].text());
  json out = {{"architecture", root["architecture"].json()},
              {"encoder", root["encoder"].json()},
              {"response",
               {{"kind", "choice"},
                {"declaration", to_json(declaration)},
                {"alternatives", root["alternatives"].json()},
                {"means", root["means"].json()},
                {"scales", root["scales"].json()}}},
              {"temperature", root["temperature"].json()},
              {"precision", "float64"}};
  const json information = document.value("information", json::object());
  out["information"] = information.is_object() ? upgraded_information(information) : information;
  if (document.contains("inference")) out["inference"] = document["inference"];
  return out;
}

std::optional<StoredInference> version_1_errors(const json& document) {
  if (document.contains("inference") || !document.contains("coefficients")) return std::nullopt;
  const JsonField root(document, "model");
  const std::vector<JsonField> coefficients = root["coefficients"].elements(),
                               covariance = root["covariance"].elements();
  const std::size_t n = coefficients.size();
  if (covariance.size() != n * n) root["covariance"].fail("should have a row and a column per coefficient");
  std::vector<std::size_t> known;
  for (std::size_t k = 0; k < n; ++k)
    if (!std::isnan(number_or_nan(covariance[k * n + k]))) known.push_back(k);
  if (known.empty()) return std::nullopt;
  StoredInference out;
  const auto square = [](double error) { return error * error; };
  for (const std::size_t i : known) {
    out.positions.push_back(static_cast<Index>(i));
    for (const std::size_t j : known) {
      out.robust.push_back(number_or_nan(covariance[i * n + j]));
      const JsonField& one = coefficients[i];  // of the other kinds only the errors were kept
      out.classical.push_back(i == j ? square(number_or_nan(one["standard_error"])) : kUnknown);
      out.cluster.push_back(i == j ? square(number_or_nan(one["clustered_error"])) : kUnknown);
    }
  }
  return out;
}

}  // namespace bl
