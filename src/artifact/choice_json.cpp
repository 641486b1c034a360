#include "artifact/choice_json.hpp"

#include <array>

namespace bl {

namespace {

using nlohmann::json;
using Declaration = ChoiceDeclaration;
using Named = Declaration::Named;

// The texts of a declaration; those that are empty are left out.
constexpr std::array<std::pair<const char*, std::string Declaration::*>, 14> kTexts = {
    {{"layout", &Declaration::layout},
     {"choice", &Declaration::choice},
     {"situation", &Declaration::situation},
     {"alternative", &Declaration::alternative},
     {"chosen", &Declaration::chosen},
     {"available", &Declaration::available},
     {"outside", &Declaration::outside},
     {"rank", &Declaration::rank},
     {"ranking", &Declaration::ranking},
     {"filter", &Declaration::filter},
     {"weight", &Declaration::weight},
     {"person", &Declaration::person},
     {"form", &Declaration::form},
     {"reference", &Declaration::reference}}};
// Pairs keep their order, so they are arrays.
constexpr std::array<std::pair<const char*, Named Declaration::*>, 4> kNamed = {
    {{"derived", &Declaration::derived},
     {"attributes", &Declaration::attributes},
     {"signs", &Declaration::signs},
     {"settings", &Declaration::settings}}};

std::vector<double> numbers(const JsonField& field) {
  std::vector<double> values;
  for (const JsonField& one : field.elements()) values.push_back(one.number());
  return values;
}

Named named(const JsonField& field) {
  Named out;
  for (const JsonField& pair : field.elements()) {
    const std::vector<std::string> texts = pair.texts();
    if (texts.size() != 2) pair.fail("should be a name and a text");
    out.emplace_back(texts[0], texts[1]);
  }
  return out;
}

bool has(const JsonField& field, const char* key) {
  return field.json().is_object() && field.json().contains(key);
}

Declaration::Alternative alternative_from_json(const JsonField& field) {
  return {.name = field["name"].text(),
          .code = field["code"].text(),
          .columns = field["columns"].text(),
          .available = field["available"].text(),
          .attributes = named(field["attributes"])};
}

Declaration declaration_from_json(const JsonField& field) {
  Declaration d;
  for (const auto& [key, member] : kTexts)
    if (has(field, key)) d.*member = field[key].text();
  for (const auto& [key, member] : kNamed) d.*member = named(field[key]);
  if (has(field, "terms")) d.terms = named(field["terms"]);  // earlier versions had none
  for (const JsonField& one : field["alternatives"].elements())
    d.alternatives.push_back(alternative_from_json(one));
  for (const JsonField& one : field["specific"].elements())
    d.specific.push_back({one["attribute"].text(), one["alternatives"].texts()});
  if (has(field, "constants")) d.constants = field["constants"].flag();
  if (has(field, "generic")) d.generic = field["generic"].texts();
  for (const auto& [key, member] :
       {std::pair("random", &Declaration::random), std::pair("draws", &Declaration::draws),
        std::pair("latent", &Declaration::latent), std::pair("scale", &Declaration::scale)})
    if (has(field, key)) d.*member = named(field[key]);
  if (has(field, "nests"))
    for (const JsonField& one : field["nests"].elements())
      d.nests.push_back({one["name"].text(), one["alternatives"].texts()});
  if (has(field, "correlated")) d.correlated = field["correlated"].texts();
  for (const auto& [key, member] :
       {std::pair("membership", &Declaration::membership), std::pair("rivals", &Declaration::rivals),
        std::pair("scale_levels", &Declaration::scale_levels)})
    if (has(field, key)) d.*member = field[key].texts();
  d.context = field["context"].texts();
  d.nominal = field["nominal"].texts();
  d.name = field["name"].text();
  return d;
}

}  // namespace

json to_json(const ChoiceDeclaration& d) {
  json out = json::object();
  for (const auto& [key, member] : kTexts)
    if (!(d.*member).empty()) out[key] = d.*member;
  for (const auto& [key, member] : kNamed) out[key] = d.*member;
  json alternatives = json::array(), specific = json::array();
  for (const Declaration::Alternative& one : d.alternatives)
    alternatives.push_back({{"name", one.name},
                            {"code", one.code},
                            {"columns", one.columns},
                            {"available", one.available},
                            {"attributes", one.attributes}});
  for (const Declaration::Specific& one : d.specific)
    specific.push_back({{"attribute", one.attribute}, {"alternatives", one.alternatives}});
  out["alternatives"] = alternatives;
  out["specific"] = specific;
  if (!d.terms.empty()) out["terms"] = d.terms;
  if (d.constants) out["constants"] = *d.constants;
  if (d.generic) out["generic"] = *d.generic;
  for (const auto& [key, value] : {std::pair("random", &d.random), std::pair("draws", &d.draws),
                                   std::pair("latent", &d.latent), std::pair("scale", &d.scale)})
    if (!value->empty()) out[key] = *value;
  for (const Declaration::Nest& one : d.nests)
    out["nests"].push_back({{"name", one.name}, {"alternatives", one.alternatives}});
  if (!d.correlated.empty()) out["correlated"] = d.correlated;
  for (const auto& [key, value] : {std::pair("membership", &d.membership), std::pair("rivals", &d.rivals),
                                   std::pair("scale_levels", &d.scale_levels)})
    if (!value->empty()) out[key] = *value;
  out["context"] = d.context;
  out["nominal"] = d.nominal;
  out["name"] = d.name;
  return out;
}

json to_json(const ChoiceResponse& choice) {
  json out = {{"kind", "choice"},
              {"declaration", to_json(choice.declaration)},
              {"alternatives", choice.alternatives},
              {"means", choice.means},
              {"scales", choice.scales}};
  if (!choice.beyond.empty()) out["beyond"] = choice.beyond;
  return out;
}

ChoiceResponse choice_from_json(const JsonField& field) {
  ChoiceResponse out;
  out.declaration = declaration_from_json(field["declaration"]);
  out.schema = choice_schema(out.declaration);
  out.alternatives = field["alternatives"].distinct_texts();
  out.means = numbers(field["means"]);
  out.scales = numbers(field["scales"]);
  if (out.means.size() != out.schema.attributes.size() || out.scales.size() != out.means.size())
    field["means"].fail("should have one number per attribute of the declaration, as should scales");
  if (has(field, "beyond")) out.beyond = numbers(field["beyond"]);
  if (out.schema.beyond_logit() == out.beyond.empty())
    field["declaration"].fail("should go with parameters of its kind of model");
  for (const double scale : out.scales)
    if (!(scale > 0)) field["scales"].fail("should be positive");
  return out;
}

}  // namespace bl
