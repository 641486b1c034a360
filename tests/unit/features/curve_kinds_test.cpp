// Cubic, periodic and step curves, and curves of one direction, against independent formulas.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "features/curve.hpp"
#include "features/encoder.hpp"
#include "features/spline.hpp"

namespace bl {
namespace {

Table table_of(const std::vector<double>& values) {
  std::string text = "x,y\n";
  for (std::size_t i = 0; i < values.size(); ++i)
    text += nlohmann::json(values[i]).dump() + (i % 2 == 0 ? ",a\n" : ",b\n");
  return read_table_from_memory(text, "t.csv");
}

// Of every size from 0 to 24, denser at the lower end.
std::vector<double> hours() {
  std::vector<double> out;
  for (int i = 0; i < 900; ++i) {
    const double part = std::fmod(0.6180339887 * i, 1.0);
    out.push_back(24 * part * (0.6 + 0.4 * part));
  }
  return out;
}

FeatureEncoding fitted(const CurveShape& shape, bool straight_ends = false) {
  const Table table = table_of(hours());
  RoleOptions roles;
  roles.targets = {"y"};
  EncodeOptions options;
  options.curves = {.columns = {"x"}, .knots = 8, .straight_ends = straight_ends, .shapes = {{"x", shape}}};
  return Encoder::fit(table, infer_schema(table, roles), options, all_rows(table.rows), Context(1))
      .features()[0];
}

const std::vector<CurveShape> kShapes = {{.kind = CurveKind::cubic},
                                         {.kind = CurveKind::periodic, .period = 24},
                                         {.kind = CurveKind::step},
                                         {.direction = 1},
                                         {.kind = CurveKind::step, .direction = -1}};

// The natural spline through 1 at one knot by its second derivatives: the textbook's tridiagonal system,
// solved by elimination.
double textbook_spline(const std::vector<double>& t, std::size_t knot, double x) {
  const std::size_t n = t.size();
  std::vector<double> y(n, 0), m(n, 0), upper(n, 0), right(n, 0);
  y[knot] = 1;
  for (std::size_t i = 1; i + 1 < n; ++i) {
    const double h0 = t[i] - t[i - 1], h1 = t[i + 1] - t[i];
    const double pivot = 2 * (h0 + h1) - h0 * upper[i - 1];
    upper[i] = h1 / pivot;
    right[i] = (6 * ((y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0) - h0 * right[i - 1]) / pivot;
  }
  for (std::size_t i = n - 1; i-- > 1;) m[i] = right[i] - upper[i] * m[i + 1];
  std::size_t i = 0;
  while (i + 2 < n && x > t[i + 1]) ++i;
  const double h = t[i + 1] - t[i], a = (t[i + 1] - x) / h, b = (x - t[i]) / h;
  return a * y[i] + b * y[i + 1] + ((a * a * a - a) * m[i] + (b * b * b - b) * m[i + 1]) * h * h / 6;
}

TEST(CurveKinds, EveryKindIsTriedHere) {
  std::vector<std::string> tried;
  for (const CurveShape& shape : kShapes) tried.push_back(to_string(shape.kind));
  for (const std::string& kind : curve_kind_names()) EXPECT_THAT(tried, testing::Contains(kind));
}

TEST(CurveKinds, CubicBendsAreNaturalSplines) {
  const FeatureEncoding f = fitted({.kind = CurveKind::cubic});
  ASSERT_EQ(f.bends.size(), f.bends.knots.size() - 2);
  for (std::size_t j = 0; j < f.bends.size(); ++j)
    for (double x = f.bends.knots.front(); x <= f.bends.knots.back(); x += 0.37)
      EXPECT_NEAR(bend_function(f.bends, j, x), textbook_spline(f.bends.knots, j + 1, x), 1e-12) << x;
}

TEST(CurveKinds, BeyondTheKnotsASplineIsConstantOrStraight) {
  const FeatureEncoding constant = fitted({.kind = CurveKind::cubic});
  const FeatureEncoding straight = fitted({.kind = CurveKind::cubic}, true);
  const double first = constant.bends.knots.front(), last = constant.bends.knots.back();
  for (std::size_t j = 0; j < constant.bends.size(); ++j) {
    EXPECT_EQ(bend_function(constant.bends, j, last + 50), bend_function(constant.bends, j, last));
    EXPECT_EQ(bend_function(constant.bends, j, first - 50), bend_function(constant.bends, j, first));
    const auto rise = [&](double x) {
      return bend_function(straight.bends, j, x + 1) - bend_function(straight.bends, j, x);
    };
    EXPECT_NEAR(rise(last + 3), rise(last + 40), 1e-12);
    const auto slope = [&](double x) {
      return (bend_function(straight.bends, j, x + 1e-6) - bend_function(straight.bends, j, x)) / 1e-6;
    };
    EXPECT_NEAR(rise(last + 3), slope(last - 1e-6), 1e-7);
    EXPECT_NEAR(rise(first - 3), slope(first), 1e-7);
  }
}

TEST(CurveKinds, PeriodicOnesRepeatAndAreSmoothAcrossTheirEnds) {
  const FeatureEncoding f = fitted({.kind = CurveKind::periodic, .period = 24});
  ASSERT_EQ(f.bends.size(), f.bends.knots.size() - 1);
  for (std::size_t j = 0; j < f.bends.size(); ++j) {
    const auto value = [&](double x) { return bend_function(f.bends, j, x); };
    for (const double x : {-3.2, 0.0, 1.7, 11.9, 23.5}) {
      EXPECT_NEAR(value(x), value(x + 24), 1e-12);
      EXPECT_NEAR(value(x), value(x - 72), 1e-12);
    }
    const double h = 1e-3;  // first and second differences on both sides of the seam
    EXPECT_NEAR((value(h) - value(0)) / h, (value(24) - value(24 - h)) / h, 2e-3);
    EXPECT_NEAR((value(2 * h) - 2 * value(h) + value(0)) / (h * h),
                (value(24) - 2 * value(24 - h) + value(24 - 2 * h)) / (h * h), 5e-3);
    for (std::size_t i = 0; i < f.bends.knots.size(); ++i)
      EXPECT_NEAR(value(f.bends.knots[i]), i == j + 1 ? 1 : 0, 1e-14);
  }
}

TEST(CurveKinds, StepsJumpAtTheirKnots) {
  const FeatureEncoding f = fitted({.kind = CurveKind::step});
  ASSERT_EQ(f.bends.size(), f.bends.knots.size() - 1);
  for (std::size_t j = 0; j < f.bends.size(); ++j) {
    EXPECT_EQ(bend_function(f.bends, j, f.bends.knots[j + 1]), 1);
    EXPECT_EQ(bend_function(f.bends, j, f.bends.knots[j + 1] - 1e-9), 0);
  }
}

TEST(CurveKinds, BendsAreCentredAndShareOneScale) {
  const std::vector<double> values = hours();
  for (const CurveShape& shape : kShapes) {
    const FeatureEncoding f = fitted(shape);
    ASSERT_GT(f.bends.size(), 0U);
    double squares = 0;
    for (std::size_t j = 0; j < f.bends.size(); ++j) {
      double sum = 0, with_line = 0;
      for (const double x : values) {
        const double z = straight_part(f, x), value = bend_value(f, j, x, z);
        sum += value;
        with_line += value * z;
        squares += value * value;
      }
      EXPECT_NEAR(sum / 900, 0, 1e-12);
      if (f.bends.line) {
        EXPECT_NEAR(with_line / 900, 0, 1e-12);
      }
    }
    EXPECT_NEAR(squares / 900 / static_cast<double>(f.bends.size()), 1, 1e-10);
  }
}

// With weights of one sign, whatever they are.
TEST(CurveKinds, CurvesOfOneDirectionNeverFall) {
  for (const CurveKind kind : {CurveKind::linear, CurveKind::step}) {
    const FeatureEncoding f = fitted({.kind = kind, .direction = 1});
    EXPECT_FALSE(f.bends.line);
    double before = -1e9;
    for (double x = -5; x < 30; x += 0.05) {
      double value = 0;
      for (std::size_t j = 0; j < f.bends.size(); ++j)
        value += static_cast<double>((7 * j + 3) % 5) * bend_value(f, j, x, straight_part(f, x));
      EXPECT_GE(value, before - 1e-12) << x;
      before = value;
    }
  }
}

// Any non-decreasing function that is linear between the knots is met: the rise over each piece is its
// weight.
TEST(CurveKinds, CurvesOfOneDirectionSpanAllRises) {
  const FeatureEncoding f = fitted({.direction = 1});
  ASSERT_EQ(f.bends.size(), f.bends.knots.size() - 1);
  for (std::size_t j = 0; j < f.bends.size(); ++j) {
    const auto value = [&](std::size_t knot) {
      const double x = f.bends.knots[knot];
      return bend_value(f, j, x, straight_part(f, x)) * f.bends.scale;
    };
    for (std::size_t i = 0; i + 1 < f.bends.knots.size(); ++i)
      EXPECT_NEAR(value(i + 1) - value(i), i == j ? 1 : 0, 1e-12);
  }
}

TEST(CurveKinds, GivenKnotsAreKept) {
  const FeatureEncoding f = fitted({.knots = {0, 5, 9, 24}});
  EXPECT_THAT(f.bends.knots, testing::ElementsAre(0, 5, 9, 24));
  EXPECT_THROW(fitted({.knots = {0, 5, 100, 200}}), DataError);
}

TEST(CurveKinds, JsonKeepsEveryBitAndRefusesNonsense) {
  const Table table = table_of(hours());
  RoleOptions roles;
  roles.targets = {"y"};
  for (const CurveShape& shape : kShapes) {
    EncodeOptions options;
    options.curves = {.columns = {"x"}, .knots = 8, .shapes = {{"x", shape}}};
    const Encoder encoder =
        Encoder::fit(table, infer_schema(table, roles), options, all_rows(table.rows), Context(1));
    const nlohmann::json good = nlohmann::json::parse(encoder.to_json().dump());
    EXPECT_EQ(Encoder::from_json(good).features(), encoder.features());
    const auto refuses = [&](const char* field, const nlohmann::json& value) {
      nlohmann::json bad = good;
      bad["features"][0]["bends"][field] = value;
      EXPECT_THROW(Encoder::from_json(bad), ModelFileError) << field << " = " << value;
    };
    refuses("kind", "wavy");
    refuses("constant", {1.0});
    if (!encoder.features()[0].bends.line) refuses("widest", 0);
    if (shape.kind == CurveKind::periodic) refuses("period", 3);
    if (shape.kind == CurveKind::step) refuses("line", true);
  }
}

TEST(CurveKinds, TooFewRowsForAPeriod) {
  const Table table = table_of(std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8});
  RoleOptions roles;
  roles.targets = {"y"};
  EncodeOptions options;
  options.curves = {.columns = {"x"}, .shapes = {{"x", {.kind = CurveKind::periodic, .period = 24}}}};
  EXPECT_THROW(Encoder::fit(table, infer_schema(table, roles), options, all_rows(table.rows), Context(1)),
               DataError);
}

}  // namespace
}  // namespace bl
