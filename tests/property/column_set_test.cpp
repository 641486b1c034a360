// Every type of column and every kind of encoded column through all that reads them: encoder, model file,
// explanation, description, responses by column, tables with latent classes, and the page of a report, which
// encodes by itself. One that is forgotten somewhere fails here.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "bl/fit.hpp"
#include "bl/report.hpp"
#include "choice/table_rows.hpp"
#include "explain/read_problem.hpp"
#include "features/column_kind.hpp"
#include "fitted/fitted_model.hpp"
#include "support/page_values.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using nlohmann::json;

struct ColumnCase {
  std::string name;
  std::vector<ColumnType> types;  // of the features
  std::string curves = "none";
};

const std::vector<ColumnCase>& cases() {
  static const std::vector<ColumnCase> all = {
      {"continuous", {ColumnType::continuous}},
      {"nominal", {ColumnType::nominal}},
      {"ordinal", {ColumnType::ordinal}},
      {"text", {ColumnType::text}},
      {"linear_curve", {ColumnType::continuous}, "continuous:linear"},
      {"cubic_curve", {ColumnType::continuous}, "continuous:cubic"},
      {"periodic_curve", {ColumnType::continuous}, "continuous:periodic:24"},
      {"step_curve", {ColumnType::continuous}, "continuous:step"},
      {"curve_of_levels", {ColumnType::ordinal}, "ordinal"},
      {"product", {ColumnType::continuous, ColumnType::ordinal}, "continuous~*ordinal~"}};
  return all;
}

// A column of each type, called like it; cells may be missing here and there.
std::string table_text(bool complete = false) {
  const std::vector<std::string> levels = {"none", "few", "some", "many", "most"},
                                 words = {"rain", "sun", "wind", "snow", "fog", "hail", "heat", "storm"};
  std::string out = "continuous,nominal,ordinal,text,y\n";
  for (std::size_t i = 0; i < 600; ++i) {
    const double x = 24 * std::fmod(0.6180339887 * static_cast<double>(i), 1.0);
    const std::size_t place = (i * i + i / 7) % 5;
    out += (!complete && i % 23 == 5 ? "" : json(x).dump()) + ",";
    out += (!complete && i % 29 == 7 ? "" : levels[(i * 3 + i / 11) % 5]) + ",";
    out += (!complete && i % 31 == 3 ? "" : levels[place]) + ",";
    if (complete || i % 19 != 2)
      for (std::size_t k = 0; k < 6; ++k) out += words[(i * (k + 3) + i / (k + 5)) % words.size()] + " ";
    out += std::sin(x / 3) + 0.4 * static_cast<double>(place) * std::cos(x / 5) > 0.5 ? ",yes\n" : ",no\n";
  }
  return out;
}

class ColumnSet : public testing::TestWithParam<std::size_t> {
 protected:
  const ColumnCase& one() const { return cases()[GetParam()]; }
  const FittedModel& fitted() const { return summary_.model.impl(); }
  const Encoder& encoder() const { return fitted().stored.encoder; }
  const Table& table() const { return data_.impl().table; }
  std::vector<Index> rows() const { return all_rows(table().rows); }

  Data read() const {
    folder_.write("table.csv", table_text());
    return Data::read(folder_.file("table.csv"), {});
  }

  Settings settings() const {
    Settings s;
    s.target = "y";
    std::string ignored, schema = "[columns]\n";
    for (const ColumnType type : kColumnTypes) {
      const std::string column(facts(type).name);
      if (std::find(one().types.begin(), one().types.end(), type) == one().types.end())
        ignored += (ignored.empty() ? "" : ",") + column;
      schema += column + " = { type = \"" + column + "\"" +
                (type == ColumnType::ordinal ? R"(, levels = ["none", "few", "some", "many", "most"])" : "") +
                " }\n";
    }
    s.ignore = ignored;
    s.schema = folder_.write("schema.toml", schema);
    s.curves = one().curves;
    s.missing = "impute";
    s.layers = "2";
    s.form = "scalar";
    s.epochs = 3;
    return s;
  }

  const test::TemporaryFolder folder_;
  const Data data_ = read();
  const FitSummary summary_ = fit(data_, settings());
};

// Whether a case has columns of this kind; the compiler asks for a new one here.
bool has_kind(const ColumnCase& one, EncodedColumn::Kind kind) {
  using Kind = EncodedColumn::Kind;
  const auto reads = [&](ColumnType type) {
    return std::find(one.types.begin(), one.types.end(), type) != one.types.end();
  };
  switch (kind) {
    case Kind::standardized:
      return reads(ColumnType::continuous);
    case Kind::ordinal:
      return reads(ColumnType::ordinal);
    case Kind::bend:
      return one.curves != "none";
    case Kind::one_hot:
      return reads(ColumnType::nominal);
    case Kind::indicator:
      return true;
    case Kind::component:
      return reads(ColumnType::text);
    case Kind::product:
      return one.name == "product";
  }
  return false;
}

TEST_P(ColumnSet, ColumnsAreThoseThatAreWritten) {
  const Matrix<double> all = encoder().encode_features<double>(table(), rows());
  const Matrix<float> single = encoder().encode_features<float>(table(), rows());
  ASSERT_EQ(all.cols(), static_cast<Index>(encoder().columns().size()));
  std::set<std::string> names;
  for (const EncodedColumn& column : encoder().columns()) names.insert(column.name);
  EXPECT_EQ(names.size(), encoder().columns().size());
  for (Index i = 0; i < all.rows(); ++i)
    for (Index c = 0; c < all.cols(); ++c) {
      ASSERT_TRUE(std::isfinite(all(i, c)));
      ASSERT_NEAR(single(i, c), all(i, c), 1e-5 * (1 + std::abs(all(i, c))));
      const EncodedColumn& column = encoder().columns()[static_cast<std::size_t>(c)];
      if (column.kind != EncodedColumn::Kind::indicator) continue;
      ASSERT_EQ(all(i, c), table().column(encoder().features()[column.feature].name).missing(i) ? 1 : 0);
    }
}

TEST_P(ColumnSet, ModelFilesKeepIt) {
  const Model again = Model::from_bytes(summary_.model.to_bytes(), "memory");
  EXPECT_EQ(again.impl().stored.encoder.features(), encoder().features());
  const auto before = encoder().encode_features<double>(table(), rows()),
             after = again.impl().stored.encoder.encode_features<double>(table(), rows());
  EXPECT_TRUE(
      std::equal(before.flat().begin(), before.flat().end(), after.flat().begin(), after.flat().end()));
}

// The problem with names gives the utility that the network gives, in both units.
TEST_P(ColumnSet, ExplanationsReadIt) {
  const Matrix<double> x = encoder().encode_features<double>(table(), rows());
  Matrix<double> expected(x.rows(), 2);
  fitted().utility.utilities(x.view(), {nullptr, x.rows(), 0, 0}, expected.view());
  for (const explain::Units units : {explain::Units::original, explain::Units::standardised}) {
    const explain::Problem problem = problem_of(fitted(), units);
    for (Index i = 0; i < x.rows(); i += 7)
      for (std::int32_t c = 0; c < 2; ++c) {
        const double found =
            evaluate(problem, problem_inputs(problem, x.row(i), nullptr, c)).outputs[0] / problem.temperature;
        ASSERT_NEAR(found, expected(i, c), 1e-8 * (1 + std::abs(expected(i, c)))) << i;
      }
  }
}

TEST_P(ColumnSet, ThePageOfAReportEncodesIt) {
  if (one().types[0] == ColumnType::text) {
    EXPECT_THROW(report_html(summary_.model, data_), UsageError);
    return;
  }
  EXPECT_THAT(report_html(summary_.model, data_), testing::HasSubstr("</html>"));
  if (!test::has_node()) GTEST_SKIP() << "node is not installed: the page's own values are not checked";
  json cells = json::array();
  for (Index i = 0; i < table().rows; ++i)
    cells.push_back({{"row", test::page_row(table(), i)}, {"points", json::array()}});
  const json encoded = test::page_values(fitted(), cells);
  const Matrix<double> x = encoder().encode_features<double>(table(), rows());
  for (Index i = 0; i < x.rows(); ++i) {
    const json& row = encoded[static_cast<std::size_t>(i)]["columns"];
    ASSERT_EQ(row.size(), static_cast<std::size_t>(x.cols()));
    for (Index c = 0; c < x.cols(); ++c)
      ASSERT_NEAR(row[static_cast<std::size_t>(c)].get<double>(), x(i, c), 1e-9) << i;
  }
}

// A description tells of every feature what it is; responses by column try the values of numbers and levels.
TEST_P(ColumnSet, DescriptionsAndResponsesShowIt) {
  const std::string text = std::regex_replace(summary_.model.describe(), std::regex("\\s+"), " ");
  const OutputTable tried = responses(summary_.model, data_);
  for (const FeatureEncoding& feature : encoder().features()) {
    const ColumnFacts& known = facts(feature.type);
    const std::string what = known.number() ? ""
                             : known.single_values()
                                 ? fmt::format(" ({} {} levels", feature.levels.size(), known.name)
                                 : fmt::format(" ({}, ", known.name);
    EXPECT_THAT(text, testing::HasSubstr(feature.name + what));
    std::vector<std::string> values;
    for (std::size_t i = 0; i < tried.rows; ++i)
      if (tried.columns[0].texts[i] == feature.name) values.push_back(tried.columns[1].texts[i]);
    if (known.levels) {
      EXPECT_THAT(values, testing::UnorderedElementsAreArray(feature.levels));
    } else {
      EXPECT_EQ(values.size(), known.number() ? 3U : 0U);  // low, median, high
    }
  }
}

// As choices among the classes: numbers and levels have coefficients for each, sentences are refused.
TEST_P(ColumnSet, TablesWithLatentClassesReadItOrRefuseIt) {
  const Data data = Data::read(folder_.write("complete.csv", table_text(true)), {});
  ChoiceDeclaration written;
  written.layout = kTableLayout;
  written.latent = {{"classes", "2"}};
  Settings all = settings();
  all.curves = "none";
  if (one().types[0] == ColumnType::text) {
    EXPECT_THROW(rows_as_choices(data.impl().table, written, all), UsageError);
    return;
  }
  std::vector<std::string> inputs, expected;
  for (const auto& specific : rows_as_choices(data.impl().table, written, all).declaration.specific)
    inputs.push_back(specific.attribute);
  for (const FeatureEncoding& feature : encoder().features())
    if (facts(feature.type).number())
      expected.push_back(feature.name);
    else
      for (const std::string& level : feature.levels) expected.push_back(feature.name + "=" + level);
  for (const std::string& input : inputs) EXPECT_THAT(expected, testing::Contains(input));
  std::size_t references = 0;  // a level of each column has no coefficient
  for (const FeatureEncoding& feature : encoder().features())
    if (facts(feature.type).levels) ++references;
  EXPECT_EQ(inputs.size() + references, expected.size());
}

TEST_P(ColumnSet, TheKindsAreWhatTheCaseIsFor) {
  const auto& columns = encoder().columns();
  for (int k = 0; k <= static_cast<int>(EncodedColumn::Kind::product); ++k) {
    const auto kind = static_cast<EncodedColumn::Kind>(k);
    EXPECT_EQ(
        std::any_of(columns.begin(), columns.end(), [&](const EncodedColumn& c) { return c.kind == kind; }),
        has_kind(one(), kind))
        << k;
  }
  for (const FeatureEncoding& feature : encoder().features()) {
    EXPECT_EQ(feature.levels.empty(), !facts(feature.type).levels);
    EXPECT_EQ(std::any_of(columns.begin(), columns.end(), [](const EncodedColumn& c) { return c.line(); }),
              facts(feature.type).line);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, ColumnSet, testing::Range<std::size_t>(0, cases().size()),
                         [](const auto& one) { return cases()[one.param].name; });

// Where nobody says it: each column is found to be of the type that it is called like. Levels have an order
// where the file declares one.
TEST(ColumnSets, EveryTypeIsFoundInATable) {
  const test::TemporaryFolder folder;
  Table table = Data::read(folder.write("table.csv", table_text()), {}).impl().table;
  for (Column& column : table.columns) column.ordered = column.name == facts(ColumnType::ordinal).name;
  const Schema schema = infer_schema(table, {.targets = {"y"}});
  for (const ColumnType type : kColumnTypes)
    EXPECT_EQ(schema.find(facts(type).name)->type, type) << facts(type).name;
}

TEST(ColumnSets, EveryTypeAndEveryCurveIsTriedHere) {
  std::set<ColumnType> types;
  std::set<std::string> curves;
  for (const ColumnCase& one : cases()) {
    types.insert(one.types.begin(), one.types.end());
    for (const std::string& kind : curve_kind_names())
      if (one.name == kind + "_curve") curves.insert(kind);
  }
  EXPECT_EQ(types.size(), kColumnTypes.size());
  EXPECT_EQ(curves.size(), curve_kind_names().size());
}

}  // namespace
}  // namespace bl
