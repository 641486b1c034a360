// Curves and directions from settings and schema files: shapes, terms and bounds.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "features/schema_toml.hpp"
#include "plan/curve_plan.hpp"
#include "plan/plan.hpp"
#include "plan/table_plan.hpp"

namespace bl {
namespace {

Table rows() {
  std::string text = "x,z,y\n";
  for (int i = 0; i < 400; ++i)
    text += std::to_string((i * 37) % 200) + "," + std::to_string((i * 53) % 200 / 7.0) +
            (i % 3 == 0 ? ",no\n" : ",yes\n");
  return read_table_from_memory(text, "t.csv");
}

struct Planned {
  Settings settings;
  Table table = rows();
  Schema schema;
  CurveOptions curves;
  Encoder encoder;
  ResponseSpace space;

  explicit Planned(const std::string& list, bool single = false)
      : settings(with(list, single)),
        schema(plan_schema(table, settings)),
        curves(encode_options(settings, schema).curves),
        encoder(
            Encoder::fit(table, schema, encode_options(settings, schema), all_rows(table.rows), Context(1))),
        space(encoder) {}
  static Settings with(const std::string& list, bool single) {
    Settings s;
    s.target = "y";
    s.curves = list;
    s.single = single;
    return s;
  }
  Architecture architecture(bool to_minimum = false) const {
    return with_curve_terms(settings, plan_architecture(settings, utility_inputs(encoder, space), 400),
                            encoder, feature_directions(curves, encoder, space), to_minimum);
  }
};

TEST(CurvePlan, ReadsKindsAndDirections) {
  const CurveOptions curves = Planned("all, x:periodic:24, z:step:decreasing:no").curves;
  EXPECT_TRUE(curves.all);
  EXPECT_EQ(curves.shape("x").kind, CurveKind::periodic);
  EXPECT_EQ(curves.shape("x").period, 24);
  EXPECT_EQ(curves.shape("z").kind, CurveKind::step);
  EXPECT_EQ(curves.shape("z").direction, -1);
  EXPECT_EQ(curves.shape("z").toward, "no");
  EXPECT_TRUE(Planned("auto, x:cubic").curves.all);
  EXPECT_FALSE(Planned("x:cubic").curves.all);
  EXPECT_EQ(Planned("x").curves.knots, 24);
  EXPECT_EQ(Planned("x", true).curves.knots, 6) << "few where coefficients are read";
}

TEST(CurvePlan, SchemaFilesSayTheSame) {
  const ColumnSettings columns = read_schema_toml(
      "[columns]\nx = { curve = \"periodic\", period = 24 }\n"
      "z = { knots = [0, 5, 20], direction = \"increasing\", class = \"no\" }\n",
      "s.toml");
  EXPECT_EQ(columns.at("x").curve->kind, CurveKind::periodic);
  EXPECT_EQ(columns.at("x").curve->period, 24);
  EXPECT_THAT(columns.at("z").curve->knots, testing::ElementsAre(0, 5, 20));
  EXPECT_EQ(columns.at("z").curve->direction, 1);
  EXPECT_EQ(columns.at("z").curve->toward, "no");
  for (const char* bad : {"curve = \"wavy\"", "knots = 3", "knots = [\"a\"]", "period = \"long\"",
                          "direction = \"up\"", "class = [3]"})
    EXPECT_THROW(read_schema_toml(std::string("[columns]\nx = { ") + bad + " }\n", "s.toml"), UsageError)
        << bad;
  const Planned p("none");
  Settings settings;
  settings.target = "y";
  EXPECT_EQ(curve_options(settings, p.schema, columns).shape("x").kind, CurveKind::periodic);
  EXPECT_TRUE(curve_options(p.settings, p.schema, columns).columns.empty()) << "none is none";
}

TEST(CurvePlan, WhatCannotBeIsRefused) {
  for (const char* list :
       {"x:cubic:increasing", "x:periodic", "x:periodic:0", "x:wavy", "q:cubic", "x:increasing:perhaps"})
    EXPECT_THROW(Planned(list).architecture(), UsageError) << list;
  EXPECT_THROW(require_steps({{.feature = 0, .direction = 1, .toward = 0}}, true), UsageError);
}

TEST(CurvePlan, LinesThatCurvesGoWithoutAreHeldOrLeftOut) {
  const Planned p("x:periodic:200, z");
  const Architecture steps = p.architecture();
  EXPECT_EQ(steps.basis.kind, BasisKind::affine);
  const ParameterLayout layout(steps);
  const std::vector<Bound> bounds = curve_bounds(steps, p.encoder, {});
  ASSERT_EQ(static_cast<Index>(bounds.size()), layout.size());
  for (const TensorInfo& tensor : layout.tensors())
    for (Index i = 0; i < tensor.size(); ++i) {
      const bool line = tensor.role == TensorRole::weight && tensor.layer == 0 && i % tensor.cols == 0;
      EXPECT_EQ(bounds[static_cast<std::size_t>(tensor.offset + i)], line ? Bound::zero : Bound::none);
    }
  const Architecture minimum = p.architecture(true);
  EXPECT_EQ(minimum.basis.kind, BasisKind::listed);
  for (const Term& term : minimum.basis.extra)
    EXPECT_EQ(std::count(term.begin(), term.end(), 0), 0) << "the line of x is no term";
  EXPECT_TRUE(curve_bounds(minimum, p.encoder, {}).empty());
}

TEST(CurvePlan, ASingleBlockHasNoProductsOfCurves) {
  const Architecture a = Planned("all", true).architecture();
  const Index context = a.input.context;
  bool with_class = false;
  for (const Term& term : basis_terms(a.basis, a.input, a.degree())) {
    EXPECT_LE(std::count_if(term.begin(), term.end(), [&](std::int32_t i) { return i < context; }), 1);
    with_class |= term.size() == 2 && term[0] < context && term[1] >= context;
  }
  EXPECT_TRUE(with_class);
}

TEST(CurvePlan, EntriesOfColumns) {
  EXPECT_EQ(entries_of_columns("all, x:cubic, z:step:increasing", {"z"}), "all,z:step:increasing");
  EXPECT_EQ(entries_of_columns("a:b:cubic", {"a:b"}), "a:b:cubic");
  EXPECT_EQ(entries_of_columns("x", {"z"}), "");
  EXPECT_EQ(entries_of_columns("x~*z~, x:cubic", {"x", "z"}), "x~*z~,x:cubic");
  EXPECT_EQ(entries_of_columns("x~*z~, a~*b~", {"z"}), "z") << "the curve of the column that stays";
}

TEST(CurvePlan, Products) {
  const CurveOptions curves = Planned("z:cubic, x~*z~").curves;
  EXPECT_FALSE(curves.all);
  EXPECT_THAT(curves.columns, testing::ElementsAre("z", "x", "z"));
  EXPECT_THAT(curves.products, testing::ElementsAre(testing::Pair("x", "z")));
  EXPECT_TRUE(Planned("auto, x~*z~").curves.all);
  const Planned p("x~*z~");
  EXPECT_EQ(p.encoder.products().size(), 1U);
  EXPECT_TRUE(has_bends(p.encoder));
  const Architecture a = p.architecture();
  EXPECT_EQ(a.input.context, static_cast<Index>(p.encoder.columns().size()));
  // The weights of its columns decay like bends.
  const std::vector<double> decay = plan_decay(a, p.encoder, 1, 8);
  EXPECT_EQ(decay[static_cast<std::size_t>(a.input.context) - 1], 8);
}

TEST(CurvePlan, ProductsThatCannotBe) {
  const auto message = [](const std::string& list) -> std::string {
    try {
      Planned planned(list);
    } catch (const UsageError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_THAT(message("x~*zz~"), testing::HasSubstr("'zz' is no continuous or ordinal feature"));
  EXPECT_THAT(message("q~*z~"), testing::HasSubstr("'q' is no continuous or ordinal feature"));
  EXPECT_THAT(message("x~*y~"), testing::HasSubstr("'y' is no continuous or ordinal feature"));
  EXPECT_THAT(message("x~*x~"), testing::HasSubstr("'x' is multiplied with itself"));
  EXPECT_THAT(message("x~*z~, z~*x~"), testing::HasSubstr("stands there twice"));
  EXPECT_THAT(message("x~*z~, x:increasing"), testing::HasSubstr("has a direction"));
  Planned degree("x~*z~");
  degree.settings.degree = 2;
  const Architecture a =
      plan_architecture(degree.settings, utility_inputs(degree.encoder, degree.space), 400);
  EXPECT_THROW(refuse_products_of_curves(a, degree.encoder), UsageError);
}

}  // namespace
}  // namespace bl
