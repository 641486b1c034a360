#include "features/curve.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "features/encoder.hpp"
#include "features/pull.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using ::testing::ElementsAre;

// Skewed values without repetition, by a fixed rule.
std::vector<double> skewed(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = (static_cast<double>((i * 7919) % count) + 0.5) / static_cast<double>(count);
    values.push_back(40 - 9 * std::log(share));
  }
  return values;
}

Table table_of(const std::vector<double>& values, const std::string& name = "x") {
  std::string text = name + ",y\n";
  for (std::size_t i = 0; i < values.size(); ++i)
    text += nlohmann::json(values[i]).dump() + (i % 2 == 0 ? ",a\n" : ",b\n");
  return read_table_from_memory(text, "t.csv");
}

Encoder fit(const Table& table, const EncodeOptions& options, RoleOptions roles = {}) {
  roles.targets = {"y"};
  return Encoder::fit(table, infer_schema(table, roles), options, all_rows(table.rows), Context(1));
}

EncodeOptions curves(bool straight_ends = false) {
  return {.missing = MissingPolicy::impute,
          .curves = {.all = true, .knots = 12, .straight_ends = straight_ends}};
}

double mean_product(const Matrix<double>& m, Index a, Index b) {
  double sum = 0;
  for (Index i = 0; i < m.rows(); ++i) sum += m(i, a) * (b < 0 ? 1 : m(i, b));
  return sum / static_cast<double>(m.rows());
}

TEST(Curve, KnotsLeaveEveryPieceEnoughRows) {
  std::vector<double> values = skewed(3000);
  for (std::size_t i = 0; i < 2500; ++i) values[i] = 40;  // most rows repeat one value
  std::sort(values.begin(), values.end());
  const std::vector<double> knots = curve_knots(values, 24);
  ASSERT_GE(knots.size(), 5U);
  EXPECT_LE(knots.size(), 24U);
  EXPECT_EQ(knots.front(), values.front());
  EXPECT_GE(knots.back(), values[values.size() - 8]);  // but for outliers
  EXPECT_LE(knots.back(), values.back());
  for (std::size_t i = 0; i + 1 < knots.size(); ++i)
    EXPECT_GE(std::count_if(values.begin(), values.end(),
                            [&](double x) { return x > knots[i] && x <= knots[i + 1]; }),
              20)
        << knots[i];
}

TEST(Curve, FewRowsBearNoBend) {
  EXPECT_TRUE(fit(table_of(skewed(30)), curves()).features()[0].bends.knots.empty());
  EXPECT_FALSE(fit(table_of(skewed(60)), curves()).features()[0].bends.knots.empty());
}

TEST(Curve, OutliersDoNotMoveTheOuterKnots) {
  std::vector<double> values = skewed(3000);
  const double most = *std::max_element(values.begin(), values.end());
  values[17] = 1e6;
  values[1711] = -3e5;
  const Bends bends = fit(table_of(values), curves()).features()[0].bends;
  EXPECT_GE(bends.knots.front(), 40);
  EXPECT_LE(bends.knots.back(), most);
}

TEST(Curve, BendsAreCentredStraightenedAndShareOneScale) {
  for (const bool straight_ends : {false, true}) {
    const Table table = table_of(skewed(2000));
    const Encoder encoder = fit(table, curves(straight_ends));
    const auto encoded = encoder.encode_features<double>(table, all_rows(table.rows));
    const Bends& bends = encoder.features()[0].bends;
    ASSERT_EQ(encoded.cols(), static_cast<Index>(bends.knots.size()) - 1);
    EXPECT_EQ(encoder.straight_columns(), 1U);
    EXPECT_NEAR(mean_product(encoded, 0, -1), 0, 1e-12);
    EXPECT_NEAR(mean_product(encoded, 0, 0), 1, 1e-12);
    double squares = 0;
    for (Index j = 1; j < encoded.cols(); ++j) {
      EXPECT_NEAR(mean_product(encoded, j, -1), 0, 1e-12);
      EXPECT_NEAR(mean_product(encoded, j, 0), 0, 1e-12);
      squares += mean_product(encoded, j, j);
    }
    EXPECT_NEAR(squares / static_cast<double>(bends.size()), 1, 1e-12);
  }
}

// Line and bends span what is linear between the knots: the hat function of every knot is met exactly.
// Gauss elimination on the values at the knots shows that they are also independent.
TEST(Curve, LineAndBendsSpanThePiecewiseLinearFunctions) {
  const Table table = table_of(skewed(2000));
  const Encoder encoder = fit(table, curves());
  const FeatureEncoding& f = encoder.features()[0];
  const std::size_t m = f.bends.knots.size();
  std::vector<std::vector<double>> a;  // rows: knots; columns: 1, line, bends
  for (const double x : f.bends.knots) {
    const double z = straight_part(f, x);
    std::vector<double> row = {1, z};
    for (std::size_t j = 0; j < f.bends.size(); ++j) row.push_back(bend_value(f, j, x, z));
    ASSERT_EQ(row.size(), m);
    a.push_back(row);
  }
  for (std::size_t k = 0; k < m; ++k) {
    const auto pivot = std::max_element(
        a.begin() + static_cast<std::ptrdiff_t>(k), a.end(),
        [&](const auto& one, const auto& other) { return std::abs(one[k]) < std::abs(other[k]); });
    std::iter_swap(a.begin() + static_cast<std::ptrdiff_t>(k), pivot);
    EXPECT_GT(std::abs(a[k][k]), 1e-3) << k;
    for (std::size_t i = k + 1; i < m; ++i) {
      const double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < m; ++j) a[i][j] -= factor * a[k][j];
    }
  }
}

TEST(Curve, EndsAreConstantOrStraightOn) {
  const FeatureEncoding constant = fit(table_of(skewed(2000)), curves()).features()[0];
  const FeatureEncoding straight = fit(table_of(skewed(2000)), curves(true)).features()[0];
  const double last = constant.bends.knots.back();
  for (std::size_t j = 0; j < constant.bends.size(); ++j) {
    const auto at = [j](const FeatureEncoding& f, double x) {
      return bend_value(f, j, x, straight_part(f, x));
    };
    EXPECT_EQ(at(constant, last), at(constant, 1e9));
    EXPECT_NEAR(at(straight, last + 2) - at(straight, last + 1),
                (at(straight, last) - at(straight, last - 1e-2)) / 1e-2, 1e-9);
  }
  EXPECT_EQ(straight_part(constant, 1e9), straight_part(constant, last));
}

TEST(Curve, OrderedLevelsAreKnots) {
  std::string text = "s,y\n";
  const std::vector<std::string> levels = {"none", "low", "some", "high"};
  for (int i = 0; i < 200; ++i)
    text += levels[static_cast<std::size_t>(i * i) % 4] + (i % 3 == 0 ? ",a\n" : ",b\n") +
            levels[static_cast<std::size_t>(i) % 4] + ",a\n";
  const Table table = read_table_from_memory(text, "t.csv");
  RoleOptions roles;
  roles.columns["s"].type = ColumnType::ordinal;
  roles.columns["s"].levels = levels;
  const Encoder encoder = fit(table, curves(), roles);
  EXPECT_THAT(encoder.features()[0].bends.knots, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(encoder.columns()[1].kind, EncodedColumn::Kind::bend);
  EXPECT_EQ(encoder.columns()[1].name, "s~1..2");
}

TEST(Curve, OnlyNamedColumnsBend) {
  const std::vector<double> values = skewed(200);
  std::string text = "p,q,y\n";
  for (std::size_t i = 0; i < values.size(); ++i)
    text += nlohmann::json(values[i]).dump() + "," + nlohmann::json(values[(i + 50) % 200]).dump() +
            (i % 2 == 0 ? ",a\n" : ",b\n");
  const Encoder encoder = fit(read_table_from_memory(text, "t.csv"), {.curves = {.columns = {"q"}}});
  EXPECT_TRUE(encoder.features()[0].bends.knots.empty());
  EXPECT_FALSE(encoder.features()[1].bends.knots.empty());
}

TEST(Curve, MissingValuesAreFilledWithTheMedianAndFlagged) {
  std::string text = "x,y\n,a\n";
  for (int i = 1; i < 400; ++i) text += std::to_string(i) + (i % 2 == 0 ? ",a\n" : ",b\n");
  const Table table = read_table_from_memory(text, "t.csv");
  const Encoder encoder = fit(table, curves());
  const FeatureEncoding& f = encoder.features()[0];
  EXPECT_EQ(f.fill, 200);
  const auto encoded = encoder.encode_features<double>(table, std::vector<Index>{0, 200});
  const Index last = encoded.cols() - 1;
  EXPECT_EQ(encoded(0, last), 1);
  EXPECT_EQ(encoded(1, last), 0);
  for (Index j = 0; j < last; ++j) EXPECT_EQ(encoded(0, j), encoded(1, j));
}

TEST(Curve, JsonKeepsEveryBit) {
  const Table table = table_of(skewed(500));
  for (const EncodeOptions& options :
       {curves(), curves(true), EncodeOptions{.outliers = Outliers::robust}, EncodeOptions{}}) {
    const Encoder encoder = fit(table, options);
    const Encoder again = Encoder::from_json(nlohmann::json::parse(encoder.to_json().dump()));
    EXPECT_EQ(again.features(), encoder.features());
    const auto before = encoder.encode_features<double>(table, all_rows(table.rows));
    const auto after = again.encode_features<double>(table, all_rows(table.rows));
    EXPECT_TRUE(std::equal(before.flat().begin(), before.flat().end(), after.flat().begin()));
  }
}

TEST(Curve, BadFilesAreRefused) {
  const nlohmann::json good = fit(table_of(skewed(500)), curves()).to_json();
  const auto refuses = [&](const char* field, const nlohmann::json& value) {
    nlohmann::json bad = good;
    bad["features"][0]["bends"][field] = value;
    EXPECT_THROW(Encoder::from_json(bad), ModelFileError) << field << " = " << value;
  };
  refuses("knots", {1, 2});
  refuses("knots", {3, 2, 1});
  refuses("widest", 99);
  refuses("scale", 0);
  refuses("slope", {1.0});
  nlohmann::json bad = good;
  bad["features"][0]["pull"]["to"] = {2, 1};
  EXPECT_THROW(Encoder::from_json(bad), ModelFileError);
}

TEST(Pull, LeavesTheBulkAndBoundsTheRest) {
  std::vector<double> values = skewed(2000);
  std::sort(values.begin(), values.end());
  const Pull pull = compress_tails(values);
  const double median = sorted_quantile(values, 0.5), unit = robust_deviation(values);
  double before = pulled(pull, -1e12);
  for (double x = median - 60 * unit; x < median + 60 * unit; x += unit / 7) {
    const double y = pulled(pull, x);
    EXPECT_GE(y, before);
    before = y;
    if (std::abs(x - median) < 4.99 * unit) {
      EXPECT_EQ(y, x);
    }
  }
  EXPECT_NEAR(pulled(pull, 1e300), median + 12.5 * unit, 1e-9);
  EXPECT_NEAR(pulled(pull, median - 10 * unit), median - 7.5 * unit, 1e-9);
  EXPECT_NEAR(pulled(pull, median + 8 * unit) - pulled(pull, median + 6 * unit), unit, 1e-9);
  EXPECT_EQ(pulled(Pull{}, 1e300), 1e300);
}

// Four far rows of 3000 change what the others are encoded as by little; plainly standardised they flatten
// them.
TEST(Pull, AFewOutliersDoNotFlattenTheOthers) {
  std::vector<double> values = skewed(3000);
  const auto spread = [&](Outliers outliers) {
    const Table table = table_of(values);
    const Encoder encoder = fit(table, {.outliers = outliers});
    const auto encoded = encoder.encode_features<double>(table, std::vector<Index>{100, 200});
    return std::abs(encoded(0, 0) - encoded(1, 0));
  };
  const double clean = spread(Outliers::plain), clean_robust = spread(Outliers::robust);
  EXPECT_NEAR(clean_robust, clean, 0.1 * clean);
  for (const std::size_t i : {5U, 500U, 900U, 2900U}) values[i] = 7e5;
  EXPECT_NEAR(spread(Outliers::robust), clean, 0.15 * clean);
  EXPECT_LT(spread(Outliers::plain), 0.01 * clean);
}

TEST(Pull, IsNothingWhereNoValueIsFar) {
  std::vector<double> values;
  for (int i = 0; i < 100; ++i) values.push_back(i);
  EXPECT_EQ(compress_tails(values), Pull{});
  EXPECT_NE(compress_tails(std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7, 8, 90}), Pull{});
}

// Most values equal: the interquartile range is zero, a wider one counts.
TEST(Pull, MostlyEqualValuesHaveASpread) {
  std::vector<double> values(920, 0.0);
  for (int i = 0; i < 80; ++i) values.push_back(1000 + 100 * i);
  EXPECT_GT(robust_deviation(values), 100);
  EXPECT_EQ(robust_deviation(std::vector<double>(10, 3.0)), 0);
}

}  // namespace
}  // namespace bl
