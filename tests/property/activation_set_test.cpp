// Every aspect of every activation: formulas on vectors against the scalar ones, derivatives against
// differences, what is claimed of it against its values, and its place in settings, files, text and pages.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "artifact/architecture_json.hpp"
#include "base/joined.hpp"
#include "bl/settings.hpp"
#include "compute/activation_kinds.hpp"
#include "compute/kernels.hpp"
#include "explain/problem_json.hpp"
#include "explain/render.hpp"
#include "inference/information.hpp"
#include "model/architecture.hpp"
#include "report/problem_html.hpp"
#include "support/page_values.hpp"
#include "unit/explain/example_model.hpp"

namespace bl {
namespace {

class ActivationSet : public testing::TestWithParam<Activation> {
 protected:
  const ActivationFacts& claimed() const { return facts(GetParam()); }
  double f(double t) const { return activate(GetParam(), t); }
  double d(double t) const { return slope(GetParam(), t); }
  double dd(double t) const { return curvature(GetParam(), f(t), d(t)); }
};

// From -4 to 4 in steps of 1/16, so that the usual places of kinks are among them.
std::vector<double> grid() {
  std::vector<double> points;
  for (int i = -64; i <= 64; ++i) points.push_back(i / 16.0);
  return points;
}

HeadKind kind_of(Activation activation) {
  for (const HeadKind kind : kHeadKinds) {
    const auto all = activations_of(kind);
    if (std::find(all.begin(), all.end(), activation) != all.end()) return kind;
  }
  throw std::logic_error("an activation that no head can use");
}

template <class T>
struct OnVectors {
  std::vector<T> value, slope, curvature;
};

// Blocks of `heads` heads each: one head and several go through different sweeps. The reverse sweep through
// the tangent gives the curvature: with d_s = 0, d_s_dot = 1 and a_dot = 1, d_a = lambda phi''.
template <class T>
OnVectors<T> on_vectors(const Kernels<T>& kernels, Activation activation, const std::vector<T>& points,
                        Index heads) {
  const auto n = static_cast<Index>(points.size()), blocks = n / heads;
  BlockShape shape;
  shape.blocks = blocks;
  shape.sections[0] = {.activation = activation, .sign = 1, .begin = 0, .heads_per_block = heads};
  shape.sections[1].begin = shape.sections[2].begin = n;
  OnVectors<T> out{points, std::vector<T>(points.size()), std::vector<T>(points.size())};
  const auto b = static_cast<std::size_t>(blocks);
  std::vector<T> sums(b), lambda(points.size(), T(1)), d_lambda(points.size()), a_dot(points.size(), T(1)),
      d_s(b, T(0)), d_s_dot(b, T(1));
  const MatrixView<T> phi{out.value.data(), 1, n, n}, slopes{out.slope.data(), 1, n, n};
  kernels.blocks_forward(shape, lambda.data(), phi, slopes, {sums.data(), 1, blocks, blocks}, false);
  kernels.blocks_backward_tangent(shape, lambda.data(), phi, slopes, {a_dot.data(), 1, n, n},
                                  {d_s.data(), 1, blocks, blocks}, {d_s_dot.data(), 1, blocks, blocks},
                                  {out.curvature.data(), 1, n, n}, d_lambda.data());
  return out;
}

// A few roundings; tanh's slope and curvature are good to roundings of 1.
template <class T>
void expect_vectors_agree(Activation activation) {
  const double rounding = 16 * static_cast<double>(std::numeric_limits<T>::epsilon());
  std::vector<T> points;
  for (const double t : grid()) points.push_back(static_cast<T>(t));
  points.pop_back();
  for (const auto& kernels : kernels_of_every_target<T>())
    for (const Index heads : {1, 2}) {
      const OnVectors<T> got = on_vectors(kernels, activation, points, heads);
      for (std::size_t i = 0; i < points.size(); ++i) {
        const auto t = static_cast<double>(points[i]);
        const double value = activate(activation, t), by = slope(activation, t);
        ASSERT_NEAR(got.value[i], value, rounding * (1 + std::abs(value))) << kernels.target << " at " << t;
        ASSERT_NEAR(got.slope[i], by, rounding * (1 + std::abs(by))) << kernels.target << " at " << t;
        ASSERT_NEAR(got.curvature[i], curvature(activation, value, by), rounding * 4)
            << kernels.target << " at " << t;
      }
    }
}

TEST_P(ActivationSet, FormulasOnVectorsAreThoseOfNumbers) {
  expect_vectors_agree<float>(GetParam());
  expect_vectors_agree<double>(GetParam());
}

// Differences from the left, since limits from the left are taken. They are in error by the step times half
// the largest second or third derivative (2), and by 1e-16 times the value (16) over the step.
TEST_P(ActivationSet, SlopeAndCurvatureAreDerivatives) {
  constexpr double kStep = 1e-7, kTolerance = 5e-7;
  for (const double t : grid()) {
    EXPECT_NEAR(d(t), (f(t) - f(t - kStep)) / kStep, kTolerance) << t;
    EXPECT_NEAR(dd(t), (d(t) - d(t - kStep)) / kStep, kTolerance) << t;
  }
}

// Jumps of slope and curvature are exactly where they are claimed to be.
TEST_P(ActivationSet, KinksAndBendsAreThoseListed) {
  const auto listed = [](std::span<const double> places, double t) {
    return std::find(places.begin(), places.end(), t) != places.end();
  };
  for (const double t : grid()) {
    const double after = t + 1e-9;
    const bool kink = std::abs(d(after) - d(t)) > 1e-6;
    EXPECT_EQ(kink, listed(claimed().kinks, t)) << t;
    EXPECT_EQ(kink, kink_near(GetParam(), t, 0) != nullptr) << t;
    EXPECT_EQ(!kink && std::abs(dd(after) - dd(t)) > 1e-6, listed(claimed().bends, t)) << t;
    EXPECT_NEAR(slope_from_right(GetParam(), t), d(after), 1e-8) << t;
  }
}

// Claims hold, and what is not claimed does not.
TEST_P(ActivationSet, FactsAreTrueOfTheFunction) {
  bool odd = true, even = true, rises = true, reflects = true;
  double least = 0, most = 0;
  for (const double t : grid()) {
    odd = odd && f(-t) == -f(t);
    even = even && f(-t) == f(t);
    rises = rises && d(t) >= 0;
    reflects = reflects && std::abs(f(t) - f(-t) - t) < 1e-14;
  }
  for (const double t : {-1e3, -1.0, 0.0, 1.0, 1e3})
    least = std::min(least, f(t)), most = std::max(most, f(t));
  EXPECT_EQ(claimed().parity, odd ? Parity::odd : even ? Parity::even : Parity::none);
  EXPECT_EQ(claimed().non_decreasing, rises);
  EXPECT_EQ(claimed().least, least < -1 ? -std::numeric_limits<double>::infinity() : least);
  EXPECT_EQ(claimed().most, most > 1 ? std::numeric_limits<double>::infinity() : most);
  // Where a constant is odd and even at once, or f(-t) = 0, f(t) - f(-t) = t holds for those listed alone.
  EXPECT_EQ(claimed().reflects, reflects);
  bool straight = true;
  for (const double t : grid()) straight = straight && dd(t) == 0;
  EXPECT_EQ(claimed().lines, straight);
  EXPECT_EQ(claimed().linear(), straight && odd && rises && f(2) == 2 * f(1) && f(4) == 4 * f(1));
  EXPECT_EQ(names_of_lines().find(name(GetParam())) != std::string::npos, straight);
  int degree = 0;
  for (const int k : {1, 2, 3}) {
    bool holds = true;
    for (const double t : grid()) holds = holds && f(4 * t) == std::pow(4, k) * f(t);
    if (holds) degree = k;
  }
  EXPECT_EQ(claimed().degree, degree);
}

TEST_P(ActivationSet, OneKindOfHeadUsesIt) {
  int kinds = 0;
  for (const HeadKind kind : kHeadKinds) {
    const auto all = activations_of(kind);
    kinds += static_cast<int>(std::count(all.begin(), all.end(), GetParam()));
  }
  EXPECT_EQ(kinds, 1);
}

TEST_P(ActivationSet, ModelFilesKeepIt) {
  Architecture a = stacked({.context = 2, .values = 0, .classes = 2}, {2});
  a.activations[static_cast<std::size_t>(kind_of(GetParam()))] = GetParam();
  validate(a);
  EXPECT_EQ(architecture_from_json(to_json(a)), a);
  EXPECT_EQ(activation_from_name(name(GetParam())), GetParam());
  bool kinks = false;
  for (const Activation one : a.activations) kinks = kinks || !facts(one).kinks.empty();
  EXPECT_EQ(inference::has_kinks(a), kinks);
}

// One head with this activation: lambda = 2, 3 x.
explain::Problem problem_with(Activation activation) {
  const HeadKind kind = kind_of(activation);
  explain::Problem p{.response = "y"};
  p.variables = {{.name = "x", .column = "x"}, {.name = "L1.B1", .kind = explain::VariableKind::block}};
  explain::Head head{.name = "L1.B1." + std::string(letter(kind)) + "1",
                     .kind = kind,
                     .activation = activation,
                     .lambda = 2,
                     .terms = {{.coefficient = 3, .size = 3, .factors = {{0, 1}}}}};
  p.layers = {{{.name = "L1.B1", .variable = 1, .heads = {head}}}};
  p.outputs = {{.name = "U", .blocks = {{1, 1}}}};
  return p;
}

TEST_P(ActivationSet, ExplanationsNameIt) {
  const HeadKind kind = kind_of(GetParam());
  const explain::Problem p = problem_with(GetParam());
  const std::string word(name(GetParam()));
  if (GetParam() != Activation::identity) {
    EXPECT_THAT(render_text(p, {}), testing::HasSubstr(word));
  }
  EXPECT_THAT(render_markdown(p, {}), testing::HasSubstr("| " + word + " |"));
  const std::string in_latex = latex(GetParam(), std::string(letter(kind)) + "_{1}");
  EXPECT_THAT(in_latex, testing::HasSubstr(std::string(letter(kind)) + "_{1}"));
  EXPECT_THAT(render_latex(p, {}), testing::HasSubstr("(\\lambda = 2,\\ " + in_latex + ")"));
  EXPECT_EQ(explain::to_json(p)["layers"][0][0]["heads"][0]["activation"], word);
  const explain::Evaluation at = evaluate(p, {0.25});
  EXPECT_EQ(at.outputs[0], (kind == HeadKind::utility ? 2 : -2) * f(0.75));
}

TEST_P(ActivationSet, AReportShowsIt) {
  const std::string symbol = fmt::format("<b class=\"{0}\">{0}<sub>1</sub></b>", letter(kind_of(GetParam())));
  EXPECT_THAT(html(GetParam(), symbol), testing::HasSubstr(symbol));
  const explain::Problem p = problem_with(GetParam());
  EXPECT_THAT(report::blocks_html(p, p), testing::HasSubstr("2&#8201;" + html(GetParam(), symbol)));
}

// lambda phi(y) times a readout weight, both softplus(1), as the page computes it; constraints count
// negatively.
TEST_P(ActivationSet, ThePageOfAReportComputesIt) {
  if (!test::has_node()) GTEST_SKIP() << "node is not installed: the page's own values are not checked";
  const Table table = test::example_table(30);
  const Encoder encoder = test::example_encoder(table, {"y"});
  Architecture a = stacked(test::example_shape(encoder, {"y"}, false), {1});
  a.basis = {.kind = BasisKind::listed, .extra = {{static_cast<std::int32_t>(a.input.context)}}};
  const auto kind = static_cast<std::size_t>(kind_of(GetParam()));
  a.activations[kind] = GetParam();
  a.layers[0].degrees = {};
  a.layers[0].degrees[kind] = {1};
  StoredModel model{.architecture = a, .encoder = encoder, .parameters = {}, .response = Support{{-5}, {5}}};
  const ParameterLayout layout(a);
  for (const TensorInfo& tensor : layout.tensors())
    model.parameters.insert(
        model.parameters.end(), static_cast<std::size_t>(tensor.size()),
        tensor.role == TensorRole::bias || tensor.role == TensorRole::readout_bias ? 0.0 : 1.0);
  nlohmann::json points = nlohmann::json::array();
  for (const double t : grid()) points.push_back({{"values", {t}}, {"class", 0}});
  const nlohmann::json found = test::page_values(
      FittedModel(model), nlohmann::json::array({{{"row", test::page_row(table, 0)}, {"points", points}}}));
  const double weight =
      std::pow(std::log1p(std::exp(1.0)), 2) * (kind_of(GetParam()) == HeadKind::utility ? 1 : -1);
  for (std::size_t i = 0; i < grid().size(); ++i)
    EXPECT_NEAR(found[0]["utilities"][i].get<double>(), weight * f(grid()[i]),
                1e-13 * (1 + std::abs(f(grid()[i]))))
        << grid()[i];
}

// It has every activation, with the kinks and slopes of those made of lines.
TEST_P(ActivationSet, ThePageOfAReportHasItsLines) {
  std::ifstream file(std::string(BL_TEST_DATA) + "/../../src/report/page/evaluate.js");
  ASSERT_TRUE(file);
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  const auto table = [&](const std::string& start) {
    const std::size_t from = page.find(start);
    return page.substr(from, page.find("\n  };", from) - from);
  };
  const std::string key = "\n    " + std::string(name(GetParam())) + ": ";
  EXPECT_THAT(table("const ACTIVATIONS = {"), testing::HasSubstr(key));
  std::string entry = key + "{ kinks: [";
  const auto whole = [](double t) { return std::to_string(static_cast<int>(t)); };
  entry += joined(claimed().kinks, ", ", whole) + "], slopes: [";
  std::vector<double> slopes = {d(claimed().kinks.empty() ? 0 : claimed().kinks.front())};
  for (const double kink : claimed().kinks) slopes.push_back(slope_from_right(GetParam(), kink));
  entry += joined(slopes, ", ", whole) + "] },";
  EXPECT_EQ(table("const LINES = {").find(entry) != std::string::npos, claimed().lines) << entry;
}

// The settings utility, inequality and equality offer exactly the activations of their heads.
TEST_P(ActivationSet, ASettingOffersIt) {
  const HeadKind kind = kind_of(GetParam());
  const std::string setting = kind == HeadKind::utility      ? "utility"
                              : kind == HeadKind::inequality ? "inequality"
                                                             : "equality";
  std::set<std::string> expected = {"auto"}, offered;
  for (const Activation one : activations_of(kind)) expected.insert(std::string(name(one)));
  for (const SettingInfo& one : setting_list())
    if (one.name == setting) offered.insert(one.choices.begin(), one.choices.end());
  EXPECT_EQ(offered, expected);
}

// In the table of parts of docs/model.md, in the row of its heads.
TEST_P(ActivationSet, ThePageOfTheModelNamesIt) {
  std::ifstream page(std::string(BL_TEST_DATA) + "/../../docs/model.md");
  ASSERT_TRUE(page);
  const std::string row = "| " + std::string(kind_of(GetParam()) == HeadKind::utility      ? "utility U"
                                             : kind_of(GetParam()) == HeadKind::inequality ? "inequality C"
                                                                                           : "equality T");
  std::string line, found;
  while (std::getline(page, line))
    if (line.starts_with(row)) found = line;
  EXPECT_THAT(found, testing::HasSubstr("`" + std::string(name(GetParam())) + "`"));
}

INSTANTIATE_TEST_SUITE_P(Every, ActivationSet, testing::ValuesIn(kActivations),
                         [](const auto& one) { return std::string(name(one.param)); });

}  // namespace
}  // namespace bl
