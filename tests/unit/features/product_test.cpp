// Products of two curves: what their columns are uncorrelated with, the penalty that one decay stands for,
// values on raw cells, files, and tables that bear none.
#include "features/product.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "features/encoder.hpp"

namespace bl {
namespace {

// a, b: correlated, b with a long tail and empty cells; hour: 0 to 24; flag: 0 and 1; copy: a again.
Table example(Index rows) {
  const RandomStream random(3, Purpose::test);
  Table table;
  table.source = "t.csv";
  table.rows = rows;
  const auto numbers = [](const std::string& name) { return Column{name, RawType::numeric, {}, {}, {}}; };
  Column a = numbers("a"), b = numbers("b"), hour = numbers("hour"), flag = numbers("flag"),
         copy = numbers("copy"), y{"y", RawType::text, {}, {}, {"no", "yes"}};
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(rows); ++i) {
    const double z = random.normal(0, i);
    a.numbers.push_back(40 + 12 * z);
    b.numbers.push_back(i % 11 == 3 ? std::nan("") : std::exp(0.5 * z + random.normal(1, i)));
    hour.numbers.push_back(24 * random.uniform(2, i));
    flag.numbers.push_back(random.uniform(3, i) < 0.4 ? 1 : 0);
    copy.numbers.push_back(a.numbers.back());
    y.codes.push_back(static_cast<std::int32_t>(i % 2));
    table.lines.append(static_cast<std::int64_t>(i) + 2);
  }
  table.columns = {a, b, hour, flag, copy, y};
  return table;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

EncodeOptions options_of(const Pairs& products) {
  EncodeOptions options{.missing = MissingPolicy::impute};
  options.curves = {.all = true,
                    .knots = 12,
                    .shapes = {{"hour", {.kind = CurveKind::periodic, .period = 24}}},
                    .products = products};
  return options;
}

Encoder fitted(const Table& table, const Pairs& products) {
  RoleOptions roles;
  roles.targets = {"y"};
  return Encoder::fit(table, infer_schema(table, roles), options_of(products), all_rows(table.rows),
                      Context(1));
}

const Pairs kPairs = {{"a", "b"}, {"hour", "a"}, {"a", "flag"}};

// The hat function that is 1 at one knot of the axis: a second way to write it.
double hat(const GridAxis& axis, std::size_t knot, double x) {
  const std::size_t count = axis.knots.size();
  std::vector<double> knots = axis.knots;
  if (axis.period > 0) {
    while (x < knots[0]) x += axis.period;
    while (x >= knots[0] + axis.period) x -= axis.period;
    knots.push_back(knots[0] + axis.period);
  }
  x = std::clamp(x, knots.front(), knots.back());
  double value = 0;
  for (std::size_t i = 0; i < knots.size(); ++i) {
    if (i % count != knot) continue;
    if (i > 0 && x >= knots[i - 1] && x <= knots[i]) value = (x - knots[i - 1]) / (knots[i] - knots[i - 1]);
    if (i + 1 < knots.size() && x >= knots[i] && x <= knots[i + 1])
      value = (knots[i + 1] - x) / (knots[i + 1] - knots[i]);
  }
  return value;
}

double naive_column(const ProductEncoding& product, std::size_t k, double x, double y) {
  double sum = 0;
  const std::size_t width = product.second_axis.knots.size();
  for (std::size_t i = 0; i < product.first_axis.knots.size(); ++i)
    for (std::size_t j = 0; j < width; ++j)
      sum +=
          product.columns[k][i * width + j] * hat(product.first_axis, i, x) * hat(product.second_axis, j, y);
  return sum;
}

double cell(const Table& table, const std::string& name, Index row) {
  return table.column(name).numbers[static_cast<std::size_t>(row)];
}

TEST(Product, ColumnsStandBehindAllOthersAndHaveNames) {
  const Encoder encoder = fitted(example(1500), kPairs);
  const auto& columns = encoder.columns();
  ASSERT_EQ(encoder.products().size(), 3U);
  std::size_t at = columns.size();
  for (const ProductEncoding& one : encoder.products()) at -= one.columns.size();
  EXPECT_EQ(columns[at].name, "a~*b~[1]");
  for (std::size_t i = 0; i < columns.size(); ++i)
    EXPECT_EQ(columns[i].kind == EncodedColumn::Kind::product, i >= at);
  EXPECT_TRUE(columns[at].reads(0));
  EXPECT_TRUE(columns[at].reads(1));
  EXPECT_FALSE(columns[at].reads(2));
  for (const ProductEncoding& one : encoder.products()) {
    EXPECT_LE(one.first_axis.knots.size(), 7U);
    EXPECT_LE(one.second_axis.knots.size(), 7U);
    EXPECT_LE(one.columns.size(), 16U);
    EXPECT_GE(one.columns.size(), 1U);
  }
  EXPECT_THAT(encoder.products()[2].second_axis.knots, testing::ElementsAre(0, 1));
  EXPECT_EQ(encoder.products()[1].first_axis.period, 24);
}

TEST(Product, EncodedValuesAreThoseOfTheGridOnRawCells) {
  Table table = example(1500);
  const Encoder encoder = fitted(table, kPairs);
  table.columns[0].numbers[5] = 1e6;  // beyond the outer knots
  table.columns[1].numbers[6] = -1e6;
  table.columns[2].numbers[7] = 24 * 40 + 3;
  const Matrix<double> encoded = encoder.encode_features<double>(table, all_rows(200));
  const Matrix<float> single = encoder.encode_features<float>(table, all_rows(200));
  for (Index row = 0; row < 200; ++row) {
    Index at = encoded.cols();
    for (const ProductEncoding& one : encoder.products()) at -= static_cast<Index>(one.columns.size());
    for (const ProductEncoding& one : encoder.products()) {
      const FeatureEncoding &first = encoder.features()[one.first], &second = encoder.features()[one.second];
      double x = cell(table, first.name, row), y = cell(table, second.name, row);
      if (std::isnan(x)) x = first.fill;
      if (std::isnan(y)) y = second.fill;
      for (std::size_t k = 0; k < one.columns.size(); ++k, ++at) {
        const double expected = naive_column(one, k, x, y);
        EXPECT_NEAR(encoded(row, at), expected, 1e-10) << "row " << row << " column " << k;
        EXPECT_NEAR(single(row, at), expected, 1e-3);
      }
    }
  }
}

// Rows with a missing cell are not among those that a product is learned from.
TEST(Product, IsUncorrelatedWithEveryFunctionOfOneColumn) {
  const Table table = example(1500);
  const Encoder encoder = fitted(table, kPairs);
  for (const ProductEncoding& one : encoder.products()) {
    const std::string first = encoder.features()[one.first].name,
                      second = encoder.features()[one.second].name;
    double variance = 0, rows = 0;
    for (std::size_t k = 0; k < one.columns.size(); ++k) {
      double mean = 0, square = 0;
      rows = 0;
      std::vector<double> along(one.first_axis.knots.size(), 0), across(one.second_axis.knots.size(), 0);
      for (Index row = 0; row < table.rows; ++row) {
        const double x = cell(table, first, row), y = cell(table, second, row);
        if (std::isnan(x) || std::isnan(y)) continue;
        const double value = naive_column(one, k, x, y);
        rows += 1;
        mean += value;
        square += value * value;
        for (std::size_t i = 0; i < along.size(); ++i) along[i] += value * hat(one.first_axis, i, x);
        for (std::size_t j = 0; j < across.size(); ++j) across[j] += value * hat(one.second_axis, j, y);
      }
      EXPECT_NEAR(mean / rows, 0, 1e-10);
      for (const double sum : along) EXPECT_NEAR(sum / rows, 0, 1e-10);
      for (const double sum : across) EXPECT_NEAR(sum / rows, 0, 1e-10);
      variance += square / rows;
    }
    EXPECT_NEAR(variance / static_cast<double>(one.columns.size()), 1, 0.1) << "few knots follow neighbours";
  }
}

double penalty_of(const ProductEncoding& one, const std::vector<double>& values) {
  const std::size_t height = one.first_axis.knots.size(), width = one.second_axis.knots.size();
  double sum = 0;
  for (const double value : values) sum += value * value;
  for (std::size_t i = 0; i < height; ++i)
    for (std::size_t j = 0; j < width; ++j) {
      const auto at = [&](std::size_t p, std::size_t q) { return values[p % height * width + q % width]; };
      const double down = at(i, j) - 2 * at(i + 1, j) + at(i + 2, j);
      const double right = at(i, j) - 2 * at(i, j + 1) + at(i, j + 2);
      if (i + 2 < height || one.first_axis.period > 0) sum += down * down;
      if (j + 2 < width || one.second_axis.period > 0) sum += right * right;
    }
  return sum;
}

TEST(Product, OneDecayForAllWeightsIsThePenalty) {
  const Encoder encoder = fitted(example(1500), kPairs);
  const RandomStream random(9, Purpose::test);
  for (const ProductEncoding& one : encoder.products()) {
    const double unit = penalty_of(one, one.columns[0]);
    for (std::uint64_t draw = 0; draw < 5; ++draw) {
      std::vector<double> values(one.columns[0].size(), 0);
      double squares = 0;
      for (std::size_t k = 0; k < one.columns.size(); ++k) {
        const double weight = random.normal(draw, k);
        squares += weight * weight;
        for (std::size_t i = 0; i < values.size(); ++i) values[i] += weight * one.columns[k][i];
      }
      EXPECT_NEAR(penalty_of(one, values) / (unit * squares), 1, 1e-9);
    }
  }
}

// Where no rows are, a surface goes on as its neighbours do and grows nowhere.
TEST(Product, EmptyCornersFollowTheirNeighbours) {
  Table table = example(2000);
  auto& a = table.columns[0].numbers;
  auto& b = table.columns[1].numbers;
  for (std::size_t i = 0; i < a.size(); ++i) {
    a[i] = std::fmod(0.618033988749895 * static_cast<double>(i), 1.0);
    b[i] = a[i] * std::fmod(0.754877666246693 * static_cast<double>(i), 1.0);  // below the diagonal
  }
  const Encoder encoder = fitted(table, {{"a", "b"}});
  const ProductEncoding& one = encoder.products()[0];
  const std::size_t width = one.second_axis.knots.size();
  for (const auto& values : one.columns) {
    double largest = 0;
    for (std::size_t i = 0; i < one.first_axis.knots.size(); ++i)
      for (std::size_t j = 0; j < width; ++j)
        if (one.second_axis.knots[j] <= one.first_axis.knots[i])
          largest = std::max(largest, std::abs(values[i * width + j]));
    EXPECT_LE(std::abs(values[width - 1]), largest) << "lowest a, highest b";
  }
}

TEST(Grid, PlacesAndValues) {
  const GridAxis plain{{1, 2, 4}}, round{{0, 8, 16}, 24};
  EXPECT_EQ(place_on(plain, 3).low, 1U);
  EXPECT_EQ(place_on(plain, 3).part, 0.5);
  EXPECT_EQ(place_on(plain, 3).slope, 0.5);
  EXPECT_EQ(place_on(plain, 0).part, 0);
  EXPECT_EQ(place_on(plain, 0).slope, 0);
  EXPECT_EQ(place_on(plain, 9).part, 1);
  EXPECT_EQ(place_on(round, 20).low, 2U);
  EXPECT_EQ(place_on(round, 20).high, 0U);
  EXPECT_EQ(place_on(round, -4).part, 0.5);
  // x y between the corners of one cell.
  const std::vector<double> values = {1, 2, 2, 4, 4, 8};
  const GridValue at = grid_value(values, 2, place_on(plain, 3), place_on({{1, 2}}, 1.25));
  EXPECT_EQ(at.value, 3 * 1.25);
  EXPECT_EQ(at.by_first, 1.25);
  EXPECT_EQ(at.by_second, 3);
}

TEST(Product, OfTwoFlagsIsTheirProductWithoutTheMainEffects) {
  FeatureEncoding first, second;
  std::vector<double> x, y;
  for (int i = 0; i < 400; ++i) {
    x.push_back(i % 2);
    y.push_back(i / 2 % 2);
  }
  const ProductEncoding one = fit_product(first, second, x, y);
  ASSERT_EQ(one.columns.size(), 1U);
  const double sign = one.columns[0][0];
  EXPECT_NEAR(std::abs(sign), 1, 1e-12);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(one.columns[0][i], i == 1 || i == 2 ? -sign : sign, 1e-12);
  EXPECT_EQ(product_name("age", "hours"), "age~*hours~");
  first.name = "a";
  second.name = "b";
  ProductEncoding placed = one;
  placed.second = 1;
  EXPECT_EQ(read_products(products_json({placed}, {first, second}), {first, second}),
            std::vector<ProductEncoding>{placed});
}

TEST(Product, MixedRowsAreCompleted) {
  const Table table = example(1500);
  const Encoder encoder = fitted(table, kPairs);
  Matrix<double> encoded = encoder.encode_features<double>(table, all_rows(3));
  const Matrix<double> before = encoded;
  for (Index i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < encoder.columns().size(); ++j)
      if (encoder.columns()[j].kind == EncodedColumn::Kind::product) encoded(i, static_cast<Index>(j)) = 99;
  encoder.complete_products(encoded.view());
  EXPECT_TRUE(std::equal(encoded.flat().begin(), encoded.flat().end(), before.flat().begin()));
}

TEST(Product, JsonKeepsEveryBitAndOldFilesHaveNone) {
  const Table table = example(1500);
  const Encoder encoder = fitted(table, kPairs), plain = fitted(table, {});
  const Encoder again = Encoder::from_json(nlohmann::json::parse(encoder.to_json().dump()));
  EXPECT_EQ(again.products(), encoder.products());
  const auto before = encoder.encode_features<double>(table, all_rows(table.rows));
  const auto after = again.encode_features<double>(table, all_rows(table.rows));
  EXPECT_TRUE(std::equal(before.flat().begin(), before.flat().end(), after.flat().begin()));
  EXPECT_FALSE(plain.to_json().contains("products"));
  EXPECT_TRUE(Encoder::from_json(plain.to_json()).products().empty());
  std::size_t own = 0;
  for (const ProductEncoding& one : encoder.products()) own += one.columns.size();
  EXPECT_EQ(plain.columns().size() + own, encoder.columns().size());
}

TEST(Product, BadFilesAreRefused) {
  const nlohmann::json good = fitted(example(600), {{"a", "b"}}).to_json();
  const auto refuses = [&](const std::string& place, const nlohmann::json& value) {
    nlohmann::json bad = good;
    bad["products"][0][nlohmann::json::json_pointer(place)] = value;
    EXPECT_THROW(Encoder::from_json(bad), ModelFileError) << place << " = " << value;
  };
  refuses("/axes/0/column", "nobody");
  refuses("/axes/1/column", "a");
  refuses("/axes/0/knots", {1});
  refuses("/axes/0/knots", {3, 2, 1});
  refuses("/axes/0/period", 1e-3);
  refuses("/columns", nlohmann::json::array());
  refuses("/columns/0", {1.0, 2.0});
  refuses("/columns/0/0", "much");
  nlohmann::json twice = good;
  twice["products"].push_back(good["products"][0]);
  EXPECT_THROW(Encoder::from_json(twice), ModelFileError);
}

TEST(Product, WhatTheRowsDoNotBearIsRefused) {
  Table table = example(600);
  EXPECT_THROW(fitted(table, {{"a", "copy"}}), DataError) << "a function of one column";
  for (std::size_t i = 0; i < 600; ++i) table.columns[3].numbers[i] = 1;
  EXPECT_THROW(fitted(table, {{"a", "flag"}}), DataError) << "constant";
}

}  // namespace
}  // namespace bl
