// Errors and tests of products of two curves, against differences of the problem by every estimated
// parameter.
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/unknown.hpp"
#include "example_model.hpp"
#include "explain/curve_bands.hpp"
#include "explain/curve_words.hpp"
#include "explain/estimated_weights.hpp"
#include "explain/fixed_level.hpp"
#include "explain/problem_json.hpp"
#include "explain/render.hpp"
#include "explain/svg.hpp"
#include "xml_check.hpp"

namespace bl {
namespace {

using explain::Monomial;
using explain::Units;

Encoder encoder_with_products() {
  const Table table = test::example_table(600);
  RoleOptions roles;
  roles.targets = {"label"};
  roles.ignore = {"y", "w_2"};
  roles.columns["size"].type = ColumnType::ordinal;
  roles.columns["size"].levels = test::kSizes;
  const EncodeOptions options{
      .missing = MissingPolicy::impute,
      .curves = {.all = true, .knots = 5, .products = {{"age", "share"}, {"size", "age"}}}};
  return Encoder::fit(table, infer_schema(table, roles), options, all_rows(table.rows), Context(1));
}

// Every parameter is estimated, with a covariance that correlates all of them.
struct Estimated {
  const Encoder encoder = encoder_with_products();
  StoredModel model =
      test::example_model(stacked(test::example_shape(encoder, {"label"}, false), {2}), encoder, 4);
  Eigen::MatrixXd covariance;

  Estimated() {
    StoredInference inference;
    for (std::size_t i = 0; i < model.parameters.size(); ++i)
      inference.positions.push_back(static_cast<Index>(i));
    const auto count = static_cast<Eigen::Index>(model.parameters.size());
    const RandomStream random(8, Purpose::test);
    Eigen::MatrixXd root(count, count);
    for (Eigen::Index i = 0; i < root.size(); ++i)
      root.data()[i] = random.normal(0, static_cast<std::uint64_t>(i));
    covariance = root * root.transpose() / static_cast<double>(count);
    model.inference = std::move(inference);
  }
  explain::Problem plain(Units units) const {
    return explain::read_problem(model, test::example_classes({"label"}), units);
  }
  explain::Problem with_errors(Units units) const {
    explain::Problem problem = plain(units);
    explain::add_bands(model, explain::curve_maps(model, test::example_classes({"label"}), units), covariance,
                       problem);
    return problem;
  }
};

std::vector<const Monomial::Product*> products_of(const explain::Problem& problem) {
  std::vector<const Monomial::Product*> out;
  for (const explain::Block& block : problem.layers[0])
    for (const explain::Head& head : block.heads)
      for (const Monomial& term : head.terms)
        if (term.product) out.push_back(&*term.product);
  return out;
}

// Values on the grids of all products by every parameter. They are linear, so any step gives the derivative.
std::vector<Eigen::MatrixXd> differences(Estimated e, Units units) {
  const explain::Problem at = e.plain(units);
  std::vector<Eigen::MatrixXd> out;
  for (const auto* one : products_of(at))
    out.emplace_back(static_cast<Eigen::Index>(one->surface.values.size()), e.covariance.rows());
  for (std::size_t i = 0; i < e.model.parameters.size(); ++i) {
    const double before = e.model.parameters[i];
    e.model.parameters[i] += 1;
    const explain::Problem moved = e.plain(units);
    e.model.parameters[i] = before;
    for (std::size_t k = 0; k < out.size(); ++k)
      for (Eigen::Index knot = 0; knot < out[k].rows(); ++knot)
        out[k](knot, static_cast<Eigen::Index>(i)) =
            products_of(moved)[k]->surface.values[static_cast<std::size_t>(knot)] -
            products_of(at)[k]->surface.values[static_cast<std::size_t>(knot)];
  }
  return out;
}

TEST(ProductErrors, AreTheCovarianceOfTheParametersCarriedToTheGrid) {
  const Estimated e;
  for (const Units units : {Units::original, Units::standardised}) {
    const explain::Problem problem = e.with_errors(units);
    const auto products = products_of(problem);
    const auto gradients = differences(e, units);
    ASSERT_EQ(products.size(), 2U * 6U);  // in every head of two blocks
    for (std::size_t k = 0; k < products.size(); ++k) {
      ASSERT_TRUE(products[k]->errors);
      const Eigen::MatrixXd of_values = gradients[k] * e.covariance * gradients[k].transpose();
      const Eigen::Map<const Eigen::VectorXd> values(products[k]->surface.values.data(), of_values.rows());
      for (Eigen::Index knot = 0; knot < of_values.rows(); ++knot)
        EXPECT_NEAR(products[k]->errors->at_knots[static_cast<std::size_t>(knot)],
                    std::sqrt(of_values(knot, knot)), 1e-9 * std::sqrt(of_values.diagonal().maxCoeff()));
      // That all values on the grid are zero is that all weights are: their columns are independent.
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> axes(of_values);
      double statistic = 0;
      int degrees = 0;
      for (Eigen::Index i = 0; i < of_values.rows(); ++i)
        if (axes.eigenvalues()(i) > 1e-9 * axes.eigenvalues().maxCoeff()) {
          statistic += std::pow(axes.eigenvectors().col(i).dot(values), 2) / axes.eigenvalues()(i);
          ++degrees;
        }
      EXPECT_EQ(products[k]->errors->flat.degrees, degrees);
      EXPECT_NEAR(products[k]->errors->flat.statistic, statistic, 1e-6 * statistic);
      EXPECT_GE(degrees, 2);
    }
  }
}

// A product is unknown where one of its weights is; what is fixed has no error and is not tested.
TEST(ProductErrors, OfWeightsThatAreFixedOrNotDetermined) {
  Estimated e;
  const auto maps = explain::curve_maps(e.model, test::example_classes({"label"}), explain::Units::original);
  const auto product =
      std::find_if(maps.begin(), maps.end(), [](const auto& one) { return one.first.product == 0U; });
  ASSERT_NE(product, maps.end());
  const Index column = ParameterLayout(e.model.architecture).tensor("layers/0/U/weight").offset +
                       static_cast<Index>(product->second[1].at(0).first);  // of the first head
  const int degrees = products_of(e.with_errors(Units::original))[0]->errors->flat.degrees;

  const Eigen::MatrixXd known = e.covariance;
  e.covariance.row(column).setConstant(kUnknown);
  e.covariance.col(column).setConstant(kUnknown);
  explain::Problem problem = e.with_errors(Units::original);
  EXPECT_TRUE(std::isnan(products_of(problem)[0]->errors->at_knots[0]));
  EXPECT_TRUE(std::isnan(products_of(problem)[0]->errors->flat.p));
  EXPECT_EQ(explain::product_in_words(problem, *products_of(problem)[0]).find("rejected"), std::string::npos);
  EXPECT_FALSE(std::isnan(products_of(problem)[1]->errors->at_knots[0]));

  e.covariance = known;
  e.model.inference->positions.erase(e.model.inference->positions.begin() + column);
  const auto others = e.model.inference->positions;
  e.covariance.resize(static_cast<Eigen::Index>(others.size()), static_cast<Eigen::Index>(others.size()));
  for (std::size_t i = 0; i < others.size(); ++i)
    for (std::size_t j = 0; j < others.size(); ++j)
      e.covariance(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = known(others[i], others[j]);
  problem = e.with_errors(Units::original);
  EXPECT_EQ(products_of(problem)[0]->errors->flat.degrees, degrees - 1);
  EXPECT_FALSE(std::isnan(products_of(problem)[0]->errors->at_knots[0]));
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t count = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

TEST(ProductErrors, AreToldInAllForms) {
  const Estimated e;
  const explain::Problem problem = e.with_errors(Units::original);
  const Monomial::Product& first = *products_of(problem)[0];
  EXPECT_NE(explain::product_in_words(problem, first)
                .find(first.errors->flat.p < 0.05 ? "that it has no effect is rejected (p"
                                                  : "that it has no effect is not rejected (p"),
            std::string::npos);
  explain::RenderOptions all;
  all.terms = 100;
  EXPECT_NE(explain::render_latex(problem, all).find("standard errors in parentheses"), std::string::npos);
  const nlohmann::json json = to_json(problem);
  for (const auto& term : json["layers"][0][0]["heads"][0]["terms"])
    if (term.contains("product")) {
      EXPECT_EQ(term["product"]["standard_errors"].size(), term["product"]["values"].size());
      EXPECT_EQ(term["product"]["standard_errors"][0].size(), term["product"]["values"][0].size());
      EXPECT_TRUE(term["product"]["no_effect"].contains("chi_squared"));
    }
  std::size_t zeros = 0;
  for (const explain::Head& head : problem.layers[0][0].heads)
    for (const Monomial& term : head.terms)
      for (std::size_t i = 0; term.product && i < term.product->surface.values.size(); ++i)
        zeros += std::abs(term.product->surface.values[i]) <= 1.96 * term.product->errors->at_knots[i];
  const std::string svg = explain::render_svg(problem, {.block = "L1.B1"});
  EXPECT_EQ(test::XmlCheck::problem_with(svg), "");
  EXPECT_EQ(count_of(svg, " r='2.5'/>"), zeros);
  EXPECT_GT(zeros, 0U);
  EXPECT_EQ(explain::render_svg(e.plain(Units::original), {.block = "L1.B1"}).find("class='zero'"),
            std::string::npos);
}

// At one level terms with and without its indicator are added up; errors of a sum are not the sum of errors.
TEST(ProductErrors, AreDroppedWhereProductsAreAdded) {
  explain::Problem problem;
  problem.variables = {{.name = "a"},
                       {.name = "b"},
                       {.name = "[y=1]", .kind = explain::VariableKind::level, .column = "y", .level = "1"}};
  Monomial::Product product{.variables = {0, 1}};
  product.surface.first.knots = product.surface.second.knots = {0, 1};
  product.surface.values = {1, -1, -1, 1};
  product.errors = explain::SurfaceErrors{.at_knots = {1, 1, 1, 1}};
  explain::Head head{.terms = {{.coefficient = 1, .factors = {{0}, {1}, {2}}, .product = product}}};
  problem.layers = {{{.heads = {head}}}};
  EXPECT_TRUE(explain::at_level(problem, "y", "1").layers[0][0].heads[0].terms.at(0).product->errors);
  head.terms.push_back({.coefficient = 1, .factors = {{0}, {1}}, .product = product});
  problem.layers = {{{.heads = {head}}}};
  const auto terms = explain::at_level(problem, "y", "1").layers[0][0].heads[0].terms;
  ASSERT_EQ(terms.size(), 1U);
  EXPECT_EQ(terms[0].product->surface.values[0], 2);
  EXPECT_FALSE(terms[0].product->errors);
}

}  // namespace
}  // namespace bl
