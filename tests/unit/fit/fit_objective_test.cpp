// What is computed from a model and its rows later has the objective that was trained.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "data/read_table.hpp"
#include "fit/table_fit.hpp"
#include "fit/training_rows.hpp"

namespace bl {
namespace {

// Numbers: y of many values, three of ten rows of z are 0, s is skewed.
Table rows() {
  const RandomStream random(3, Purpose::test);
  std::string text = "x,y,z,s,c\n";
  for (std::uint64_t i = 0; i < 240; ++i) {
    const double x = random.normal(i, 0), y = x + random.normal(i, 1);
    text += fmt::format("{},{},{},{},{}\n", x, y, i % 10 < 3 ? 0 : y, std::exp(1.5 * y),
                        random.uniform(i, 2) < 0.5 ? "a" : "b");
  }
  return read_table_from_memory(text, "t.csv");
}

enum class Normaliser { none, exact, slots, random, rule, anchored };

struct Case {
  const char* targets;
  std::vector<std::pair<const char*, const char*>> settings;
  Normaliser normaliser;
};

const std::vector<Case> kCases = {
    {"c", {}, Normaliser::none},
    {"y", {}, Normaliser::exact},
    {"s", {}, Normaliser::exact},
    {"z", {}, Normaliser::slots},
    {"y", {{"utility", "tanh"}}, Normaliser::random},
    {"y", {{"panels", "4"}}, Normaliser::rule},
    {"z", {{"panels", "4"}}, Normaliser::anchored},
    {"y,z", {}, Normaliser::random},
    {"y,z", {{"panels", "2"}}, Normaliser::rule},
    {"y,z,s", {{"objective", "likelihood"}}, Normaliser::random},
    {"y,z,s", {}, Normaliser::none},
    {"c,y", {}, Normaliser::none},
};

Settings settings_of(const Case& c) {
  Settings s;
  for (const auto& [name, value] :
       {std::pair("target", c.targets), std::pair("epochs", "1"), std::pair("members", "1"),
        std::pair("layers", "2"), std::pair("precision", "float64"), std::pair("refit", "none")})
    set(s, name, value);
  std::string numbers, others;
  for (const char* name : {"y", "z", "s", "c"}) {
    const bool target = std::string(c.targets).find(name) != std::string::npos;
    if (target && name[0] != 'c') numbers += (numbers.empty() ? "" : ",") + std::string(name);
    if (!target) others += (others.empty() ? "" : ",") + std::string(name);
  }
  set(s, "continuous", numbers);
  set(s, "ignore", others);
  for (const auto& [name, value] : c.settings) set(s, name, value);
  return s;
}

void expect_normaliser(const ObjectiveSpec& spec, Normaliser expected) {
  using enum Normaliser;
  EXPECT_EQ(spec.exact.has_value(), expected == exact || expected == slots);
  EXPECT_EQ(spec.exact && !spec.exact->slots.empty(), expected == slots);
  EXPECT_EQ(spec.random.has_value(), expected == random);
  EXPECT_EQ(spec.rule.size() > 0, expected == rule || expected == anchored);
}

void expect_same(const ObjectiveSpec& a, const ObjectiveSpec& b) {
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.sigma, b.sigma);
  EXPECT_EQ(a.draws, b.draws);
  EXPECT_EQ(a.label_smoothing, b.label_smoothing);
  EXPECT_EQ(a.rule.log_weights, b.rule.log_weights);
  EXPECT_TRUE(std::ranges::equal(a.rule.nodes.flat(), b.rule.nodes.flat()));
  ASSERT_EQ(a.exact.has_value(), b.exact.has_value());
  ASSERT_EQ(a.random.has_value(), b.random.has_value());
  if (a.exact) {
    EXPECT_EQ(a.exact->lower, b.exact->lower);
    EXPECT_EQ(a.exact->upper, b.exact->upper);
    ASSERT_EQ(a.exact->slots.size(), b.exact->slots.size());
    for (std::size_t i = 0; i < a.exact->slots.size(); ++i) {
      EXPECT_EQ(a.exact->slots[i].lower, b.exact->slots[i].lower);
      EXPECT_EQ(a.exact->slots[i].upper, b.exact->slots[i].upper);
    }
  }
  if (a.random) {
    EXPECT_EQ(a.random->count, b.random->count);
    EXPECT_TRUE(std::ranges::equal(a.random->proposal->log_densities(), b.random->proposal->log_densities()));
  }
}

TEST(FitObjective, IsTheSameForAStoredModel) {
  const Table table = rows();
  for (const Case& c : kCases) {
    SCOPED_TRACE(fmt::format("{} {}", c.targets, c.settings.empty() ? "" : c.settings[0].first));
    const Settings settings = settings_of(c);
    const Prepared prepared =
        prepare(table, plan_schema(table, settings), settings, settings, {}, Context(1));
    const TrainingRows<double> training(prepared);
    expect_normaliser(training.objective, c.normaliser);
    const Model model = fit_table(table, settings, {}, Context(0)).model;
    const FittedModel& m = model.impl();
    const FitObjective later = objective_of(m, fit_settings(m), training.rows.encoded.continuous);
    expect_same(training.objective, later.training);
    expect_same(training.judging, later.judging);
    EXPECT_NEAR(later.training.temperature, training.objective.temperature * prepared.readout_unit, 1e-15);
  }
}

}  // namespace
}  // namespace bl
