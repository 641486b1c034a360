#include "artifact/architecture_json.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bl/errors.hpp"
#include "features/json_fields.hpp"

namespace bl {

namespace {

using nlohmann::json;

template <class Enum, std::size_t N>
using Names = std::array<std::pair<Enum, std::string_view>, N>;

constexpr Names<Form, 2> kForms = {{{Form::scalar, "scalar"}, {Form::vector, "vector"}}};
constexpr Names<Skip, 4> kSkips = {
    {{Skip::none, "none"}, {Skip::input, "input"}, {Skip::dense, "dense"}, {Skip::residual, "residual"}}};
constexpr Names<Sign, 2> kSigns = {{{Sign::non_negative, "non_negative"}, {Sign::free, "free"}}};

template <class Enum, std::size_t N>
std::string text_of(const Names<Enum, N>& names, Enum value) {
  for (const auto& [one, text] : names)
    if (one == value) return std::string(text);
  return {};
}

template <class Enum, std::size_t N>
Enum value_of(const Names<Enum, N>& names, const JsonField& field) {
  return field.name([&](const std::string& given) -> std::optional<Enum> {
    for (const auto& [value, text] : names)
      if (text == given) return value;
    return std::nullopt;
  });
}

// Bounds that keep every product of sizes below 2^62, so that a hostile file cannot overflow one.
constexpr std::int64_t kMostColumns = 1LL << 24;
constexpr std::int64_t kMostBlocks = 1LL << 22;
constexpr std::size_t kMostHeads = 1U << 12;
constexpr std::int64_t kHighestDegree = 64;

}  // namespace

json to_json(const Architecture& a) {
  json layers = json::array();
  for (const LayerSpec& layer : a.layers) {
    json one = {{"blocks", layer.blocks}};
    for (const HeadKind kind : kHeadKinds)
      one[std::string(letter(kind))] = layer.degrees[static_cast<std::size_t>(kind)];
    layers.push_back(one);
  }
  json activations;
  for (const HeadKind kind : kHeadKinds)
    activations[std::string(letter(kind))] = std::string(name(a.activation(kind)));
  return {{"input", {{"context", a.input.context}, {"values", a.input.values}, {"classes", a.input.classes}}},
          {"form", text_of(kForms, a.form)},
          {"outputs", a.outputs},
          {"basis",
           {{"kind", std::string(name(a.basis.kind))},
            {"extra", a.basis.extra},
            {"response_only", a.basis.response_only}}},
          {"layers", layers},
          {"skip", text_of(kSkips, a.skip)},
          {"activations", activations},
          {"lambda", text_of(kSigns, a.lambda)},
          {"readout",
           {{"present", a.readout.present},
            {"bias", a.readout.bias},
            {"sign", text_of(kSigns, a.readout.sign)}}}};
}

Architecture architecture_from_json(const json& value) {
  const JsonField root(value, "architecture");
  Architecture a;
  a.input = {.context = root["input"]["context"].integer(0, kMostColumns),
             .values = root["input"]["values"].integer(0, kMostColumns),
             .classes = root["input"]["classes"].integer(0, kMostColumns)};
  a.form = value_of(kForms, root["form"]);
  a.outputs = root["outputs"].integer(1, kMostColumns);
  a.basis.kind = root["basis"]["kind"].name([](const std::string& given) -> std::optional<BasisKind> {
    const auto found = std::ranges::find(kBasisKinds, given, [](BasisKind one) { return name(one); });
    return found == kBasisKinds.end() ? std::nullopt : std::optional(*found);
  });
  a.basis.response_only = root["basis"]["response_only"].flag();
  for (const JsonField& term : root["basis"]["extra"].elements()) {
    Term factors;
    for (const JsonField& factor : term.elements())
      factors.push_back(static_cast<std::int32_t>(factor.integer(0, a.input.size() - 1)));
    a.basis.extra.push_back(std::move(factors));
  }
  for (const JsonField& layer : root["layers"].elements()) {
    LayerSpec spec{.blocks = layer["blocks"].integer(1, kMostBlocks)};
    for (const HeadKind kind : kHeadKinds) {
      auto& degrees = spec.degrees[static_cast<std::size_t>(kind)];
      degrees.clear();
      for (const JsonField& degree : layer[std::string(letter(kind))].elements())
        degrees.push_back(static_cast<int>(degree.integer(1, kHighestDegree)));
      if (degrees.size() > kMostHeads) layer.fail("has more heads than can be");
    }
    a.layers.push_back(std::move(spec));
  }
  a.skip = value_of(kSkips, root["skip"]);
  for (const HeadKind kind : kHeadKinds) {
    const JsonField field = root["activations"][std::string(letter(kind))];
    a.activations[static_cast<std::size_t>(kind)] =
        field.name([](const std::string& text) -> std::optional<Activation> {
          try {
            return activation_from_name(text);
          } catch (const UsageError&) {
            return std::nullopt;
          }
        });
  }
  a.lambda = value_of(kSigns, root["lambda"]);
  a.readout = {.present = root["readout"]["present"].flag(),
               .bias = root["readout"]["bias"].flag(),
               .sign = value_of(kSigns, root["readout"]["sign"])};
  try {
    validate(a);
  } catch (const UsageError& error) {
    root.fail(error.what());
  }
  return a;
}

}  // namespace bl
