// Every kind of basis, with a power, a product of inputs and terms of a class among its terms, through all
// that reads terms: values and slopes, model file, the problem with names in both units, text, LaTeX, and the
// page of a report, which computes by itself. One that is forgotten somewhere fails here.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "artifact/architecture_json.hpp"
#include "base/markup.hpp"
#include "explain/gradient.hpp"
#include "explain/render.hpp"
#include "support/page_values.hpp"
#include "support/random_architectures.hpp"
#include "unit/explain/example_model.hpp"

namespace bl {
namespace {

using nlohmann::json;

constexpr Index kRows = 40;

// What the response is: classes, a number, or both, so that terms multiply a number with a class.
const std::vector<std::vector<std::string>> kResponses = {{"label"}, {"y"}, {"y", "label"}};

// Squares, a cube, products with the last input of the response, and powers and products of indicators.
std::vector<Term> chosen_terms(const InputShape& shape) {
  const auto last = static_cast<std::int32_t>(shape.size() - 1);
  const auto response = static_cast<std::int32_t>(shape.context);
  std::vector<Term> terms = {{0, 0}, {0, 0, 0}, {0, 2}, {0, last}, {0, 2, last}, {0, 0, last}, {last, last}};
  if (response != last) {
    terms.push_back({response, last});
    terms.push_back({0, response, response});
  }
  return terms;
}

// The compiler asks for a new kind here.
BasisSpec spec_of(BasisKind kind, const InputShape& shape) {
  BasisSpec spec{.kind = kind, .extra = {}};
  switch (kind) {
    case BasisKind::affine:
    case BasisKind::monomials:
      break;
    case BasisKind::listed:
      spec.extra = chosen_terms(shape);
      for (Index i = shape.size(); i-- > shape.context;) spec.extra.push_back({static_cast<std::int32_t>(i)});
      break;
    case BasisKind::affine_plus:
      spec.extra = chosen_terms(shape);
      break;
  }
  return spec;
}

using Case = std::tuple<BasisKind, std::size_t>;

class TermSet : public testing::TestWithParam<Case> {
 protected:
  BasisKind kind() const { return std::get<0>(GetParam()); }
  const std::vector<std::string>& targets() const { return kResponses[std::get<1>(GetParam())]; }
  Index classes() const { return std::max<Index>(1, shape().classes); }
  InputShape shape() const { return test::example_shape(encoder_, targets(), false); }
  std::vector<Term> terms() const { return layer_terms(model_.stored.architecture, 0); }
  explain::Problem problem(explain::Units units) const { return problem_of(model_, units); }

  StoredModel stored() const {
    Architecture a = stacked(shape(), {2, 1});
    a.basis = spec_of(kind(), a.input);
    a.activations = {Activation::tanh, Activation::softplus, Activation::square};
    if (kind() == BasisKind::monomials) a.layers[0].degrees = {{{2}, {2}, {2}}};
    validate(a);
    StoredModel model = test::example_model(a, encoder_, 7);
    const auto values = static_cast<std::size_t>(a.input.values);
    model.response = Support{std::vector<double>(values, -5), std::vector<double>(values, 5)};
    model.single_precision = false;
    return model;
  }

  // By row and class, for the row's own values.
  Matrix<double> utilities() const {
    Matrix<double> out(kRows, classes());
    model_.utility.utilities(encoded_.features.view(), values(), out.view());
    return out;
  }
  MatrixView<const double> values() const {
    return shape().values > 0 ? encoded_.continuous.view() : MatrixView<const double>{nullptr, kRows, 0, 0};
  }

  const Table table_ = test::example_table(kRows);
  const Encoder encoder_ = test::example_encoder(table_, targets());
  const Encoded<double> encoded_ = encoder_.encode<double>(table_, all_rows(kRows));
  const FittedModel model_{stored()};
};

// How often the term names each input.
std::map<std::int32_t, int> powers_of(const Term& term) {
  std::map<std::int32_t, int> powers;
  for (const std::int32_t i : term) ++powers[i];
  return powers;
}

TEST_P(TermSet, TheBasisHasWhatTheCaseIsFor) {
  const std::vector<Term> all = terms();
  const std::set<Term> distinct(all.begin(), all.end());
  EXPECT_EQ(distinct.size(), all.size());
  EXPECT_EQ(basis_size(model_.stored.architecture.basis, shape(), model_.stored.architecture.degree()),
            static_cast<Index>(all.size()));
  const bool products = kind() != BasisKind::affine;
  const auto last = static_cast<std::int32_t>(shape().size() - 1);
  for (const Term& term : {Term{0, 0}, Term{0, 2}, Term{0, last}, Term{last, last}})
    EXPECT_EQ(distinct.contains(term), products);
  EXPECT_TRUE(distinct.contains({last}));
}

// The derivative of a polynomial of low degree, by central differences: in error by the square of the step.
TEST_P(TermSet, ValuesAreProductsAndSlopesTheirDerivatives) {
  constexpr double kStep = 1e-5;
  const RandomStream random(11, Purpose::test);
  std::vector<double> z;
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(shape().size()); ++i)
    z.push_back(random.normal(1, i));
  const auto at = [&](std::int32_t i) { return z[static_cast<std::size_t>(i)]; };
  for (const Term& term : terms()) {
    double product = 1;
    for (const auto& [i, power] : powers_of(term)) product *= std::pow(at(i), power);
    EXPECT_NEAR(value_of<double>(term, at), product, 1e-14 * std::abs(product));
    for (std::int32_t by = 0; by < static_cast<std::int32_t>(z.size()); ++by) {
      const auto moved = [&](double step) {
        return value_of<double>(term, [&](std::int32_t i) { return at(i) + (i == by ? step : 0); });
      };
      EXPECT_NEAR(slope_of<double>(term, by, at), (moved(kStep) - moved(-kStep)) / (2 * kStep), 1e-8);
    }
  }
}

TEST_P(TermSet, WhatItReadsIsWhatItChangesWith) {
  const auto first_class = static_cast<std::int32_t>(shape().context + shape().values);
  for (const Term& term : terms()) {
    const auto powers = powers_of(term);
    EXPECT_EQ(reads_response(term, shape()), powers.rbegin()->first >= shape().context);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(shape().size()); ++i)
      EXPECT_EQ(factors_where(term, [&](std::int32_t k) { return k == i; }).size(),
                powers.contains(i) ? static_cast<std::size_t>(powers.at(i)) : 0);
    const TermParts parts = parts_of(term, shape());
    std::set<std::int32_t> named;
    Term rest;
    for (const std::int32_t i : term)
      if (i >= first_class)
        named.insert(i - first_class);
      else
        rest.push_back(i);
    EXPECT_EQ(parts.zero, named.size() > 1);
    EXPECT_EQ(parts.cofactor, rest);
    if (named.size() < 2) {
      EXPECT_EQ(parts.class_index, named.empty() ? -1 : *named.begin());
    }
  }
}

TEST_P(TermSet, ModelFilesKeepIt) {
  const StoredModel again = from_tensor_file(to_tensor_file(model_.stored));
  EXPECT_EQ(again.architecture, model_.stored.architecture);
  EXPECT_EQ(again.parameters, model_.stored.parameters);
  EXPECT_EQ(to_json(model_.stored.architecture)["basis"]["kind"], name(kind()));
}

// The formula on raw cells gives the utility that the network gives; so it does in standardised units.
TEST_P(TermSet, FormulasInBothUnitsGiveTheUtility) {
  const Matrix<double> expected = utilities();
  for (const explain::Units units : {explain::Units::original, explain::Units::standardised}) {
    const explain::Problem p = problem(units);
    for (Index i = 0; i < kRows; ++i)
      for (std::int32_t c = 0; c < static_cast<std::int32_t>(classes()); ++c) {
        const double* v = shape().values > 0 ? values().row(i) : nullptr;
        const double found = evaluate(p, problem_inputs(p, encoded_.features.row(i), v, c)).outputs[0];
        ASSERT_NEAR(found, expected(i, c), 1e-9 * (1 + std::abs(expected(i, c)))) << i;
      }
  }
}

// Differences of the formula; in original units the step is 1e-5 standard deviations.
TEST_P(TermSet, MarginalUtilitiesAreDerivatives) {
  constexpr double kStep = 1e-5;
  for (const explain::Units units : {explain::Units::original, explain::Units::standardised}) {
    const explain::Problem p = problem(units);
    const double* v = shape().values > 0 ? values().row(3) : nullptr;
    const std::vector<double> inputs = problem_inputs(p, encoded_.features.row(3), v, 1);
    const std::vector<double> slopes = gradient(p, evaluate(p, inputs), 0);
    for (std::size_t by = 0; by < inputs.size(); ++by) {
      const double unit = units == explain::Units::original ? p.variables[by].scale : 1;
      const auto moved = [&](double step) {
        std::vector<double> at = inputs;
        at[by] += step * unit;
        return evaluate(p, at).outputs[0];
      };
      EXPECT_NEAR(slopes[by] * unit, (moved(kStep) - moved(-kStep)) / (2 * kStep), 1e-6) << by;
    }
  }
}

// The power that a factor has in a learned problem: one for an indicator.
int written_power(const explain::Variable& variable, int power) {
  const bool indicator =
      variable.kind == explain::VariableKind::level || variable.kind == explain::VariableKind::missing;
  return indicator ? 1 : power;
}

// The inputs of a term and their powers in a learned problem; none for two levels of one column.
std::map<std::int32_t, int> written_powers(const explain::Problem& p, const Term& term) {
  std::map<std::int32_t, int> powers = powers_of(term);
  std::set<std::string> columns;
  for (auto& [i, power] : powers) {
    const explain::Variable& variable = p.variables[static_cast<std::size_t>(i)];
    power = written_power(variable, power);
    if (variable.kind == explain::VariableKind::level && !columns.insert(variable.column).second) return {};
  }
  return powers;
}

TEST_P(TermSet, TextAndLatexWriteIt) {
  const explain::Problem p = problem(explain::Units::standardised);
  const explain::RenderOptions all{.terms = terms().size(), .block = "L1.B1"};
  const std::string text = render_text(p, all), latex = render_latex(p, all);
  std::set<std::string> expected, found;
  for (const Term& term : terms()) {
    std::string in_text, in_latex;
    for (const auto& [i, power] : written_powers(p, term)) {
      const std::string& variable = p.variables[static_cast<std::size_t>(i)].name;
      in_text += (in_text.empty() ? "" : "*") + variable + (power > 1 ? "^" + std::to_string(power) : "");
      in_latex += (in_latex.empty() ? "" : "\\,") + ("\\text{" + latex_escaped(variable) + "}") +
                  (power > 1 ? "^{" + std::to_string(power) + "}" : "");
    }
    if (in_text.empty()) continue;
    expected.insert(in_text);
    EXPECT_THAT(text, testing::HasSubstr(in_text));
    EXPECT_THAT(latex, testing::HasSubstr("\\," + in_latex));
  }
  for (const explain::Monomial& term : p.layers[0][0].heads[0].terms) found.insert(factors_text(p, term));
  EXPECT_EQ(found, expected);
}

TEST_P(TermSet, ThePageOfAReportComputesIt) {
  if (!test::has_node()) GTEST_SKIP() << "node is not installed: the page's own values are not checked";
  json rows = json::array();
  for (Index i = 0; i < kRows; ++i) {
    json points = json::array(), at = json::array();
    for (Index k = 0; k < shape().values; ++k) at.push_back(values()(i, k));
    for (Index c = 0; c < classes(); ++c) points.push_back({{"values", at}, {"class", c}});
    rows.push_back({{"row", test::page_row(table_, i)}, {"points", points}});
  }
  const json found = test::page_values(model_, rows);
  const Matrix<double> expected = utilities();
  for (Index i = 0; i < kRows; ++i)
    for (Index c = 0; c < classes(); ++c)
      ASSERT_NEAR(found[static_cast<std::size_t>(i)]["utilities"][static_cast<std::size_t>(c)].get<double>(),
                  expected(i, c), 1e-9 * (1 + std::abs(expected(i, c))))
          << i;
}

// Derivatives and engines are held against independent copies for all bases that are listed there.
TEST_P(TermSet, DerivativesAndEnginesAreTriedWithIt) {
  EXPECT_TRUE(std::any_of(test::kBases.begin(), test::kBases.end(),
                          [&](const test::BasisCase& one) { return one.kind == kind(); }));
}

std::string case_name(const testing::TestParamInfo<Case>& one) {
  std::string out(name(std::get<0>(one.param)));
  for (const std::string& target : kResponses[std::get<1>(one.param)]) out += "_" + target;
  return out;
}

INSTANTIATE_TEST_SUITE_P(Every, TermSet,
                         testing::Combine(testing::ValuesIn(kBasisKinds),
                                          testing::Range<std::size_t>(0, kResponses.size())),
                         case_name);

}  // namespace
}  // namespace bl
