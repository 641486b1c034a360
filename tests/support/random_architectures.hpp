// Small architectures of every kind: the product of bases, skips, activations and heads, and random problems
// for them whose heads stand clear of every kink.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/reference/loss.hpp"
#include "support/kinks.hpp"
#include "support/random_problem.hpp"

namespace bl::test {

struct BasisCase {
  std::string name;
  BasisKind kind;
  bool response_only;
  bool mixed_degrees;
};
inline const std::vector<BasisCase> kBases = {
    {"affine", BasisKind::affine, false, false},
    {"affine_response_only", BasisKind::affine, true, false},
    {"monomials_2", BasisKind::monomials, false, false},
    {"monomials_mixed_3", BasisKind::monomials, false, true},
    {"monomials_mixed_3_response_only", BasisKind::monomials, true, true},
    {"affine_plus", BasisKind::affine_plus, false, false},
    {"affine_plus_response_only", BasisKind::affine_plus, true, false},
    {"listed", BasisKind::listed, false, false},
    {"listed_response_only", BasisKind::listed, true, false},
};

struct SkipCase {
  std::string name;
  Skip skip;
  std::vector<Index> widths;
};
inline const std::vector<SkipCase> kSkips = {
    {"none", Skip::none, {2, 3}},
    {"input", Skip::input, {2, 2}},
    {"dense", Skip::dense, {2, 1, 2}},
    {"residual_equal", Skip::residual, {2, 2}},
    {"residual_unequal", Skip::residual, {1, 3, 2}},
    {"single_block", Skip::none, {1}},  // and no readout
};

inline const std::vector<std::array<Activation, 3>> kActivations = [] {
  std::vector<std::array<Activation, 3>> all;
  for (const Activation u : activations_of(HeadKind::utility))
    for (const Activation c : activations_of(HeadKind::inequality))
      for (const Activation t : activations_of(HeadKind::equality)) all.push_back({u, c, t});
  return all;
}();

// Heads of each kind per block: several, and every way of leaving kinds out.
inline const std::vector<std::array<int, 3>> kHeads = {{1, 1, 1}, {2, 1, 2}, {1, 2, 1}, {0, 1, 1}, {1, 0, 1},
                                                       {1, 1, 0}, {1, 0, 0}, {0, 0, 2}, {0, 2, 0}, {2, 2, 1}};

// Squares, mixed products and a cube over z, as far as the input has such columns.
inline std::vector<Term> chosen_terms(const InputShape& shape) {
  const auto last = static_cast<std::int32_t>(shape.size() - 1);
  std::vector<Term> terms = {{0, last}, {last, last}, {0, 0, last}};
  if (shape.values > 0) {
    const auto v = static_cast<std::int32_t>(shape.context);
    if (v != last) terms.push_back({v, last});
    if (v != last) terms.push_back({v, v, v});
    terms.push_back({0, v, v});
  }
  return terms;
}

struct Variant {
  std::array<Activation, 3> activations;
  BasisCase basis;
  SkipCase skip;
  std::array<int, 3> heads;
  Sign lambda, readout;
  bool readout_bias;
};

inline Architecture architecture_of(Task task, const Variant& variant) {
  Architecture a;
  a.input = input_shape(task);
  if (vector_form(task)) {
    a.form = Form::vector;
    a.outputs = 3;
  }
  a.basis.kind = variant.basis.kind;
  a.basis.response_only = variant.basis.response_only;
  if (a.basis.kind == BasisKind::affine_plus || a.basis.kind == BasisKind::listed)
    a.basis.extra = chosen_terms(a.input);
  if (a.basis.kind == BasisKind::listed) {  // out of order, and without some inputs of the context
    for (Index i = a.input.size(); i-- > a.input.context;)
      a.basis.extra.push_back({static_cast<std::int32_t>(i)});
    if (task == Task::vector) a.basis.extra.push_back({1});
  }
  for (const Index width : variant.skip.widths) {
    LayerSpec layer{.blocks = width, .degrees = {}};
    for (std::size_t k = 0; k < 3; ++k)
      for (int h = 0; h < variant.heads[k]; ++h)
        layer.degrees[k].push_back(variant.basis.mixed_degrees ? 1 + (h + static_cast<int>(k)) % 3 : 2);
    a.layers.push_back(layer);
  }
  a.skip = variant.skip.skip;
  a.activations = variant.activations;
  a.lambda = variant.lambda;
  a.readout = {.present = variant.skip.name != "single_block" || vector_form(task),
               .bias = variant.readout_bias,
               .sign = variant.readout};
  return a;
}

inline std::string describe(Task task, const Variant& v) {
  std::string text = name(task);
  text.append(", basis ").append(v.basis.name).append(", skip ").append(v.skip.name).append(", activations");
  for (const Activation a : v.activations) text.append(" ").append(bl::name(a));
  text += ", heads";
  for (const int h : v.heads) text.append(" ").append(std::to_string(h));
  return text;
}

// The variant that stands at this place of a walk through all bases, skips and activations: the rest changes
// from one to the next.
inline Variant variant_at(std::size_t number, const BasisCase& basis, const SkipCase& skip,
                          const std::array<Activation, 3>& activations) {
  return {.activations = activations,
          .basis = basis,
          .skip = skip,
          .heads = kHeads[number % kHeads.size()],
          .lambda = number % 3 == 0 ? Sign::free : Sign::non_negative,
          .readout = number % 2 == 0 ? Sign::free : Sign::non_negative,
          .readout_bias = number % 5 < 3};
}

inline std::vector<SkipCase> skips_of(Task task) {
  if (task != Task::density_exact) return kSkips;
  return {kSkips.back(), {"one_layer", Skip::none, {3}}};
}

// Every variant of a task: the product of bases, skips and activations. Of an exact normaliser one basis
// alone, in as many rounds, which differ in heads and signs.
template <class F>
void for_each_variant(Task task, const F& f) {
  constexpr std::size_t kStride = 12;  // so that a new activation, last in the list, leaves other draws alone
  std::size_t first = static_cast<std::size_t>(task);
  const bool exact = task == Task::density_exact;
  for (const BasisCase& one : kBases) {
    const BasisCase& basis = exact ? kBases[0] : one;
    if (vector_form(task) && basis.response_only) continue;
    for (const SkipCase& skip : skips_of(task)) {
      std::size_t number = first;
      first += kStride;
      for (const auto& activations : kActivations) {
        const Variant variant = variant_at(++number, basis, skip, activations);
        if (exact && !piecewise::has_lines(architecture_of(task, variant))) continue;
        SCOPED_TRACE(describe(task, variant));
        f(variant);
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

// How many heads stood below and above each kink, over all problems checked.
using Sides = std::map<std::pair<Activation, double>, std::array<std::int64_t, 2>>;

// No closer to a kink than this: more than any head moves within the longest step, 2 * 6e-6 times |features|.
inline constexpr double kKinkMargin = 2e-4;

// A loss closer to zero than this is what rounding leaves of scores that differ by much: its differences have
// no digits.
inline constexpr double kLeastLoss = 1e-3;

struct Instance {
  Problem<double> problem;
  std::vector<double> parameters;
  std::uint64_t seed = 0;
};

// Every head of every point at which the loss of these rows evaluates the utility.
inline void visit_heads(const Instance& drawn, const Network<double>& network, const HeadVisitor& visit) {
  const Objective<double> objective(network, drawn.problem.spec, drawn.problem.data());
  const reference::Loss<double> loss(objective);
  const reference::Utility utility(network.architecture(), network.layout(), drawn.parameters);
  const auto visit_all = [&](const std::vector<reference::Candidate>& points) {
    for (const reference::Candidate& point : points)
      visit_heads(utility.trace(point.z), network.architecture(), visit);
  };
  for (Index row = 0; row < drawn.problem.rows; ++row) {
    if (drawn.problem.spec.kind != ObjectiveKind::score_matching) {
      const reference::Choice choice = loss.choice(utility, row, drawn.problem.given_noise());
      // Nodes between kinks come near them in any case; their heads count little there and jump nowhere.
      if (drawn.problem.spec.exact && choice.observed.size() > 1) continue;
      if (!drawn.problem.spec.exact) visit_all(choice.candidates);
      visit_all(choice.observed);
    }
    if (drawn.problem.spec.kind != ObjectiveKind::likelihood)
      visit_all(loss.noisy_points(row, drawn.problem.given_noise()));
  }
}

// Draws again until no head of any evaluated point is near a kink and the loss has digits.
inline std::optional<Instance> draw(Task task, const Variant& variant, const Network<double>& network,
                                    Index rows, Sides& sides) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Instance drawn{random_problem<double>(task, architecture_of(task, variant), rows, seed),
                   random_parameters(network.layout(), seed), seed};
    bool clear = true;
    Sides here;
    visit_heads(drawn, network, [&](Activation a, double head) {
      for (const double kink : kinks(a)) {
        clear = clear && std::abs(head - kink) > kKinkMargin;
        ++here[{a, kink}][head > kink ? 1 : 0];
      }
    });
    if (!clear) continue;
    const Context job(1);
    if (std::abs(LibraryLoss<double>(drawn.problem, network, job)(drawn.parameters)) < kLeastLoss) continue;
    for (const auto& [kink, count] : here)
      for (std::size_t side = 0; side < 2; ++side) sides[kink][side] += count[side];
    return drawn;
  }
  return std::nullopt;
}

}  // namespace bl::test
