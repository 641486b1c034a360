#include "explain/render.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "bl/errors.hpp"
#include "example_model.hpp"
#include "explain/hierarchy.hpp"
#include "explain/svg.hpp"

namespace bl {
namespace {

using explain::RenderOptions;
using explain::Units;
using ::testing::HasSubstr;
using ::testing::Not;

// Two blocks, the second minimised, with known numbers.
explain::Problem known_problem() {
  explain::Problem p{.units = Units::original, .response = "price"};
  p.variables = {{.name = "rooms", .column = "rooms", .mean = 6, .scale = 0.5},
                 {.name = "tax_%", .column = "tax_%", .mean = 400, .scale = 100},
                 {.name = "price", .column = "price", .response = true, .mean = 22, .scale = 10},
                 {.name = "L1.B1", .kind = explain::VariableKind::block},
                 {.name = "L1.B2", .kind = explain::VariableKind::block}};
  const auto head = [](const std::string& name, HeadKind kind, Activation activation) {
    return explain::Head{.name = name, .kind = kind, .activation = activation, .lambda = 2};
  };
  explain::Head u = head("L1.B1.U1", HeadKind::utility, Activation::tanh);
  u.constant = -1.5;
  u.terms = {{0.25, 0.125, {{0, 1}}},
             {-0.002, 0.2, {{1, 1}}},
             {0.5, 2.5, {{0, 1}, {2, 1}}},
             {-0.125, 12.5, {{2, 2}}}};
  explain::Head c = head("L1.B1.C1", HeadKind::inequality, Activation::relu);
  c.terms = {{1e-5, 0.01, {{1, 1}, {2, 1}}}};
  explain::Head t = head("L1.B2.T1", HeadKind::equality, Activation::abs);
  t.terms = {{-1, 10, {{2, 1}}}};
  p.layers = {
      {{.name = "L1.B1", .variable = 3, .heads = {u, c}}, {.name = "L1.B2", .variable = 4, .heads = {t}}}};
  p.outputs = {{.name = "U", .constant = 0.75, .blocks = {{3, 1.25}, {4, -0.5}}}};
  return p;
}

TEST(Render, LargestTermsFirst) {
  const explain::Problem p = known_problem();
  const explain::Head& head = p.layers[0][0].heads[0];
  auto shown = explain::shown_terms(head, {.terms = 2, .threshold = 0, .block = {}});
  ASSERT_EQ(shown.terms.size(), 2U);
  EXPECT_EQ(shown.terms[0], &head.terms[3]);
  EXPECT_EQ(shown.terms[1], &head.terms[2]);
  EXPECT_EQ(shown.rest, 2U);
  shown = explain::shown_terms(head, {.terms = 9, .threshold = 0.015, .block = {}});
  ASSERT_EQ(shown.terms.size(), 3U);
  EXPECT_EQ(shown.terms[2], &head.terms[1]);
  EXPECT_EQ(shown.rest, 1U);
}

TEST(Render, Text) {
  const std::string text = render_text(known_problem(), {.terms = 2, .threshold = 0, .block = {}});
  EXPECT_THAT(text,
              HasSubstr("  max  U1  = tanh(-0.125 price^2 + 0.5 rooms*price - 1.5 + R[2]) (weight 2)\n"));
  EXPECT_THAT(text, HasSubstr("  s.t. C1  = 1e-05 tax_%*price <= 0 (weight 2, relu)\n"));
  EXPECT_THAT(text, HasSubstr("  s.t. T1  = -1 price = 0 (weight 2, abs)\n"));
  EXPECT_THAT(text, HasSubstr("  U = 1.25 L1.B1 - 0.5 L1.B2 + 0.75\n"));
  EXPECT_THAT(text, HasSubstr("L1.B1 in U +1.25 (maximised)\n"));
  EXPECT_THAT(text, HasSubstr("L1.B2 in U -0.5 (minimised)\n"));
  EXPECT_THAT(text, HasSubstr("the data's own units"));
  const std::string one = render_text(known_problem(), {.terms = 9, .threshold = 0, .block = "L1.B2"});
  EXPECT_THAT(one, Not(HasSubstr("L1.B1")));
  EXPECT_THAT(one, Not(HasSubstr("R[")));
}

TEST(Render, TextStaysWithin80Columns) {
  const auto problem = explain::read_problem(test::small_model(), {}, Units::original);
  for (const std::size_t terms : {1U, 5U, 1000U}) {
    std::istringstream lines(render_text(problem, {.terms = terms, .threshold = 0, .block = {}}));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80U) << line;
  }
}

TEST(Render, NegativeWeightsAreSaid) {
  explain::Problem p = known_problem();
  p.layers[0][0].heads[0].lambda = -0.5;
  p.layers[0][0].heads[1].lambda = -0.5;
  const std::string text = render_text(p, {});
  EXPECT_THAT(text, HasSubstr("[minimised]"));
  EXPECT_THAT(text, HasSubstr("[rewarded: negative weight]"));
}

TEST(Render, MarkdownInThePapersLayout) {
  const std::string text = render_markdown(known_problem(), {.terms = 2, .threshold = 0, .block = {}});
  EXPECT_THAT(
      text,
      HasSubstr(
          "| Variable | L1.B1.U1 | L1.B1.C1 | L1.B2.T1 |\n|:---|---:|---:|---:|\n"
          "| activation | tanh | relu | abs |\n| λ | 2 | 2 | 2 |\n"
          "| price | 0 | 0 | -1 |\n| rooms\\*price | 0.5 | 0 | 0 |\n| tax\\_%\\*price | 0 | 1e-05 | 0 |\n"
          "| price^2 | -0.125 | 0 | 0 |\n| Constant | -1.5 | 0 | 0 |\n"
          "| R (left out) | 2 terms | 0 terms | 0 terms |\n"));
  EXPECT_THAT(text, HasSubstr("| U | 1.25 | -0.5 | 0.75 |"));
}

// What would stop a compiler: braces or environments left open, special characters in names.
TEST(Render, LatexIsBalancedAndEscaped) {
  for (const explain::Problem& p :
       {known_problem(), explain::read_problem(test::small_model(), {}, Units::original)}) {
    const std::string text = render_latex(p, {.terms = 100, .threshold = 0, .block = {}});
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const bool literal = i > 0 && text[i - 1] == '\\';
      if (text[i] == '{' && !literal) ++depth;
      if (text[i] == '}' && !literal) --depth;
      ASSERT_GE(depth, 0);
      EXPECT_FALSE((text[i] == '%' || text[i] == '#') && !literal) << text.substr(i, 20);
    }
    EXPECT_EQ(depth, 0);
    const auto count = [&](const std::string& what) {
      std::size_t n = 0;
      for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
      return n;
    };
    EXPECT_EQ(count("\\begin{align*}"), count("\\end{align*}"));
    EXPECT_EQ(count("\\end{document}"), 1U);
  }
  const std::string known = render_latex(known_problem(), {});
  EXPECT_THAT(known, HasSubstr("1 \\cdot 10^{-5}\\,\\text{tax\\_\\%}\\,\\text{price} \\le 0"));
  EXPECT_THAT(known, HasSubstr("Weight $-0.5$ in U: minimised."));
}

TEST(Render, DotOfNetworkAndBlock) {
  const std::string network = render_dot(known_problem(), {});
  EXPECT_THAT(network, HasSubstr("\"L1.B2\" -> \"U\" [color=\"#b2182b\""));
  const std::string block = render_dot(known_problem(), {.terms = 5, .threshold = 0, .block = "L1.B1"});
  EXPECT_THAT(block, HasSubstr("\"L1.B1.U1 price\" -- \"L1.B1.U1 price\" [color=\"#b2182b\", penwidth=4.30"));
  EXPECT_THAT(block, HasSubstr("\"L1.B1.U1 rooms\" -- \"L1.B1.U1 term 2\""));
  EXPECT_THAT(block, HasSubstr("\"L1.B1.U1 rooms\" -- \"L1.B1.U1\""));
}

// Elements by kind of term: 4 shown terms of U1 (linear, linear, interaction, square), C1 one interaction.
TEST(Render, SvgOfABlock) {
  const std::string svg =
      explain::render_svg(known_problem(), {.terms = 5, .threshold = 0, .block = "L1.B1"});
  const auto count = [&](const std::string& what) {
    std::size_t n = 0;
    for (std::size_t at = svg.find(what); at != std::string::npos; at = svg.find(what, at + 1)) ++n;
    return n;
  };
  EXPECT_EQ(count("<g>"), 5U);
  EXPECT_EQ(count("<g>"), count("</g>"));
  EXPECT_EQ(count("<line"), 2U + 2U + 2U);  // an interaction is a base line and a line onto it
  EXPECT_EQ(count("stroke-dasharray"), 2U);
  EXPECT_EQ(count("<text"), count("</text>"));
  EXPECT_THAT(svg, HasSubstr("<title>-0.125 price^2</title><circle"));
  EXPECT_THAT(svg, HasSubstr("L1.B1.C1 &lt;= 0, weight 2"));
  EXPECT_THROW(explain::render_svg(known_problem(), {}), UsageError);
}

// Shares by hand: L2.B1 reads two blocks with |lambda w| summed over heads; influence passes down by them.
TEST(Hierarchy, SharesAndInfluence) {
  explain::Problem p = known_problem();
  p.variables.push_back({.name = "L2.B1", .kind = explain::VariableKind::block});
  explain::Head u{.name = "L2.B1.U1", .kind = HeadKind::utility, .activation = Activation::tanh, .lambda = 2};
  u.terms = {{0.5, 0.5, {{3, 1}}}, {-1, 1, {{4, 1}}}};
  explain::Head c{
      .name = "L2.B1.C1", .kind = HeadKind::inequality, .activation = Activation::relu, .lambda = 1};
  c.terms = {{-1, 1, {{4, 1}}}};
  p.layers.push_back({{.name = "L2.B1", .variable = 5, .heads = {u, c}}});
  p.outputs[0].blocks = {{5, 0.3}};
  const auto layers = explain::hierarchy(p, 2);
  const explain::BlockProfile& top = layers[1][0];
  EXPECT_DOUBLE_EQ(top.influence, 1);
  ASSERT_EQ(top.reads.size(), 2U);
  EXPECT_EQ(top.reads[0].variable, 4U);
  EXPECT_DOUBLE_EQ(top.reads[0].share, 0.75);
  EXPECT_DOUBLE_EQ(top.reads[0].head_weights[1], -1);
  EXPECT_DOUBLE_EQ(layers[0][0].influence, 0.25);
  EXPECT_EQ(layers[0][0].dominant, "U1 -price^2 +rooms*price; C1 +tax_%*price");
}

}  // namespace
}  // namespace bl
