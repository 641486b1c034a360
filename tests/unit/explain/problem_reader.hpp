// The problem from its JSON: whether that holds everything is shown by making it again.
#pragma once

#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "bl/errors.hpp"
#include "explain/problem.hpp"
#include "features/json_fields.hpp"

namespace bl::explain {

template <class Enum, std::size_t N>
Enum value_of(const std::array<std::string_view, N>& names, const JsonField& field) {
  return field.name([&](const std::string& given) -> std::optional<Enum> {
    for (std::size_t i = 0; i < N; ++i)
      if (names[i] == given) return static_cast<Enum>(i);
    return std::nullopt;
  });
}

class ProblemReader {
 public:
  Problem read(const nlohmann::json& json) {
    const JsonField root(json, "problem");
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
  static constexpr std::array<std::string_view, 5> kKinds = {"number", "place", "level", "missing", "block"};
  static constexpr std::array<std::string_view, 2> kUnits = {"original", "standardised"};

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

}  // namespace bl::explain
