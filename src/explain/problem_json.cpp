#include "explain/problem_json.hpp"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/finite_json.hpp"
#include "explain/curve_words.hpp"
#include "explain/hierarchy.hpp"

namespace bl::explain {

namespace {

using nlohmann::json;

constexpr std::array<std::string_view, 6> kKinds = {"number", "place", "level", "missing", "block", "bend"};
constexpr std::array<std::string_view, 2> kUnits = {"original", "standardised"};

template <class Enum, std::size_t N>
std::string text_of(const std::array<std::string_view, N>& names, Enum value) {
  return std::string(names[static_cast<std::size_t>(value)]);
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

  json write(const Monomial::Curve& curve) const {
    const Pieces& p = curve.pieces;
    json out = {{"variable", p_.variables[curve.variable].name},
                {"kind", to_string(p.kind)},
                {"knots", p.knots},
                {"values", p.values},
                {"ends", p.straight_ends ? "straight" : "constant"},
                {"in_words", curve_in_words(p_, curve)}};
    if (!p.slopes.empty()) out["slopes"] = p.slopes;
    if (p.period > 0) out["period"] = p.period;
    if (curve.band) out["band"] = write(*curve.band);
    return out;
  }

  json write(const Monomial::Product& product) const {
    const Surface& s = product.surface;
    const std::size_t width = s.second.knots.size();
    json out = {
        {"variables", {p_.variables[product.variables[0]].name, p_.variables[product.variables[1]].name}},
        {"knots", {s.first.knots, s.second.knots}},
        {"periods", {s.first.period, s.second.period}},
        {"values", finite_rows(s.values, width)},
        {"in_words", product_in_words(p_, product)}};
    if (product.errors) {
      out["standard_errors"] = finite_rows(product.errors->at_knots, width);
      out["no_effect"] = write(product.errors->flat);
    }
    return out;
  }

  static json write(const WaldTest& test) {
    return {
        {"chi_squared", finite(test.statistic)}, {"degrees_of_freedom", test.degrees}, {"p", finite(test.p)}};
  }

  static json write(const Band& band) {
    json out = {{"at", band.at},
                {"values", band.values},
                {"standard_errors", finite(band.errors)},
                {"no_effect", write(band.flat)}};
    if (band.straight) out["straight_line"] = write(*band.straight);
    return out;
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
        if (term.curve) terms.back()["curve"] = write(*term.curve);
        if (term.product) terms.back()["product"] = write(*term.product);
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

}  // namespace bl::explain
