#include "explain/problem_json.hpp"

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "bl/errors.hpp"
#include "explain/hierarchy.hpp"
#include "features/json_fields.hpp"

namespace bl::explain {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 5> kKinds = {"number", "place", "level", "missing", "block"};
constexpr std::array<std::string_view, 2> kUnits = {"original", "standardised"};

template <class Enum, std::size_t N>
std::string text_of(const std::array<std::string_view, N>& names, Enum value) {
  return std::string(names[static_cast<std::size_t>(value)]);
}

template <class Enum, std::size_t N>
Enum value_of(const std::array<std::string_view, N>& names, const JsonField& field) {
  return field.name([&](const std::string& given) -> std::optional<Enum> {
    for (std::size_t i = 0; i < N; ++i)
      if (names[i] == given) return static_cast<Enum>(i);
    return std::nullopt;
  });
}

class Writer {
 public:
  explicit Writer(const Problem& problem) : p_(problem) {}

  json write() const {
    json variables = json::array(), layers = json::array(), outputs = json::array();
    for (const Variable& v : p_.variables)
      variables.push_back({{"name", v.name},
                           {"kind", text_of(kKinds, v.kind)},
                           {"column", v.column},
                           {"level", v.level},
                           {"response", v.response},
                           {"mean", v.mean},
                           {"scale", v.scale},
                           {"fill", v.fill}});
    for (const auto& layer : p_.layers) {
      json blocks = json::array();
      for (const Block& block : layer) blocks.push_back(write(block));
      layers.push_back(std::move(blocks));
    }
    for (const Output& output : p_.outputs)
      outputs.push_back(
          {{"name", output.name}, {"constant", output.constant}, {"blocks", write(output.blocks)}});
    return {{"units", text_of(kUnits, p_.units)},
            {"response", p_.response},
            {"temperature", p_.temperature},
            {"variables", variables},
            {"layers", layers},
            {"outputs", outputs}};
  }

 private:
  json write(const std::vector<BlockWeight>& weights) const {
    json all = json::array();
    for (const BlockWeight& one : weights)
      all.push_back({{"block", p_.variables[one.variable].name}, {"weight", one.weight}});
    return all;
  }

  json write(const Block& block) const {
    json heads = json::array();
    for (const Head& head : block.heads) {
      json terms = json::array();
      for (const Monomial& term : head.terms) {
        json factors = json::array();
        for (const Factor& factor : term.factors)
          factors.push_back({{"variable", p_.variables[factor.variable].name}, {"power", factor.power}});
        terms.push_back({{"coefficient", term.coefficient}, {"size", term.size}, {"factors", factors}});
      }
      heads.push_back({{"name", head.name},
                       {"kind", std::string(letter(head.kind))},
                       {"activation", std::string(bl::name(head.activation))},
                       {"lambda", head.lambda},
                       {"constant", head.constant},
                       {"terms", terms}});
    }
    return {{"name", block.name}, {"heads", heads}, {"carried", write(block.carried)}};
  }

  const Problem& p_;
};

class Parser {
 public:
  Problem parse(const JsonField& root) {
    p_.units = value_of<Units>(kUnits, root["units"]);
    p_.response = root["response"].text();
    p_.temperature = root["temperature"].number();
    for (const JsonField& field : root["variables"].elements()) add_variable(field);
    for (const JsonField& layer : root["layers"].elements()) {
      p_.layers.emplace_back();
      for (const JsonField& block : layer.elements()) p_.layers.back().push_back(block_of(block));
    }
    for (const JsonField& field : root["outputs"].elements())
      p_.outputs.push_back({.name = field["name"].text(),
                            .constant = field["constant"].number(),
                            .blocks = weights_of(field["blocks"])});
    return std::move(p_);
  }

 private:
  void add_variable(const JsonField& field) {
    Variable v{.name = field["name"].text(),
               .kind = value_of<VariableKind>(kKinds, field["kind"]),
               .column = field["column"].text(),
               .level = field["level"].text(),
               .response = field["response"].flag(),
               .mean = field["mean"].number(),
               .scale = field["scale"].number(),
               .fill = field["fill"].number()};
    if (!places_.emplace(v.name, p_.variables.size()).second) field.fail("repeats the name " + v.name);
    p_.variables.push_back(std::move(v));
  }

  std::size_t variable(const JsonField& field) const {
    const auto found = places_.find(field.text());
    if (found == places_.end()) field.fail("names no variable");
    return found->second;
  }

  std::vector<BlockWeight> weights_of(const JsonField& field) const {
    std::vector<BlockWeight> all;
    for (const JsonField& one : field.elements())
      all.push_back({variable(one["block"]), one["weight"].number()});
    return all;
  }

  Head head_of(const JsonField& field) const {
    constexpr std::int64_t kHighestPower = 64;
    Head head{.name = field["name"].text()};
    head.kind = field["kind"].name([](const std::string& text) -> std::optional<HeadKind> {
      for (const HeadKind kind : kHeadKinds)
        if (letter(kind) == text) return kind;
      return std::nullopt;
    });
    head.activation = field["activation"].name([](const std::string& text) -> std::optional<Activation> {
      try {
        return activation_from_name(text);
      } catch (const UsageError&) {
        return std::nullopt;
      }
    });
    head.lambda = field["lambda"].number();
    head.constant = field["constant"].number();
    for (const JsonField& term : field["terms"].elements()) {
      Monomial monomial{.coefficient = term["coefficient"].number(), .size = term["size"].number()};
      for (const JsonField& factor : term["factors"].elements())
        monomial.factors.push_back(
            {variable(factor["variable"]), static_cast<int>(factor["power"].integer(1, kHighestPower))});
      head.terms.push_back(std::move(monomial));
    }
    return head;
  }

  Block block_of(const JsonField& field) const {
    Block block{.name = field["name"].text(), .variable = variable(field["name"])};
    for (const JsonField& head : field["heads"].elements()) block.heads.push_back(head_of(head));
    block.carried = weights_of(field["carried"]);
    return block;
  }

  Problem p_;
  std::map<std::string, std::size_t> places_;
};

}  // namespace

json to_json(const Problem& problem) {
  return Writer(problem).write();
}

json explain_json(const Problem& problem, const std::vector<FactorReading>& readings) {
  constexpr std::size_t kProfileTerms = 3;
  json layers = json::array(), factors = json::array();
  for (const auto& layer : hierarchy(problem, kProfileTerms)) {
    json blocks = json::array();
    for (const BlockProfile& profile : layer) {
      json reads = json::array();
      for (const Aggregation& one : profile.reads)
        reads.push_back({{"block", problem.variables[one.variable].name},
                         {"share", one.share},
                         {"head_weights", one.head_weights},
                         {"carried", one.carried}});
      blocks.push_back({{"block", profile.block->name},
                        {"influence", profile.influence},
                        {"profile", profile.dominant},
                        {"in_words", profile.words},
                        {"reads", reads}});
    }
    layers.push_back(std::move(blocks));
  }
  for (const FactorReading& reading : readings)
    factors.push_back({{"head", reading.head},
                       {"reading", reading_text(problem, reading)},
                       {"terms", reading.terms},
                       {"error", reading.error}});
  json out = to_json(problem);
  out["hierarchy"] = std::move(layers);
  out["readings"] = std::move(factors);
  return out;
}

Problem problem_from_json(const json& value) {
  return Parser().parse(JsonField(value, "problem"));
}

}  // namespace bl::explain
