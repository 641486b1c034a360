#include "support/planted/problems.hpp"

#include <fmt/format.h>

#include <utility>

#include "base/joined.hpp"
#include "bl/errors.hpp"
#include "support/planted/planted_block.hpp"

namespace bl::simulation {

namespace {

// A single block on exactly these terms, with a head of each kind that `block` has.
void plant(PlantedProblem& problem, std::vector<Term> terms, std::array<Activation, 3> activations,
           const Block& block) {
  if (problem.choice_sets)
    for (const Column& attribute : problem.choice_sets->attributes)
      problem.value_names.push_back(attribute.name);
  Architecture& a = problem.architecture;
  a.input = {.context = static_cast<Index>(problem.context.size()),
             .values = static_cast<Index>(problem.value_names.size()),
             .classes = static_cast<Index>(problem.class_names.size())};
  a.basis.kind = BasisKind::listed;
  a.basis.extra = std::move(terms);
  a.activations = activations;
  a.readout.present = false;
  LayerSpec layer{.blocks = 1, .degrees = {}};
  for (std::size_t kind = 0; kind < block.size(); ++kind)
    if (block[kind]) layer.degrees[kind] = {1};
  a.layers = {layer};
  problem.parameters = raw_parameters(a, block);
}

constexpr std::array<Activation, 3> kPlain = {Activation::identity, Activation::relu, Activation::square};

// P(yes) = logistic(0.5 + 1.2 age - 0.8 fee).
PlantedProblem binary_logit() {
  PlantedProblem p{
      .name = "binary_logit",
      .description = "People accept or decline an offer; age counts in favour, the fee against.",
      .architecture = {},
      .parameters = {},
      .context = {{"age", ColumnDistribution::normal, 0, 1}, {"fee", ColumnDistribution::normal, 0, 1}},
      .response = "accepts",
      .value_names = {},
      .class_names = {"no", "yes"},
      .support = {},
      .temperature = 1,
      .choice_sets = {}};
  p.architecture.basis.response_only = true;
  plant(p, {{3}, {0, 3}, {1, 3}}, kPlain, {Head{1, 0, {0.5, 1.2, -0.8}}});
  return p;
}

// The budget is a soft constraint: 1 over budget costs as much utility as 2 of quality.
PlantedProblem shopper() {
  PlantedProblem p{
      .name = "shopper",
      .description =
          "A shopper picks one of four products: quality is wanted, the price is "
          "minded a little, and it should not exceed the budget.",
      .architecture = {},
      .parameters = {},
      .context = {{"budget", ColumnDistribution::uniform, 0.5, 3}},
      .response = "product",
      .value_names = {},
      .class_names = {},
      .support = {},
      .temperature = 1,
      .choice_sets = ChoiceSets{.smallest = 4,
                                .largest = 4,
                                .availability = 1,
                                .attributes = {{"quality", ColumnDistribution::uniform, 0, 2},
                                               {"price", ColumnDistribution::uniform, 0.5, 3.5}}}};
  plant(p, {{1}, {2}, {0}}, kPlain, {Head{1, 0, {2, -0.5, 0}}, Head{4, 0, {0, 1, -1}}});
  return p;
}

// Diminishing returns to units, and units * price <= budget.
PlantedProblem basket() {
  PlantedProblem p{.name = "basket",
                   .description =
                       "A shopper buys one, two or three units of a good: every further unit is "
                       "worth less, and all together should not cost more than the budget.",
                   .architecture = {},
                   .parameters = {},
                   .context = {{"price", ColumnDistribution::uniform, 0.5, 2},
                               {"budget", ColumnDistribution::uniform, 0.5, 5}},
                   .response = "units",
                   .value_names = {},
                   .class_names = {"one", "two", "three"},
                   .support = {},
                   .temperature = 1,
                   .choice_sets = {}};
  plant(p, {{3}, {4}, {0, 3}, {0, 4}, {0}, {1}}, kPlain,
        {Head{1, 0, {1.5, 2.5, 0, 0, 0, 0}}, Head{3, 0, {0, 0, 1, 2, 1, -1}}});
  return p;
}

// A conditional logit: the utility of an alternative is quality - (2 - income) * price / 2.
PlantedProblem product_choice() {
  PlantedProblem p{.name = "product_choice",
                   .description =
                       "Customers pick one of the products on the shelf by price and quality; the "
                       "rich mind the price less.",
                   .architecture = {},
                   .parameters = {},
                   .context = {{"income", ColumnDistribution::uniform, -1, 1}},
                   .response = "product",
                   .value_names = {},
                   .class_names = {},
                   .support = {},
                   .temperature = 0.5,
                   .choice_sets = ChoiceSets{.smallest = 2,
                                             .largest = 5,
                                             .availability = 0.8,
                                             .attributes = {{"price", ColumnDistribution::uniform, 0, 3},
                                                            {"quality", ColumnDistribution::normal, 0, 1}}}};
  p.architecture.basis.response_only = true;
  plant(p, {{1}, {2}, {0, 1}}, kPlain, {Head{1, 0, {-1, 1, 0.5}}});
  return p;
}

// Normal with precision 2 t^2 / tau, t = 1 + 0.3 scale, and mean (0.5 + 1.5 price - wage) / (2 t^2).
PlantedProblem producer() {
  PlantedProblem p{.name = "producer",
                   .description =
                       "A producer sets output: margins make more output worthwhile, and a "
                       "quadratic cost of adjustment pulls it back to zero.",
                   .architecture = {},
                   .parameters = {},
                   .context = {{"price", ColumnDistribution::uniform, -1, 1},
                               {"wage", ColumnDistribution::uniform, -1, 1},
                               {"scale", ColumnDistribution::uniform, -1, 1}},
                   .response = "output",
                   .value_names = {"output"},
                   .class_names = {},
                   .support = {{-12}, {12}},
                   .temperature = 0.8,
                   .choice_sets = {}};
  p.architecture.basis.response_only = true;
  plant(p, {{3}, {0, 3}, {1, 3}, {2, 3}}, kPlain,
        {Head{1, 0, {0.5, 1.5, -1, 0}}, std::nullopt, Head{1, 0, {1, 0, 0, 0.3}}});
  return p;
}

// A kink of the density at spending = income.
PlantedProblem consumption() {
  PlantedProblem p{.name = "consumption",
                   .description =
                       "A household chooses how much to spend: it likes spending, less and less, "
                       "and dislikes spending beyond its income.",
                   .architecture = {},
                   .parameters = {},
                   .context = {{"need", ColumnDistribution::uniform, -1, 1},
                               {"income", ColumnDistribution::uniform, 1, 4}},
                   .response = "spending",
                   .value_names = {"spending"},
                   .class_names = {},
                   .support = {{0}, {6}},
                   .temperature = 1,
                   .choice_sets = {}};
  plant(p, {{2}, {0, 2}, {2, 2}, {1}}, kPlain, {Head{1, 0, {2, 0.8, -0.2, 0}}, Head{3, 0, {1, 0, 0, -1}}});
  return p;
}

// All income is to be allocated: |stocks + bonds - income| is penalised on both sides.
PlantedProblem allocation() {
  PlantedProblem p{.name = "allocation",
                   .description =
                       "A saver splits income between stocks and bonds; the two should add up to "
                       "income, and courage favours stocks.",
                   .architecture = {},
                   .parameters = {},
                   .context = {{"courage", ColumnDistribution::uniform, -1, 1},
                               {"income", ColumnDistribution::uniform, 1, 3}},
                   .response = "savings",
                   .value_names = {"stocks", "bonds"},
                   .class_names = {},
                   .support = {{0, 0}, {4, 4}},
                   .temperature = 1,
                   .choice_sets = {}};
  plant(p, {{2}, {3}, {0, 2}, {2, 2}, {3, 3}, {1}}, {Activation::identity, Activation::relu, Activation::abs},
        {Head{1, 0, {1.5, 1, 0.8, -0.5, -0.4, 0}}, std::nullopt, Head{2, 0, {1, 1, 0, 0, 0, -1}}});
  return p;
}

// Given the place, hours (about the usual) are normal: variance 1/2, mean (1 + skill + 1.5 [office]) / 2.
PlantedProblem workplace() {
  PlantedProblem p{.name = "workplace",
                   .description =
                       "An employee chooses home or office and how many hours to work beyond the "
                       "usual; skill favours the office and long days, which are longer there.",
                   .architecture = {},
                   .parameters = {},
                   .context = {{"skill", ColumnDistribution::uniform, -1, 1}},
                   .response = "place and hours",
                   .value_names = {"extra_hours"},
                   .class_names = {"home", "office"},
                   .support = {{-7}, {9}},
                   .temperature = 1,
                   .choice_sets = {}};
  p.architecture.basis.response_only = true;
  plant(p, {{1}, {0, 1}, {1, 1}, {3}, {0, 3}, {1, 3}}, kPlain, {Head{1, 0, {1, 1, -1, -0.5, 1, 1.5}}});
  return p;
}

// An identifiable model: tanh, softplus and square heads, monomials of the response only.
PlantedProblem commuter() {
  PlantedProblem p{.name = "commuter",
                   .description =
                       "Commuters walk, take the bus or the car: comfort saturates, effort is to "
                       "stay within bounds, and time is to match a habit.",
                   .architecture = {},
                   .parameters = {},
                   .context = {{"distance", ColumnDistribution::uniform, -2, 2},
                               {"rain", ColumnDistribution::uniform, -2, 2}},
                   .response = "mode",
                   .value_names = {},
                   .class_names = {"walk", "bus", "car"},
                   .support = {},
                   .temperature = 1,
                   .choice_sets = {}};
  p.architecture = identifiable(p.architecture);
  plant(p, {{3}, {4}, {0, 3}, {0, 4}, {1, 3}, {1, 4}},
        {Activation::tanh, Activation::softplus, Activation::square},
        {Head{3, 0, {0.5, -0.5, 1.5, 2, 0, 0.5}}, Head{2, 0, {-1, 0, 0, 0.5, 2, -1.5}},
         Head{1, 0, {0, 0.5, 0.8, 0, 0, 0.7}}});
  return p;
}

}  // namespace

const std::vector<PlantedProblem>& planted_problems() {
  static const std::vector<PlantedProblem> all = {binary_logit(),   shopper(),   basket(),
                                                  product_choice(), producer(),  consumption(),
                                                  allocation(),     workplace(), commuter()};
  return all;
}

const PlantedProblem& planted_problem(std::string_view name) {
  for (const PlantedProblem& problem : planted_problems())
    if (problem.name == name) return problem;
  throw UsageError(fmt::format(
      "there is no planted problem '{}'; known: {}", name,
      joined(planted_problems(), ", ", [](const PlantedProblem& problem) { return problem.name; })));
}

}  // namespace bl::simulation
