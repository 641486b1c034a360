#include "explain/render.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "bl/errors.hpp"
#include "example_model.hpp"
#include "explain/color.hpp"
#include "explain/hierarchy.hpp"
#include "explain/svg.hpp"
#include "xml_check.hpp"

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

StoredModel wide_model() {
  const Table table = test::example_table(40);
  const Encoder encoder = test::example_encoder(table, {"y"});
  return test::example_model(stacked(test::example_shape(encoder, {"y"}, false), {10, 2}), encoder, 3);
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

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

// Elements by kind of term: 4 shown terms of U1 (linear, linear, interaction, square), C1 one interaction.
TEST(Render, SvgOfABlock) {
  const std::string svg =
      explain::render_svg(known_problem(), {.terms = 5, .threshold = 0, .block = "L1.B1"});
  EXPECT_EQ(test::XmlCheck::problem_with(svg), "");
  EXPECT_EQ(count_of(svg, "<g>"), 5U);
  EXPECT_EQ(count_of(svg, "<g><title>0.25 rooms</title><line"), 1U);
  EXPECT_EQ(count_of(svg, "<g><title>-0.125 price^2</title>"), 1U);
  // An interaction and a power are curves onto an arrow, which is faint where it is no term itself: price in
  // both heads. rooms has an arrow of its own, so that price acts on it.
  EXPECT_EQ(count_of(svg, "<path d='M") - 2, 3U) << "two more are arrow heads";
  EXPECT_EQ(count_of(svg, "stroke-dasharray"), 2U);
  EXPECT_THAT(svg, HasSubstr("L1.B1.C1 \u2264 0, weight 2"));
  EXPECT_THAT(svg, HasSubstr("fill='#fdd49e'"));
  const std::string few =
      explain::render_svg(known_problem(), {.terms = 1, .threshold = 0, .block = "L1.B1"});
  EXPECT_EQ(count_of(few, "<g>"), 2U);
  EXPECT_THAT(few, HasSubstr("3\u00a0hidden"));
}

TEST(Render, SvgWithNamesThatAreNoXml) {
  explain::Problem p = known_problem();
  p.variables[0].name = p.variables[0].column = "a<b & 'c' \"d\"\x01";
  for (const std::string& block : {std::string(), std::string("L1.B1")})
    EXPECT_EQ(
        test::XmlCheck::problem_with(explain::render_svg(p, {.terms = 5, .threshold = 0, .block = block})),
        "");
  EXPECT_NE(test::XmlCheck::problem_with("<a b='1' b='2'/>"), "");
  EXPECT_NE(test::XmlCheck::problem_with("<a><b></a></b>"), "");
  EXPECT_NE(test::XmlCheck::problem_with("<a>&nbsp;</a>"), "");
}

// A ring of so many levels: they stand together under the name of their column, and only those with a drawn
// term are there.
TEST(Render, SvgOfManyVariables) {
  explain::Problem p{.units = Units::standardised, .response = "y"};
  explain::Head u{.name = "L1.B1.U1", .activation = Activation::tanh, .lambda = 1};
  for (std::size_t i = 0; i < 60; ++i) {
    const std::string level = "level" + std::to_string(i);
    p.variables.push_back({.name = "[city=" + level + "]",
                           .kind = explain::VariableKind::level,
                           .column = "city",
                           .level = level});
    u.terms.push_back({1.0 / static_cast<double>(i + 1), 1.0 / static_cast<double>(i + 1), {{i, 1}}});
  }
  p.variables.push_back({.name = "L1.B1", .kind = explain::VariableKind::block});
  p.layers = {{{.name = "L1.B1", .variable = 60, .heads = {u}}}};
  p.outputs = {{.name = "U", .constant = 0, .blocks = {{60, 1}}}};
  const std::string svg = explain::render_svg(p, {.terms = 20, .threshold = 0, .block = {}});
  EXPECT_EQ(test::XmlCheck::problem_with(svg), "");
  EXPECT_EQ(count_of(svg, ">level"), 20U);
  EXPECT_EQ(count_of(svg, ">city<"), 1U);
  EXPECT_THAT(svg, HasSubstr("40 variables without a drawn term left out"));
}

TEST(Render, SvgOfANetwork) {
  explain::Problem p = known_problem();
  const std::string svg = explain::render_svg(p, {});
  EXPECT_EQ(test::XmlCheck::problem_with(svg), "");
  for (const char* part : {">L1.B1<", ">L1.B2<", ">U<", ">rooms<", ">price<", "U1\u00a0 wants more",
                           "Strongest way up: price, rooms"})
    EXPECT_THAT(svg, HasSubstr(part));
  EXPECT_THAT(svg, HasSubstr("<title>L1.B2 in U: 29%, most in -0.5</title>"));
  // Of a wide layer the most influential.
  const auto wide = explain::read_problem(wide_model(), {}, Units::original);
  const std::string many = explain::render_svg(wide, {});
  EXPECT_EQ(test::XmlCheck::problem_with(many), "");
  EXPECT_THAT(many, HasSubstr("Layer 1, 3 blocks of less influence left out"));
}

TEST(Render, ColorIsTheTextWithEscapes) {
  const std::string text = render_text(known_problem(), {});
  const std::string color = explain::colored(text, {"price"});
  std::string plain;
  for (std::size_t i = 0; i < color.size(); ++i) {
    if (color[i] == '\033')
      i = color.find('m', i);
    else
      plain += color[i];
  }
  EXPECT_EQ(plain, text);
  EXPECT_THAT(color, HasSubstr("\033[1mL1.B1\033[0m"));
  EXPECT_THAT(color, HasSubstr("\033[31m-\033[0m \033[31m0.5\033[0m"));
  EXPECT_THAT(color, HasSubstr("\033[33mprice\033[0m"));
}

TEST(Render, ReadingsStandBesideTheirHeads) {
  explain::FactorReading reading{.head = "L1.B1.U1", .scale = 0.5};
  reading.first = {.constant = 1, .variables = {{2, -1}}};
  reading.second = {.constant = 0, .variables = {{0, 1}}};
  reading.terms = 2;
  reading.error = 0.034;
  RenderOptions options{.terms = 5, .threshold = 0, .block = {}};
  options.readings = {reading};
  const std::string note = "0.5 rooms (1 - price), 3.4% off its 2 largest terms";
  EXPECT_THAT(render_text(known_problem(), options), HasSubstr("reads as " + note));
  EXPECT_THAT(render_latex(known_problem(), options),
              HasSubstr("reads as 0.5 rooms (1 - price), 3.4\\% off"));
  EXPECT_THAT(render_markdown(known_problem(), options), HasSubstr("L1.B1.U1 reads as " + note));
  EXPECT_THAT(render_text(known_problem(), options), HasSubstr("-0.125 price^2")) << "the estimate stays";
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
  EXPECT_EQ(layers[0][0].words, "wants more rooms*price, less price^2; limits tax_%*price");
  EXPECT_EQ(layers[1][0].words, "wants more L1.B1, less L1.B2; asks for L1.B2");
  EXPECT_EQ(explain::strongest_path(p, layers), (std::vector<std::string>{"price", "L1.B2", "L2.B1", "U"}));
  // L1.B1: lambda 2 times sizes, products divided among two: rooms 0.125 + 1.25, tax 0.2 + 0.005, price 1.25
  // + 12.5 + 0.005, of 15.335 in all.
  const auto& columns = layers[0][0].columns;
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns[0].column, "price");
  EXPECT_NEAR(columns[0].share, 13.755 / 15.335, 1e-12);
  EXPECT_FALSE(columns[0].positive);
  EXPECT_EQ(columns[2].column, "tax_%");
  EXPECT_NEAR(columns[2].share, 0.205 / 15.335, 1e-12);
}

}  // namespace
}  // namespace bl
