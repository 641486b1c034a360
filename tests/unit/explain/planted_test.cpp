// On problems whose truth is known, the printed problem is the planted one.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "bl/explain.hpp"
#include "bl/fit.hpp"
#include "evidence/known_models.hpp"
#include "explain/read_problem.hpp"
#include "fitted/fitted_model.hpp"
#include "support/planted/alignment.hpp"
#include "support/planted/problems.hpp"
#include "support/planted/recovery.hpp"

namespace bl {
namespace {

using nlohmann::json;
using simulation::PlantedProblem;
using simulation::ResponseKind;
using Polynomial = std::map<Term, double>;  // the constant has no factors

// Alternatives with attributes of their own are not explained from a table.
std::vector<const PlantedProblem*> table_problems() {
  std::vector<const PlantedProblem*> all;
  for (const PlantedProblem& problem : simulation::planted_problems())
    if (problem.kind() != ResponseKind::alternatives) all.push_back(&problem);
  return all;
}

// Names of z's positions as they stand in the data: context, values, classes.
std::string class_column(const PlantedProblem& problem) {
  return problem.kind() == ResponseKind::hybrid ? "class" : problem.response;
}

Table table_of(const PlantedProblem& problem, const simulation::SimulatedData<double>& data) {
  Table table;
  table.source = problem.name;
  table.rows = data.rows;
  const auto add = [&](const std::string& name, const Matrix<double>& from, Index k) {
    Column column{name, RawType::numeric, {}, {}, {}};
    for (Index i = 0; i < data.rows; ++i) column.numbers.push_back(from(i, k));
    table.columns.push_back(std::move(column));
  };
  for (std::size_t k = 0; k < problem.context.size(); ++k)
    add(problem.context[k].name, data.context, static_cast<Index>(k));
  for (std::size_t k = 0; k < problem.value_names.size(); ++k)
    add(problem.value_names[k], data.values, static_cast<Index>(k));
  if (!problem.class_names.empty()) {
    Column column{class_column(problem), RawType::text, {}, {}, problem.class_names};
    column.codes.assign(data.classes.begin(), data.classes.end());
    table.columns.push_back(std::move(column));
  }
  for (Index i = 0; i < data.rows; ++i) table.lines.append(i + 1);
  return table;
}

Encoder encoder_of(const PlantedProblem& problem, const Table& table) {
  RoleOptions roles;
  roles.targets = problem.value_names;
  if (!problem.class_names.empty()) {
    roles.targets.push_back(class_column(problem));
  }
  return Encoder::fit(table, infer_schema(table, roles), {}, all_rows(table.rows), Context(1));
}

explain::ClassNames classes_of(const PlantedProblem& problem) {
  return problem.class_names.empty() ? explain::ClassNames{}
                                     : explain::ClassNames{class_column(problem), problem.class_names};
}

// raw_i = slope_i z_i + offset_i put into one term, by this test's own algebra.
Polynomial substituted(const Term& term, double coefficient,
                       const std::vector<std::pair<double, double>>& raw) {
  Polynomial product = {{{}, coefficient}};
  for (const std::int32_t factor : term) {
    const auto& [slope, offset] = raw[static_cast<std::size_t>(factor)];
    Polynomial next;
    for (const auto& [factors, c] : product) {
      Term longer = factors;
      longer.insert(std::upper_bound(longer.begin(), longer.end(), factor), factor);
      next[longer] += c * slope;
      next[factors] += c * offset;
    }
    product = std::move(next);
  }
  return product;
}

// The planted block for encoded inputs: a single block with all monomials of degree 2.
StoredModel standardised_model(const PlantedProblem& problem, const Encoder& encoder) {
  const Architecture& planted = problem.architecture;
  std::vector<std::pair<double, double>> raw;
  for (const EncodedColumn& column : encoder.columns()) raw.emplace_back(column.scale, column.mean);
  for (const ResponseEncoding& r : encoder.responses())
    if (!r.is_class()) raw.emplace_back(r.scale, r.mean);
  raw.resize(static_cast<std::size_t>(planted.input.size()), {1, 0});
  const auto degrees = [&](HeadKind kind) {
    return planted.layers[0].heads(kind) > 0 ? std::vector<int>{2} : std::vector<int>{};
  };
  Architecture a = single_block(planted.input, degrees(HeadKind::utility), degrees(HeadKind::inequality),
                                degrees(HeadKind::equality));
  a.activations = planted.activations;
  const std::vector<Term> wide = basis_terms(a.basis, a.input, 2);
  const std::vector<Term> own = basis_terms(planted.basis, planted.input, planted.degree());
  const simulation::Block truth = simulation::block_of(planted, problem.parameters);
  simulation::Block block;
  for (std::size_t kind = 0; kind < 3; ++kind) {
    if (!truth[kind]) continue;
    Polynomial sum;
    for (std::size_t t = 0; t < own.size(); ++t)
      for (const auto& [factors, c] : substituted(own[t], truth[kind]->coefficients[t], raw))
        sum[factors] += c;
    simulation::Head& head = block[kind].emplace();
    head.lambda = truth[kind]->lambda;
    head.bias = truth[kind]->bias + sum[{}];
    for (const Term& term : wide) head.coefficients.push_back(sum[term]);
  }
  StoredModel model{.architecture = a, .encoder = encoder, .parameters = {}, .response = {}};
  model.parameters = simulation::raw_parameters(a, block);
  model.temperature = problem.temperature;
  return model;
}

// A printed head by the names of the planted problem's terms; "1" for the constant.
std::map<std::string, double> printed(const PlantedProblem& problem, const explain::Problem& read,
                                      const explain::Head& head) {
  std::map<std::string, double> found = {{"1", head.constant}};
  for (const explain::Monomial& monomial : head.terms) {
    Term term;
    for (const explain::Factor& factor : monomial.factors)
      for (int k = 0; k < factor.power; ++k) term.push_back(static_cast<std::int32_t>(factor.variable));
    found[simulation::term_name(problem, term)] = monomial.coefficient;
  }
  EXPECT_EQ(read.layers.size(), 1U);
  return found;
}

// Planted into a model that reads standardised columns, and printed in the data's own units: the planted
// coefficients, signs and variables come back, and nothing else does.
TEST(Planted, PrintedInOriginalUnitsIsWhatWasPlanted) {
  const Context job(2);
  for (const PlantedProblem* problem : table_problems()) {
    const Table table = table_of(*problem, simulation::simulate(*problem, 60, 3, job));
    const StoredModel model = standardised_model(*problem, encoder_of(*problem, table));
    const auto read = explain::read_problem(model, classes_of(*problem), explain::Units::original);
    const simulation::Block truth = simulation::block_of(problem->architecture, problem->parameters);
    const std::vector<Term> terms =
        basis_terms(problem->architecture.basis, problem->architecture.input, problem->architecture.degree());
    for (const explain::Head& head : read.layers[0][0].heads) {
      const simulation::Head& planted = *truth[static_cast<std::size_t>(head.kind)];
      EXPECT_NEAR(head.lambda, planted.lambda, 1e-12 * planted.lambda) << problem->name;
      std::map<std::string, double> found = printed(*problem, read, head);
      for (std::size_t t = 0; t < terms.size(); ++t) {
        const std::string name = simulation::term_name(*problem, terms[t]);
        EXPECT_NEAR(found[name], planted.coefficients[t], 1e-12) << problem->name << " " << name;
        found.erase(name);
      }
      for (const auto& [name, coefficient] : found)
        EXPECT_NEAR(coefficient, name == "1" ? planted.bias : 0, 1e-12) << problem->name << " " << name;
    }
    for (std::size_t v = 0; v < read.variables.size(); ++v)
      if (read.variables[v].kind == explain::VariableKind::number && !read.variables[v].response) {
        EXPECT_EQ(read.variables[v].name, problem->context[v].name);
      }
  }
}

// The encoder that leaves numbers as they are.
Encoder plain_encoder(const Encoder& fitted) {
  json description = fitted.to_json();
  for (const char* list : {"features", "responses"})
    for (json& one : description[list]) {
      if (one.contains("mean")) one["mean"] = 0;
      if (one.contains("scale")) one["scale"] = 1;
    }
  return Encoder::from_json(description);
}

struct Case {
  const char* problem;
  Index rows;
  int tries;
  Index try_rows;
};

// Learned from data, written canonically (support/planted/alignment), stored and printed: the planted
// coefficients within 4.5 standard errors, signs of all that stand clear of zero, and no term that was not
// planted.
TEST(Planted, PrintedAfterLearningIsWhatWasPlanted) {
  const Context job(2);
  for (const Case& one : {Case{"binary_logit", 6000, 1, 1000}, Case{"basket", 5000, 16, 1000},
                          Case{"producer", 1500, 6, 200}}) {
    const PlantedProblem& problem = simulation::planted_problem(one.problem);
    simulation::RecoverySpec spec;
    spec.training_rows = one.rows;
    spec.held_out_rows = 100;
    spec.tries = one.tries;
    spec.try_rows = one.try_rows;
    spec.starts = 1;
    const simulation::RecoveryResult learned = simulation::recover(problem, spec, job);
    const Table table = table_of(problem, simulation::simulate(problem, 60, 3, job));
    StoredModel model{.architecture = problem.architecture,
                      .encoder = plain_encoder(encoder_of(problem, table)),
                      .parameters = learned.parameters,
                      .response = {}};
    const auto read = explain::read_problem(model, classes_of(problem), explain::Units::original);
    ASSERT_EQ(read.layers[0][0].heads.size(), learned.lines.size());
    for (std::size_t h = 0; h < learned.lines.size(); ++h) {
      const explain::Head& head = read.layers[0][0].heads[h];
      const simulation::ProblemLine& line = learned.lines[h];
      EXPECT_EQ(head.kind, line.kind);
      std::map<std::string, double> found = printed(problem, read, head);
      for (const simulation::Coefficient& c : line.terms) {
        const double tolerance = 4.5 * c.standard_error + 1e-12;
        EXPECT_NEAR(found[c.term], c.truth, tolerance) << one.problem << " " << head.name << " " << c.term;
        if (std::abs(c.truth) > tolerance) {
          EXPECT_EQ(std::signbit(found[c.term]), std::signbit(c.truth)) << one.problem << " " << c.term;
        }
        found.erase(c.term);
      }
      for (const auto& [name, coefficient] : found) EXPECT_EQ(coefficient, 0) << one.problem << " " << name;
    }
  }
}

// The whole way, from a table through bl::fit to the printed problem. What the distribution tells of a binary
// class is the difference between its two utilities: 0.5 + 1.2 age - 0.8 fee. Standard errors of a logit on n
// rows are near 2.5 / sqrt(n) for each; 4.5 of them at 5600 training rows.
TEST(Planted, FittedAndPrinted) {
  const Context job(2);
  const PlantedProblem& problem = simulation::planted_problem("binary_logit");
  const Table table = table_of(problem, simulation::simulate(problem, 8000, 5, job));
  Settings settings;
  for (const auto& [name, value] : std::map<std::string, std::string>{{"target", "accepts"},
                                                                      {"single", "true"},
                                                                      {"degree", "2"},
                                                                      {"heads", "1,0,0"},
                                                                      {"utility", "identity"},
                                                                      {"optimizer", "lbfgs"},
                                                                      {"precision", "float64"}})
    set(settings, name, value);
  const FitSummary fitted = fit(Data(std::make_shared<Data::Impl>(Data::Impl{table})), settings);
  const json printed_problem = json::parse(explain_model(fitted.model, ExplainFormat::json));
  double contrast[3] = {0, 0, 0};  // 1, age, fee
  for (const json& block : printed_problem["layers"][0])
    for (const json& head : block["heads"])
      for (const json& term : head["terms"]) {
        double sign = 0;
        int at = 0;
        for (const json& factor : term["factors"]) {
          const std::string name = factor["variable"];
          if (name == "[accepts=yes]") sign = 1;
          if (name == "[accepts=no]") sign = -1;
          if (name == "age") at = 1;
          if (name == "fee") at = 2;
        }
        contrast[at] += sign * head["lambda"].get<double>() * term["coefficient"].get<double>();
      }
  const double tolerance = 4.5 * 2.5 / std::sqrt(5600.0);
  EXPECT_NEAR(contrast[0], 0.5, tolerance);
  EXPECT_NEAR(contrast[1], 1.2, tolerance);
  EXPECT_NEAR(contrast[2], -0.8, tolerance);
}

}  // namespace
}  // namespace bl
