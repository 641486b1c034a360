// Curves of columns: the pieces in JSON, evaluated on raw cells by plain loops, give the model's utility, and
// their slopes are those of the utility by the raw cell.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "bl/errors.hpp"
#include "engine/reference/utility.hpp"
#include "example_model.hpp"
#include "explain/curve_words.hpp"
#include "explain/curves_svg.hpp"
#include "explain/gradient.hpp"
#include "explain/pieces.hpp"
#include "explain/problem_json.hpp"
#include "explain/render.hpp"
#include "explain/svg.hpp"
#include "gibbs/utility.hpp"
#include "plan/curve_plan.hpp"
#include "xml_check.hpp"

namespace bl {
namespace {

using nlohmann::json;

Encoder curved_encoder(const Table& table, const EncodeOptions& options) {
  RoleOptions roles;
  roles.targets = {"label"};
  roles.ignore = {"y", "w_2"};
  roles.columns["size"].type = ColumnType::ordinal;
  roles.columns["size"].levels = test::kSizes;
  return Encoder::fit(table, infer_schema(table, roles), options, all_rows(table.rows), Context(1));
}

// A second evaluator of what JSON says of a curve.
double naive_pieces(const json& curve, double x) {
  std::vector<double> knots = curve["knots"], values = curve["values"];
  const std::string kind = curve["kind"];
  const bool straight = curve["ends"] == "straight";
  if (kind == "step") {
    double value = values[0];
    for (std::size_t i = 0; i < knots.size(); ++i)
      if (x >= knots[i]) value = values[i];
    return value;
  }
  std::vector<double> slopes;
  if (kind != "linear") slopes = curve["slopes"].get<std::vector<double>>();
  if (kind == "periodic") {
    const double period = curve["period"];
    while (x < knots[0]) x += period;
    while (x >= knots[0] + period) x -= period;
    knots.push_back(knots[0] + period);
    values.push_back(values[0]);
    slopes.push_back(slopes[0]);
  }
  const std::size_t last = knots.size() - 1;
  if (x <= knots[0] && !straight && kind != "periodic") return values[0];
  if (x >= knots[last] && !straight && kind != "periodic") return values[last];
  std::size_t i = 0;
  while (i + 1 < last && x > knots[i + 1]) ++i;
  const double h = knots[i + 1] - knots[i], t = (x - knots[i]) / h;
  if (kind == "linear") return values[i] * (1 - t) + values[i + 1] * t;
  if (x < knots[0]) return values[0] + slopes[0] * (x - knots[0]);
  if (x > knots[last]) return values[last] + slopes[last] * (x - knots[last]);
  const double a = values[i], b = h * slopes[i];
  const double c = 3 * (values[i + 1] - a) - h * (2 * slopes[i] + slopes[i + 1]);
  const double d = 2 * (a - values[i + 1]) + h * (slopes[i] + slopes[i + 1]);
  return a + t * (b + t * (c + t * d));
}

double raw_value(const json& variable, const Table& table, Index row, const std::string& label) {
  if (variable["response"]) return variable["level"] == label ? 1 : 0;
  const Column& cells = table.column(variable["column"].get<std::string>());
  const std::string kind = variable["kind"];
  if (kind == "missing") return cells.missing(row) ? 1 : 0;
  if (cells.missing(row)) return variable["fill"];
  if (kind == "level") return cells.cell_text(row) == variable["level"] ? 1 : 0;
  if (kind == "number") return cells.numbers[static_cast<std::size_t>(row)];
  const auto place = std::find(test::kSizes.begin(), test::kSizes.end(), cells.cell_text(row));
  return static_cast<double>(place - test::kSizes.begin());
}

// The same of a product of two curves.
double naive_surface(const json& product, double x, double y) {
  const std::vector<std::vector<double>> values = product["values"];
  std::vector<std::vector<double>> shares;  // of every knot, by axis
  for (const std::size_t axis : {0U, 1U}) {
    std::vector<double> knots = product["knots"][axis];
    const std::size_t count = knots.size();
    const double period = product["periods"][axis];
    double at = axis == 0 ? x : y;
    if (period > 0) {
      at -= period * std::floor((at - knots[0]) / period);
      knots.push_back(knots[0] + period);
    }
    std::vector<double> share(count, 0);
    std::size_t i = 0;
    while (i + 2 < knots.size() && at > knots[i + 1]) ++i;
    const double part = std::clamp((at - knots[i]) / (knots[i + 1] - knots[i]), 0.0, 1.0);
    share[i] += 1 - part;
    share[(i + 1) % count] += part;
    shares.push_back(share);
  }
  double sum = 0;
  for (std::size_t i = 0; i < shares[0].size(); ++i)
    for (std::size_t j = 0; j < shares[1].size(); ++j) sum += shares[0][i] * shares[1][j] * values[i][j];
  return sum;
}

double head_value(const json& head, const std::map<std::string, double>& cells) {
  double inner = head["constant"];
  for (const json& term : head["terms"]) {
    double product = term["coefficient"];
    std::vector<std::string> together;
    if (term.contains("product")) {
      together = term["product"]["variables"].get<std::vector<std::string>>();
      product *= naive_surface(term["product"], cells.at(together[0]), cells.at(together[1]));
    }
    for (const json& factor : term["factors"]) {
      const std::string name = factor["variable"];
      if (std::find(together.begin(), together.end(), name) != together.end()) continue;
      if (term.contains("curve") && term["curve"]["variable"] == name)
        product *= naive_pieces(term["curve"], cells.at(name));
      else
        product *= std::pow(cells.at(name), factor["power"].get<int>());
    }
    inner += product;
  }
  return inner;
}

// The utility of one layer's blocks by the JSON problem.
double utility_of(const json& problem, const std::map<std::string, double>& cells) {
  std::map<std::string, double> blocks;
  for (const json& block : problem["layers"][0]) {
    double total = 0;
    for (const json& head : block["heads"]) {
      const auto activation = activation_from_name(head["activation"].get<std::string>());
      total += (head["kind"] == "U" ? 1 : -1) * head["lambda"].get<double>() *
               reference::activate(activation, head_value(head, cells)).value;
    }
    blocks[block["name"]] = total;
  }
  double sum = problem["outputs"][0]["constant"];
  for (const json& one : problem["outputs"][0]["blocks"])
    sum += one["weight"].get<double>() * blocks.at(one["block"]);
  return sum;
}

// Two far values among the training rows, which a robust encoding pulls in.
Table with_outliers() {
  Table table = test::example_table(600);
  table.columns[0].numbers[5] = 500;
  table.columns[1].numbers[6] = 9;
  return table;
}

struct Case {
  Table table = with_outliers();
  StoredModel model;

  explicit Case(const EncodeOptions& options)
      : model(test::example_model(architecture(options), curved_encoder(table, options), 4)) {
    if (const auto bounds = curve_bounds(model.architecture, model.encoder, {}); !bounds.empty())
      project<double>(bounds, model.parameters);
    // Far cells, beyond the outer knots.
    table.columns[0].numbers[3] = 1e5;
    table.columns[1].numbers[4] = -300;
  }
  Architecture architecture(const EncodeOptions& options) const {
    return stacked(test::example_shape(curved_encoder(table, options), {"label"}, false), {3});
  }
  double utility(Index row, Index label) const {
    const auto encoded = model.encoder.encode_features<double>(table, std::vector<Index>{row});
    Matrix<double> out(1, 3);
    gibbs::Utility(model.architecture, model.parameters, 1, model.support())
        .utilities(encoded.view(), {nullptr, 1, 0, 0}, out.view());
    return out(0, label);
  }
  explain::Problem problem(explain::Units units) const {
    return explain::read_problem(model, test::example_classes({"label"}), units);
  }
};

std::vector<EncodeOptions> all_options() {
  EncodeOptions curves{.missing = MissingPolicy::impute, .curves = {.all = true, .knots = 9}};
  EncodeOptions straight = curves, one = curves, robust = curves;
  straight.curves.straight_ends = true;
  one.curves = {.columns = {"age"}};
  one.outliers = Outliers::robust;
  robust.curves = {};
  robust.outliers = Outliers::robust;
  std::vector<EncodeOptions> all = {curves, straight, one, robust};
  for (const CurveShape& shape :
       {CurveShape{.kind = CurveKind::cubic}, CurveShape{.kind = CurveKind::periodic, .period = 30},
        CurveShape{.kind = CurveKind::step}, CurveShape{.direction = -1}})
    for (const bool straight_ends : {false, true}) {
      EncodeOptions kind = curves;
      kind.curves.straight_ends = straight_ends;
      kind.curves.shapes = {{"age", shape}, {"size", {.kind = CurveKind::step}}};
      all.push_back(kind);
      if (shape.direction != 0) continue;
      kind.curves.products = {{"age", "share"}, {"size", "age"}};
      all.push_back(kind);
    }
  return all;
}

TEST(CurveTerms, PiecesInJsonAreTheUtilityOnRawCells) {
  for (const EncodeOptions& options : all_options()) {
    const Case c(options);
    const json problem = to_json(c.problem(explain::Units::original));
    for (Index row = 0; row < 60; ++row)
      for (Index label = 0; label < 3; ++label) {
        std::map<std::string, double> cells;
        for (const json& variable : problem["variables"])
          if (variable["kind"] != "block")
            cells[variable["name"]] =
                raw_value(variable, c.table, row, test::kLabels[static_cast<std::size_t>(label)]);
        const double expected = c.utility(row, label);
        EXPECT_NEAR(utility_of(problem, cells), expected, 1e-9 * std::max(1.0, std::abs(expected)))
            << "row " << row;
      }
  }
}

TEST(CurveTerms, BothUnitsEvaluateEncodedRowsAlike) {
  for (const EncodeOptions& options : all_options()) {
    const Case c(options);
    for (const auto units : {explain::Units::original, explain::Units::standardised}) {
      const explain::Problem problem = c.problem(units);
      for (Index row = 0; row < 20; ++row) {
        const auto encoded = c.model.encoder.encode_features<double>(c.table, std::vector<Index>{row});
        const auto inputs = explain::problem_inputs(problem, encoded.row(0), nullptr, 1);
        const double expected = c.utility(row, 1);
        EXPECT_NEAR(explain::evaluate(problem, inputs).outputs[0], expected,
                    1e-9 * std::max(1.0, std::abs(expected)));
      }
    }
  }
}

TEST(CurveTerms, SlopesAreThoseByTheRawCell) {
  for (const EncodeOptions& options : all_options()) {
    Case c(options);
    const explain::Problem problem = c.problem(explain::Units::original);
    ASSERT_EQ(problem.variables[0].name, "age");
    int compared = 0;
    for (Index row = 10; row < 60; ++row) {
      double& cell = c.table.columns[0].numbers[static_cast<std::size_t>(row)];
      if (std::isnan(cell)) continue;
      const auto encoded = c.model.encoder.encode_features<double>(c.table, std::vector<Index>{row});
      const auto at =
          explain::evaluate(problem, explain::problem_inputs(problem, encoded.row(0), nullptr, 2));
      const double slope = explain::gradient(problem, at, 0)[0];
      const double h = 1e-5, middle = cell;
      cell = middle + h;
      const double up = c.utility(row, 2);
      cell = middle - h;
      const double down = c.utility(row, 2);
      cell = middle;
      const double here = c.utility(row, 2);
      if (std::abs(up - 2 * here + down) > 1e-9) continue;  // a kink between the two
      EXPECT_NEAR(slope, (up - down) / (2 * h), 1e-5) << "row " << row;
      ++compared;
    }
    EXPECT_GT(compared, 20);
  }
}

TEST(CurveTerms, InputsAreThoseOfTheNetwork) {
  const Case c(all_options()[0]);
  const explain::Problem problem = c.problem(explain::Units::original);
  const auto inputs = explain::network_inputs(problem);
  ASSERT_EQ(static_cast<Index>(inputs.size()), c.model.architecture.input.size());
  for (std::size_t i = 0; i < c.model.encoder.columns().size(); ++i)
    if (c.model.encoder.columns()[i].bends()) {
      EXPECT_EQ(inputs[i].name, c.model.encoder.columns()[i].name);
    }
}

TEST(CurveTerms, TextNamesAndDescribesThem) {
  const Case c(all_options()[0]);
  explain::RenderOptions options;
  options.terms = 100;
  const std::string text = explain::render_text(c.problem(explain::Units::original), options);
  EXPECT_NE(text.find("age~"), std::string::npos) << text;
  EXPECT_NE(text.find("highest"), std::string::npos);
  EXPECT_EQ(text.find(".."), std::string::npos) << "single bends are not shown";
}

Case with_products() {
  EncodeOptions options = all_options()[0];
  options.curves.products = {{"age", "share"}, {"size", "age"}};
  return Case(options);
}

TEST(CurveTerms, InputsOfProductsFollowThoseOfColumns) {
  const Case c = with_products();
  const auto inputs = explain::network_inputs(c.problem(explain::Units::original));
  ASSERT_EQ(static_cast<Index>(inputs.size()), c.model.architecture.input.size());
  for (std::size_t i = 0; i < c.model.encoder.columns().size(); ++i)
    if (c.model.encoder.columns()[i].bends()) {
      EXPECT_EQ(inputs[i].name, c.model.encoder.columns()[i].name);
    }
}

TEST(CurveTerms, ProductsAreWrittenInAllForms) {
  const Case c = with_products();
  const explain::Problem problem = c.problem(explain::Units::original);
  explain::RenderOptions options;
  options.terms = 100;
  const std::string text = explain::render_text(problem, options);
  EXPECT_NE(text.find("age~*share~"), std::string::npos) << text;
  EXPECT_NE(text.find(" at age "), std::string::npos);
  EXPECT_EQ(text.find("~["), std::string::npos) << "single columns of a product are not shown";
  const std::string latex = explain::render_latex(problem, options);
  EXPECT_NE(latex.find("f(\\text{age},\\text{share})"), std::string::npos);
  EXPECT_NE(latex.find("\\begin{tabular}"), std::string::npos);
  EXPECT_NE(explain::render_markdown(problem, options).find("| age\\*share |"), std::string::npos)
      << explain::render_markdown(problem, options).substr(0, 2000);
  std::size_t terms = 0;
  for (const explain::Monomial& term : problem.layers[0][0].heads[0].terms)
    terms += term.product.has_value() ? 1U : 0U;
  EXPECT_EQ(terms, 2U);
}

TEST(CurveTerms, ProductsAreDrawnAsHeatMaps) {
  const Case c = with_products();
  const explain::Problem problem = c.problem(explain::Units::original);
  const explain::Block& block = problem.layers[0][0];
  const std::string svg = explain::render_svg(problem, {.block = block.name});
  EXPECT_EQ(test::XmlCheck::problem_with(svg), "");
  std::size_t maps = 0;
  for (std::size_t at = svg.find("<g class='product'>"); at != std::string::npos;
       at = svg.find("<g class='product'>", at + 1))
    ++maps;
  EXPECT_EQ(maps, 2 * block.heads.size());
  EXPECT_NE(svg.find("across: age"), std::string::npos);
}

TEST(Surface, ValuesSlopesAndWords) {
  const explain::Surface bowl{.first = {{0, 1, 3}}, .second = {{10, 20}}, .values = {1, 2, 3, 4, 5, 9}};
  EXPECT_EQ(bowl.at(-5, 5).value, 1);
  EXPECT_EQ(bowl.at(9, 99).value, 9);
  EXPECT_EQ(bowl.at(0.5, 10).value, 2);
  EXPECT_EQ(bowl.at(0.5, 15).by_first, 2);
  EXPECT_EQ(bowl.at(0.5, 15).by_second, 0.1);
  EXPECT_EQ(bowl.at(2, 15).value, 5.25);
  EXPECT_EQ(bowl.at(-1, 15).by_first, 0);
  EXPECT_EQ(bowl.at(3, 15).by_first, 0) << "at the outer knot that of the right side";
  EXPECT_NEAR(bowl.size(), std::sqrt(136.0 / 6), 1e-12);
  const explain::Surface round{.first = {{0, 8, 16}, 24}, .second = {{0, 1}}, .values = {0, 0, 1, 1, 2, 2}};
  EXPECT_EQ(round.at(20, 0.5).value, 1) << "between the last knot and the first";
  EXPECT_EQ(round.at(44, 0.5).value, 1);
  EXPECT_EQ(round.at(20, 0.5).by_first, -0.25);
  const explain::Surface saddle{.first = {{17, 45}}, .second = {{20, 60}}, .values = {1, -1, -1, 1}};
  EXPECT_EQ(explain::in_words(saddle, "age", "hours"),
            "high where both are high or both are low; lowest -1 at age 17, hours 60, highest 1 at age 17, "
            "hours 20");
}

TEST(CurveTerms, TermsThatMultiplyCurvesAreRefused) {
  const Table table = test::example_table(600);
  const Encoder encoder = curved_encoder(table, all_options()[0]);
  const Architecture products = single_block(test::example_shape(encoder, {"label"}, false), {2}, {1}, {1});
  const StoredModel model = test::example_model(products, encoder, 4);
  EXPECT_THROW(explain::read_problem(model, test::example_classes({"label"}), explain::Units::original),
               UsageError);
}

TEST(Pieces, InWords) {
  using explain::in_words;
  using explain::Pieces;
  EXPECT_EQ(in_words(Pieces{{17, 45, 90}, {-0.5, 1, 1}}),
            "rises to 45, then flat; lowest -0.5 at 17, highest 1 at 45");
  EXPECT_EQ(in_words(Pieces{{0, 1, 2, 3, 4}, {0, 0, 2, 2, -1}}),
            "flat to 1, rises to 2, flat to 3, falls to 4; lowest -1 at 4, highest 2 at 2");
  EXPECT_EQ(in_words(Pieces{{0, 1, 2, 3}, {3, 1.02, 1, 1.1}}),
            "falls to 1, then flat; lowest 1 at 2, highest 3 at 0");
  EXPECT_EQ(in_words(Pieces{{0, 1}, {2, 2}}), "flat");
}

TEST(Pieces, ValuesAndSlopes) {
  const explain::Pieces constant{{0, 2, 3}, {1, 5, 4}}, straight{{0, 2, 3}, {1, 5, 4}, true};
  EXPECT_EQ(constant.value(-7), 1);
  EXPECT_EQ(constant.value(1), 3);
  EXPECT_EQ(constant.value(2.5), 4.5);
  EXPECT_EQ(constant.value(9), 4);
  EXPECT_EQ(straight.value(-1), -1);
  EXPECT_EQ(straight.value(5), 2);
  EXPECT_EQ(constant.slope(-1), 0);
  EXPECT_EQ(constant.slope(0), 2);
  EXPECT_EQ(constant.slope(2), -1);
  EXPECT_EQ(constant.slope(3), 0);
  EXPECT_EQ(straight.slope(-1), 2);
  EXPECT_EQ(straight.slope(8), -1);
  EXPECT_NEAR(constant.size(), std::sqrt(14.0), 1e-12);
}

// A straight line with far values pulled in is described by its slope, not by values at knots beyond the
// data.
TEST(CurveTerms, APulledLineIsDescribedByItsSlope) {
  const Case c(all_options()[3]);
  const explain::Problem problem = c.problem(explain::Units::original);
  const explain::Head& head = problem.layers[0][0].heads[0];
  std::size_t found = 0;
  for (const explain::Monomial& term : head.terms) {
    if (!term.curve) continue;
    ++found;
    EXPECT_FALSE(explain::is_bent(problem, *term.curve));
    const std::string words = explain::curve_in_words(problem, *term.curve);
    const double median = problem.variables[term.curve->variable].mean;
    const double slope = (term.curve->pieces.value(median + 1e-3) - term.curve->pieces.value(median)) / 1e-3;
    EXPECT_TRUE(words.starts_with(
        fmt::format("{} by {:.4g} a unit from ", slope < 0 ? "falls" : "rises", std::abs(slope))))
        << words;
    EXPECT_EQ(words.find("lowest"), std::string::npos);
  }
  EXPECT_GT(found, 0U);
  EXPECT_EQ(explain::curve_panels(problem, problem.layers[0][0], {}).svg, "");
}

TEST(CurveTerms, PanelsDrawEveryCurveOnOneScale) {
  const Case c(all_options().front());
  const explain::Problem problem = c.problem(explain::Units::original);
  const explain::Block& block = problem.layers[0][0];
  const std::string svg = explain::render_svg(problem, {.block = block.name});
  EXPECT_EQ(test::XmlCheck::problem_with(svg), "");
  std::size_t curves = 0;
  double low = 0, high = 0;
  for (const explain::Head& head : block.heads)
    for (const explain::Monomial& term : head.terms) {
      if (!term.curve) continue;
      ++curves;
      for (const double value : term.curve->pieces.values) {
        low = std::min(low, value);
        high = std::max(high, value);
      }
    }
  std::vector<std::vector<std::pair<double, double>>> drawn;
  for (std::size_t at = svg.find("<polyline points='"); at != std::string::npos;
       at = svg.find("<polyline points='", at + 1)) {
    std::istringstream points(svg.substr(at + 18, svg.find('\'', at + 18) - at - 18));
    drawn.emplace_back();
    for (std::string point; points >> point;)
      drawn.back().emplace_back(std::stod(point), std::stod(point.substr(point.find(',') + 1)));
  }
  ASSERT_EQ(drawn.size(), curves);
  ASSERT_GT(curves, 2U);
  // Pixels per unit of height are the same in every panel: 64 for the whole range.
  std::size_t same = 0;
  for (const explain::Head& head : block.heads)
    for (const explain::Monomial& term : head.terms) {
      if (!term.curve) continue;
      const auto& values = term.curve->pieces.values;
      for (const auto& line : drawn) {
        bool fits = line.size() == values.size();
        for (std::size_t i = 0; fits && i < values.size(); ++i)
          fits =
              std::abs(line[0].second - line[i].second - 64 * (values[i] - values[0]) / (high - low)) < 0.11;
        same += fits ? 1 : 0;
      }
    }
  EXPECT_GE(same, curves);
}

}  // namespace
}  // namespace bl
