#include "report/page_model.hpp"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/base64.hpp"
#include "features/column_kind.hpp"
#include "model/join.hpp"
#include "model/parameters.hpp"

namespace bl::report {

namespace {

using nlohmann::json;

template <class T>
std::string encoded_numbers(const std::vector<double>& values) {
  std::string bytes(values.size() * sizeof(T), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T one = static_cast<T>(values[i]);
    std::memcpy(&bytes[i * sizeof(T)], &one, sizeof(T));
  }
  return base64(bytes);
}

bool fits_single(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [](double v) { return static_cast<double>(static_cast<float>(v)) == v; });
}

struct Members {
  Architecture architecture;  // of one
  std::vector<std::vector<double>> parameters;
};

Members members_of(const FittedModel& model) {
  const StoredModel& stored = model.stored;
  const Index count = joined_members(stored.architecture, stored.parameters);
  if (count == 1) return {stored.architecture, {stored.parameters}};
  const Architecture one = member_architecture(stored.architecture, count);
  return {one, split_parameters(one, count, stored.parameters)};
}

json feature_json(const FeatureEncoding& f) {
  const char* type = !facts(f.type).levels ? "number" : facts(f.type).line ? "ordinal" : "levels";
  json out = {{"name", f.name},
              {"type", type},
              {"value", f.has_value},
              {"mean", f.mean},
              {"scale", f.scale},
              {"fill", f.fill},
              {"levels", f.levels},
              {"first", f.first_level},
              {"fill_level", f.fill_level},
              {"indicator", f.has_indicator}};
  if (!f.pull.from.empty()) out["pull"] = {{"from", f.pull.from}, {"to", f.pull.to}};
  if (f.bends.size() > 0)
    out["bends"] = {{"knots", f.bends.knots},
                    {"widest", f.bends.widest},
                    {"straight", f.bends.straight_ends},
                    {"scale", f.bends.scale},
                    {"constant", f.bends.constant},
                    {"slope", f.bends.slope},
                    {"kind", to_string(f.bends.kind)},
                    {"period", f.bends.period},
                    {"knot_slopes", f.bends.knot_slopes}};
  return out;
}

json axis_json(const GridAxis& axis, const FeatureEncoding& feature) {
  return {{"name", feature.name}, {"knots", axis.knots}, {"period", axis.period}};
}

json products_of(const Encoder& encoder) {
  json out = json::array();
  for (const ProductEncoding& one : encoder.products())
    out.push_back({{"first", axis_json(one.first_axis, encoder.features()[one.first])},
                   {"second", axis_json(one.second_axis, encoder.features()[one.second])},
                   {"columns", one.columns}});
  return out;
}

json number_json(const FittedModel& model) {
  const ResponseEncoding& r = model.stored.encoder.responses()[model.space.continuous_responses[0]];
  json out = r.number.to_json();
  out["masses"] = out["point_masses"];
  out["whole"] = out["whole_numbers"];
  out.erase("point_masses");
  out.erase("whole_numbers");
  out.update({{"name", r.name},
              {"mean", r.mean},
              {"scale", r.scale},
              {"lower", model.stored.support().lower[0]},
              {"upper", model.stored.support().upper[0]},
              {"exact", model.utility.exact()}});
  return out;
}

// Null for z itself.
json first_terms(const Architecture& a) {
  const std::vector<Term> terms = layer_terms(a, 0);
  bool plain = static_cast<Index>(terms.size()) == a.input.size();
  for (std::size_t i = 0; plain && i < terms.size(); ++i)
    plain = terms[i] == Term{static_cast<std::int32_t>(i)};
  return plain ? json() : json(terms);
}

json layers_json(const Architecture& a) {
  json layers = json::array();
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    json heads = json::array(), reads = json::array();
    for (const HeadKind kind : kHeadKinds) heads.push_back(a.layers[l].heads(kind));
    if (l > 0)
      for (const Term& term : layer_terms(a, l)) reads.push_back(term.at(0));
    layers.push_back({{"blocks", a.layers[l].blocks}, {"heads", heads}, {"reads", reads}});
  }
  return layers;
}

json tensors_json(const Architecture& a) {
  json tensors = json::object();
  const ParameterLayout layout(a);
  for (const TensorInfo& t : layout.tensors())
    tensors[t.name] = {t.offset, t.rows, t.cols, t.sign == Sign::non_negative};
  return tensors;
}

}  // namespace

std::string page_kind(const FittedModel& model) {
  if (model.stored.choice() != nullptr) return "choice";
  if (model.space.single_continuous()) return "number";
  return model.space.classes() > 0 && model.space.values() == 0 ? "class" : "";
}

std::size_t page_model_bytes(const FittedModel& model) {
  const Members members = members_of(model);
  std::size_t count = 0;
  for (const auto& one : members.parameters) count += one.size();
  const bool single = std::all_of(members.parameters.begin(), members.parameters.end(), fits_single);
  return count * (single ? sizeof(float) : sizeof(double)) * 4 / 3;
}

json page_model(const FittedModel& model) {
  const StoredModel& stored = model.stored;
  const auto [a, parameters] = members_of(model);
  const bool single = std::all_of(parameters.begin(), parameters.end(), fits_single);
  json members = json::array(), features = json::array(), activations = json::array();
  for (const auto& one : parameters)
    members.push_back(single ? encoded_numbers<float>(one) : encoded_numbers<double>(one));
  for (const FeatureEncoding& feature : stored.encoder.features()) features.push_back(feature_json(feature));
  for (const HeadKind kind : kHeadKinds) activations.push_back(name(a.activation(kind)));
  json out = {{"kind", page_kind(model)},
              {"temperature", stored.temperature},
              {"features", std::move(features)},
              {"input", {a.input.context, a.input.values, a.input.classes}},
              {"activations", std::move(activations)},
              {"skip", a.skip == Skip::residual ? "residual" : "none"},
              {"terms", first_terms(a)},
              {"layers", layers_json(a)},
              {"tensors", tensors_json(a)},
              {"single", single},
              {"members", std::move(members)}};
  if (!stored.encoder.products().empty()) out["products"] = products_of(stored.encoder);
  if (const ChoiceResponse* choice = stored.choice()) {
    out["classes"] = choice->alternatives;
    out["attributes"] = json::array();
    for (std::size_t k = 0; k < choice->means.size(); ++k)
      out["attributes"].push_back(
          {{"name", choice->schema.attributes[k]}, {"mean", choice->means[k]}, {"scale", choice->scales[k]}});
  } else if (model.space.single_continuous()) {
    out["number"] = number_json(model);
  } else {
    out["classes"] = model.space.class_labels;
  }
  return out;
}

}  // namespace bl::report
