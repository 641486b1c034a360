#include "evidence/known_models.hpp"

#include <fmt/format.h>

#include "base/joined.hpp"
#include "bl/errors.hpp"
#include "inference/canonical.hpp"

namespace bl::simulation {

namespace {

// A head in effective values: its weight, then coefficients in the order of what it reads, then the bias
// where later layers have one.
struct PlantedHead {
  HeadKind kind;
  double lambda;
  std::vector<double> coefficients;
  double bias = 0;
};
using PlantedBlock = std::vector<PlantedHead>;
using PlantedLayer = std::vector<PlantedBlock>;

constexpr HeadKind kU = HeadKind::utility, kC = HeadKind::inequality, kT = HeadKind::equality;

LayerSpec shape_of(const PlantedLayer& layer) {
  LayerSpec spec{.blocks = static_cast<Index>(layer.size()), .degrees = {}};
  for (const PlantedHead& head : layer.front())
    spec.degrees[static_cast<std::size_t>(head.kind)].push_back(1);
  return spec;
}

// Writes the heads of a layer; blocks of a layer have the same heads.
void write_layer(const inference::ParameterMap& map, std::size_t layer, const PlantedLayer& blocks,
                 std::vector<double>& effective) {
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    std::array<std::size_t, 3> next = {};
    for (const PlantedHead& head : blocks[b]) {
      const inference::HeadPlace& place =
          map.heads_of(layer, static_cast<Index>(b), head.kind)[next[static_cast<std::size_t>(head.kind)]++];
      if (static_cast<Index>(head.coefficients.size()) != place.columns)
        throw UsageError(fmt::format("head {} has {} coefficients and reads {} columns", head_name(place),
                                     head.coefficients.size(), place.columns));
      std::copy(head.coefficients.begin(), head.coefficients.end(), effective.begin() + place.weights);
      if (place.bias >= 0) effective[static_cast<std::size_t>(place.bias)] = head.bias;
      effective[static_cast<std::size_t>(place.lambda)] = head.lambda;
    }
  }
}

Architecture on_terms(std::vector<Term> terms) {
  Architecture a;
  a.basis.kind = BasisKind::listed;
  a.basis.extra = std::move(terms);
  return a;
}

// Fills architecture and parameters; no readout for a single block. Data decide nothing but the canonical
// form, so that is what is planted.
void plant(PlantedProblem& p, Architecture a, const std::vector<PlantedLayer>& layers,
           const std::vector<double>& readout) {
  if (p.choice_sets)
    for (const Column& attribute : p.choice_sets->attributes) p.value_names.push_back(attribute.name);
  a.input = {.context = static_cast<Index>(p.context.size()),
             .values = static_cast<Index>(p.value_names.size()),
             .classes = static_cast<Index>(p.class_names.size())};
  a.readout.present = !readout.empty();
  for (const PlantedLayer& layer : layers) a.layers.push_back(shape_of(layer));
  p.architecture = std::move(a);
  const inference::ParameterMap map(p.architecture);
  std::vector<double> effective(static_cast<std::size_t>(map.layout().size()), 0.0);
  for (std::size_t l = 0; l < layers.size(); ++l) write_layer(map, l, layers[l], effective);
  std::copy(readout.rbegin(), readout.rend(), effective.rbegin());
  p.parameters = inference::canonical_form(p.architecture, map.raw(effective)).parameters;
}

// Three ways to work; what speaks for a way and against it depends on a column of its own.
PlantedProblem class_frame(std::string name, std::string description, ColumnDistribution distribution,
                           double first, double second) {
  return {.name = std::move(name),
          .description = std::move(description),
          .architecture = {},
          .parameters = {},
          .context = {{"distance", distribution, first, second}, {"rain", distribution, first, second}},
          .response = "way",
          .value_names = {},
          .class_names = {"walk", "bus", "car"},
          .support = {},
          .temperature = 1,
          .choice_sets = {}};
}

PlantedProblem number_frame(std::string name, std::string description) {
  return {.name = std::move(name),
          .description = std::move(description),
          .architecture = {},
          .parameters = {},
          .context = {{"need", ColumnDistribution::uniform, -1, 1}},
          .response = "amount",
          .value_names = {"amount"},
          .class_names = {},
          .support = {{-5}, {5}},
          .temperature = 1,
          .choice_sets = {}};
}

PlantedProblem choice_frame(std::string name, std::string description) {
  return {.name = std::move(name),
          .description = std::move(description),
          .architecture = {},
          .parameters = {},
          .context = {},
          .response = "product",
          .value_names = {},
          .class_names = {},
          .support = {},
          .temperature = 1,
          .choice_sets = ChoiceSets{.smallest = 8,
                                    .largest = 8,
                                    .availability = 1,
                                    .attributes = {{"quality", ColumnDistribution::normal, 0, 3},
                                                   {"price", ColumnDistribution::normal, 0, 3}}}};
}

const Architecture kOfClasses = identifiable(on_terms({{0, 3}, {1, 3}, {0, 4}, {1, 4}}));
const Architecture kOfNumber = identifiable(on_terms({{1}, {0, 1}}));
const Architecture kOfChoice = identifiable(on_terms({{0}, {1}}));

PlantedProblem single_class() {
  PlantedProblem p = class_frame("single_class", "Commuters walk, take the bus or the car.",
                                 ColumnDistribution::normal, 0, 2);
  plant(p, kOfClasses, {{{{kU, 6, {0.2, 1.6, 1.3, 0.9}}, {kC, 8, {-0.35, 1.4, 0.4, 0.15}}}}}, {});
  return p;
}

PlantedProblem single_number() {
  PlantedProblem p = number_frame("single_number", "A household decides how much to spend.");
  plant(p, kOfNumber, {{{{kU, 4, {0.3, 1.2}}, {kT, 1, {0.8, 0.15}}}}}, {});
  return p;
}

PlantedProblem single_choice() {
  PlantedProblem p = choice_frame("single_choice", "A shopper picks one of eight products.");
  plant(p, kOfChoice, {{{{kU, 4.5, {0.7, -0.5}}, {kC, 6.5, {1.6, 0.3}}}}}, {});
  return p;
}

PlantedProblem shallow_class() {
  PlantedProblem p = class_frame("shallow_class", "Commuters weigh two concerns against each other.",
                                 ColumnDistribution::uniform, -4, 4);
  plant(p, kOfClasses, {{{{kU, 1, {-0.7, 1.05, -0.05, 0.45}}}, {{kU, 1, {1.25, 0, 0.6, 0}}}}}, {9.3, 8.4});
  return p;
}

PlantedProblem shallow_number() {
  PlantedProblem p = number_frame("shallow_number", "A household weighs pleasure and prudence.");
  plant(p, kOfNumber, {{{{kU, 1, {-0.4, 1}}}, {{kU, 1, {0.5, 1}}}}}, {5, 4});
  return p;
}

PlantedProblem shallow_choice() {
  PlantedProblem p = choice_frame("shallow_choice", "A shopper weighs quality and price.");
  plant(p, kOfChoice, {{{{kU, 1, {0.25, -0.05}}}, {{kU, 1, {-1.4, -0.6}}}}, {{{kU, 1, {3.2, 1.7}, -0.85}}}},
        {5});
  return p;
}

PlantedProblem deep_class() {
  PlantedProblem p =
      class_frame("deep_class", "Commuters, in three layers.", ColumnDistribution::uniform, -4, 4);
  plant(p, kOfClasses,
        {{{{kU, 1, {1, 0.3, -0.3, 1}}}, {{kU, 1, {-0.4, 1, 1, 0.4}}}},
         {{{kU, 1, {2, 1}, 0.3}}},
         {{{kU, 1, {1.5}, 0.5}}}},
        {3});
  return p;
}

PlantedProblem deep_number() {
  PlantedProblem p = number_frame("deep_number", "A household, in three layers.");
  plant(p, kOfNumber,
        {{{{kU, 1, {1.5, 0.3}}}, {{kU, 1, {-0.2, 1.5}}}}, {{{kU, 1, {2, 1}, 0.3}}}, {{{kU, 1, {1.5}, 0.5}}}},
        {3});
  return p;
}

PlantedProblem deep_choice() {
  PlantedProblem p = choice_frame("deep_choice", "A shopper, in three layers.");
  plant(p, kOfChoice,
        {{{{kU, 1, {1, -0.2}}}, {{kU, 1, {0.2, -1}}}}, {{{kU, 1, {2, 1.5}, 0.5}}}, {{{kU, 1, {1.5}, 0.5}}}},
        {4});
  return p;
}

std::string input_name(const PlantedProblem& problem, std::int32_t input) {
  auto position = static_cast<std::size_t>(input);
  if (position < problem.context.size()) return problem.context[position].name;
  position -= problem.context.size();
  if (position < problem.value_names.size()) return problem.value_names[position];
  return "[" + problem.class_names.at(position - problem.value_names.size()) + "]";
}

// The budget is a soft constraint: 1 beyond it costs as much utility as 2.5 of quality. No two coefficients
// of the constraint are of one size, so that the largest, whose sign is positive by rule, does not depend on
// the draw.
PlantedProblem planted_shopper() {
  PlantedProblem p =
      choice_frame("shopper",
                   "A shopper picks one of four products: quality is wanted, the price is minded a "
                   "little, and it should not exceed four fifths of the budget.");
  p.context = {{"budget", ColumnDistribution::uniform, 0.5, 3}};
  p.choice_sets = ChoiceSets{.smallest = 4,
                             .largest = 4,
                             .availability = 1,
                             .attributes = {{"quality", ColumnDistribution::uniform, 0, 2},
                                            {"price", ColumnDistribution::uniform, 0.5, 3.5}}};
  Architecture a = on_terms({{1}, {2}, {0}});
  a.activations = {Activation::identity, Activation::relu, Activation::square};
  plant(p, a, {{{{kU, 1, {2, -0.5, 0}}, {kC, 1, {0, 5, -4}}}}}, {});
  return p;
}

}  // namespace

const PlantedProblem& shopper() {
  static const PlantedProblem problem = planted_shopper();
  return problem;
}

const std::vector<PlantedProblem>& known_models() {
  static const std::vector<PlantedProblem> all = {single_class(),  single_number(),  single_choice(),
                                                  shallow_class(), shallow_number(), shallow_choice(),
                                                  deep_class(),    deep_number(),    deep_choice()};
  return all;
}

const PlantedProblem& known_model(std::string_view name) {
  for (const PlantedProblem& model : known_models())
    if (model.name == name) return model;
  throw UsageError(
      fmt::format("there is no known model '{}'; known: {}", name,
                  joined(known_models(), ", ", [](const PlantedProblem& model) { return model.name; })));
}

std::string term_name(const PlantedProblem& problem, const Term& term) {
  std::string text;
  for (std::size_t i = 0; i < term.size();) {
    std::size_t next = i;
    while (next < term.size() && term[next] == term[i]) ++next;
    if (!text.empty()) text += '*';
    text += input_name(problem, term[i]);
    if (next - i > 1) text += fmt::format("^{}", next - i);
    i = next;
  }
  return text;
}

ObjectiveSpec likelihood_objective(const PlantedProblem& problem) {
  constexpr int kPanels = 4;  // of 8 nodes: off by less than a fifth of an error at 32,000 rows
  ObjectiveSpec spec;
  spec.temperature = problem.temperature;
  if (problem.kind() == ResponseKind::continuous) spec.rule = composite_rule(problem.support, kPanels);
  return spec;
}

std::vector<std::string> parameter_names(const PlantedProblem& problem) {
  const inference::ParameterMap map(problem.architecture);
  const Architecture& a = problem.architecture;
  const std::vector<Term> terms = basis_terms(a.basis, a.input, a.degree());
  std::vector<std::string> names(static_cast<std::size_t>(map.layout().size()));
  const auto at = [&](Index position) -> std::string& { return names[static_cast<std::size_t>(position)]; };
  for (const inference::HeadPlace& head : map.heads()) {
    std::string prefix = a.layers.size() > 1 ? fmt::format("L{}.", head.layer + 1) : "";
    if (a.layers[head.layer].blocks > 1) prefix += fmt::format("B{}.", head.block + 1);
    prefix += letter(head.kind);
    if (a.layers[head.layer].heads(head.kind) > 1) prefix += fmt::format("{}", head.head + 1);
    for (Index c = 0; c < head.columns; ++c)
      at(head.weights + c) = prefix + '.' +
                             (head.layer == 0 ? term_name(problem, terms[static_cast<std::size_t>(c)])
                                              : fmt::format("L{}.B{}", head.layer, c + 1));
    if (head.bias >= 0) at(head.bias) = prefix + ".bias";
    at(head.lambda) = prefix + ".lambda";
  }
  for (const TensorInfo& tensor : map.layout().tensors())
    for (Index i = 0; tensor.role == TensorRole::readout_weight && i < tensor.size(); ++i)
      at(tensor.offset + i) = fmt::format("readout.{}", i + 1);
  return names;
}

}  // namespace bl::simulation
