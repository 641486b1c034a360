#include "features/encoder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

Table read(std::string_view text, const char* name = "t.csv") {
  return read_table_from_memory(text, name);
}

std::vector<double> column_of(const Matrix<double>& matrix, Index col) {
  std::vector<double> result;
  for (Index row = 0; row < matrix.rows(); ++row) result.push_back(matrix(row, col));
  return result;
}

std::vector<std::string> names_of(const Encoder& encoder) {
  std::vector<std::string> names;
  for (const EncodedColumn& column : encoder.columns()) names.push_back(column.name);
  return names;
}

struct Case {
  Table table;
  RoleOptions roles;
  EncodeOptions options;

  Encoder fit() const { return fit_rows(all_rows(table.rows)); }
  Encoder fit_rows(std::span<const Index> rows) const {
    return Encoder::fit(table, infer_schema(table, roles), options, rows, Context(1));
  }
};

Case impute(std::string_view text, RoleOptions roles = {}) {
  return {read(text), std::move(roles), {MissingPolicy::impute, UnseenPolicy::error}};
}

// Values 2, 4, 4, 4, 5, 5, 7, 9 have mean 5 and population standard deviation 2, the usual textbook case.
TEST(Encoder, StandardizesByTrainingRowsOnly) {
  const Case c{read("x\n2\n4\n4\n4\n5\n5\n7\n9\n1000\n"), {}, {}};
  const std::vector<Index> train = {0, 1, 2, 3, 4, 5, 6, 7};
  const Encoder encoder = c.fit_rows(train);
  EXPECT_EQ(encoder.features()[0].mean, 5);
  EXPECT_EQ(encoder.features()[0].scale, 2);
  const auto encoded = encoder.encode_features<double>(c.table, all_rows(9));
  EXPECT_THAT(column_of(encoded, 0), ElementsAre(-1.5, -0.5, -0.5, -0.5, 0, 0, 1, 2, 497.5));
  const auto narrow = encoder.encode_features<float>(c.table, std::vector<Index>{8, 0});
  EXPECT_EQ(narrow(0, 0), 497.5F);
  EXPECT_EQ(narrow(1, 0), -1.5F);
  EXPECT_EQ(encoder.columns()[0].kind, EncodedColumn::Kind::standardized);
  EXPECT_EQ(encoder.columns()[0].mean, 5);
  EXPECT_EQ(encoder.columns()[0].scale, 2);
}

// Levels are sorted: b is the reference and has no column, neither where it is written nor where it is filled
// in.
TEST(Encoder, ReferenceLevelsHaveNoColumn) {
  const Case c{read("x,c\n1,r\n2,g\n3,b\n4,b\n5,\n"),
               {},
               {.missing = MissingPolicy::impute, .reference_levels = true}};
  const Encoder encoder = c.fit();
  EXPECT_THAT(names_of(encoder), ElementsAre("x", "c=g", "c=r", "c is missing"));
  const auto encoded = encoder.encode_features<double>(c.table, all_rows(5));
  EXPECT_THAT(column_of(encoded, 1), ElementsAre(0, 1, 0, 0, 0));
  EXPECT_THAT(column_of(encoded, 2), ElementsAre(1, 0, 0, 0, 0));
  EXPECT_THAT(column_of(encoded, 3), ElementsAre(0, 0, 0, 0, 1));
}

TEST(Encoder, ValuesWhoseSquaresOverflowAreRefusedNotTakenForConstant) {
  EXPECT_THAT(test::message_of<DataError>([] {
                Case{read("x\n1e300\n-3e300\n2e299\n"), {}, {}}.fit();
              }),
              HasSubstr("too large"));
}

// 2^52 + {0, 1, 2, 3}: a one-pass variance would lose everything; the true one is 5/4, the true mean 2^52
// + 1.5.
TEST(Encoder, LargeOffsetsDoNotSpoilTheScale) {
  const Case c{read("x\n4503599627370496\n4503599627370497\n4503599627370498\n4503599627370499\n"), {}, {}};
  const Encoder encoder = c.fit();
  EXPECT_NEAR(encoder.features()[0].mean - 0x1p52, 1.5, 0.5);  // doubles near 2^52 are 1 apart
  EXPECT_NEAR(encoder.features()[0].scale, std::sqrt(1.25), 1e-12);
}

TEST(Encoder, OneHotInSortedOrder) {
  const Case c{read("c,n\nred,10\nblue,9\nred,2\ngreen,10\n"),
               {{}, "", "", {}, {}, {{"n", {{}, ColumnType::nominal, {}}}}},
               {}};
  const Encoder encoder = c.fit();
  EXPECT_THAT(names_of(encoder), ElementsAre("c=blue", "c=green", "c=red", "n=2", "n=9", "n=10"));
  const auto encoded = encoder.encode_features<double>(c.table, all_rows(4));
  EXPECT_THAT(column_of(encoded, 2), ElementsAre(1, 0, 1, 0));
  EXPECT_THAT(column_of(encoded, 0), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(column_of(encoded, 5), ElementsAre(1, 0, 0, 1));
  for (Index row = 0; row < 4; ++row) {
    EXPECT_EQ(encoded(row, 0) + encoded(row, 1) + encoded(row, 2), 1);
    EXPECT_EQ(encoded(row, 3) + encoded(row, 4) + encoded(row, 5), 1);
  }
  EXPECT_EQ(encoder.columns()[4].kind, EncodedColumn::Kind::one_hot);
  EXPECT_EQ(encoder.columns()[4].feature, 1U);
  EXPECT_EQ(encoder.features()[1].levels[static_cast<std::size_t>(encoder.columns()[4].level)], "9");
}

// Places 0, 2, 1, 1 have mean 1 and population standard deviation sqrt(1/2).
TEST(Encoder, OrdinalPlacesAreStandardized) {
  const Case c{
      read("s\nlow\nhigh\nmid\nmid\n"), {{}, "", "", {}, {}, {{"s", {{}, {}, {"low", "mid", "high"}}}}}, {}};
  const Encoder encoder = c.fit();
  EXPECT_EQ(encoder.columns()[0].kind, EncodedColumn::Kind::ordinal);
  EXPECT_EQ(encoder.columns()[0].mean, 1);
  const auto encoded = encoder.encode_features<double>(c.table, all_rows(4));
  const double root = std::sqrt(2.0);
  EXPECT_NEAR(encoded(0, 0), -root, 1e-15);
  EXPECT_NEAR(encoded(1, 0), root, 1e-15);
  EXPECT_EQ(encoded(2, 0), 0);
}

TEST(Encoder, OrdinalNumbersWithoutAnOrderAscend) {
  const Case c{read("s\n10\n2\n5\n"), {{}, "", "", {}, {}, {{"s", {{}, ColumnType::ordinal, {}}}}}, {}};
  EXPECT_THAT(c.fit().features()[0].levels, ElementsAre("2", "5", "10"));
}

TEST(Encoder, ImputesMeanAndMostFrequentWithIndicator) {
  const Case c = impute("x,c,z\n1,a,1\n,b,2\n3,,3\n8,b,4\n");
  const Encoder encoder = c.fit();
  EXPECT_THAT(names_of(encoder), ElementsAre("x", "x is missing", "c=a", "c=b", "c is missing", "z"));
  const auto encoded = encoder.encode_features<double>(c.table, all_rows(4));
  EXPECT_EQ(encoder.features()[0].mean, 4);  // of 1, 3, 8
  EXPECT_EQ(encoded(1, 0), 0);               // the mean
  EXPECT_THAT(column_of(encoded, 1), ElementsAre(0, 1, 0, 0));
  EXPECT_THAT(column_of(encoded, 3), ElementsAre(0, 1, 1, 1));  // b is most frequent
  EXPECT_THAT(column_of(encoded, 4), ElementsAre(0, 0, 1, 0));
  EXPECT_THAT(encoder.report().missing, ElementsAre(Pair("x", 1), Pair("c", 1)));
  const auto later = encoder.encode_features<double>(read("x,c,z\n,,\n"), all_rows(1));
  EXPECT_EQ(later(0, 5), 0);  // z had no missing values in training: the mean, and no indicator
}

TEST(Encoder, ConstantAndDuplicateColumnsAreReported) {
  const Case c = impute("k,x,same,t,u,gap,none\n7,1,1,a,a,5,\n7,2,2,b,b,,\n7,3,3,a,a,5,\n");
  const Encoder encoder = c.fit();
  EXPECT_THAT(encoder.report().constant, ElementsAre("k", "gap", "none"));
  EXPECT_THAT(encoder.report().duplicates, ElementsAre(Pair("same", "x"), Pair("u", "t")));
  EXPECT_THAT(names_of(encoder), ElementsAre("x", "same", "t=a", "t=b", "u=a", "u=b", "gap is missing"));
  const auto encoded =
      encoder.encode_features<double>(read("gap,u,t,same,x\n5,a,b,1,2\n,a,a,1,1\n"), all_rows(2));
  EXPECT_THAT(column_of(encoded, 6), ElementsAre(0, 1));  // constant columns need not be there
}

TEST(Encoder, UnseenLevels) {
  Case c{read("c,x\na,1\nb,2\nb,3\n"), {}, {}};
  const Encoder strict = c.fit();
  const Table table = read("x,c\n1,b\n2,zzz\n", "new.csv");
  EXPECT_THAT(test::message_of<DataError>([&] { strict.encode_features<double>(table, all_rows(2)); }),
              AllOf(HasSubstr("new.csv:3: column 'c': 'zzz'"), HasSubstr("'a', 'b'"),
                    HasSubstr("`unseen_as_missing`")));
  const auto encoded = strict.with_unseen(UnseenPolicy::missing).encode_features<double>(table, all_rows(2));
  EXPECT_EQ(encoded(1, 0), 0);
  EXPECT_EQ(encoded(1, 1), 1);  // filled with b, the most frequent
}

TEST(Encoder, ClassesAndContinuousResponses) {
  RoleOptions roles;
  roles.targets = {"k", "v", "t"};
  roles.weight = "w";
  const Case c{read("k,v,x,t,w\n10,1.5,1,no,1\n9,2.5,2,yes,0\n10,4.5,3,no,2\n9,7.5,4,yes,1\n"), roles, {}};
  const Encoder encoder = c.fit();
  ASSERT_EQ(encoder.responses().size(), 3U);
  EXPECT_THAT(encoder.responses()[0].levels, ElementsAre("9", "10"));  // by value, not by spelling
  EXPECT_THAT(encoder.responses()[2].levels, ElementsAre("no", "yes"));
  const auto encoded = encoder.encode<double>(c.table, all_rows(4));
  ASSERT_EQ(encoded.classes.cols(), 2);
  EXPECT_EQ(encoded.classes(0, 0), 1);
  EXPECT_EQ(encoded.classes(1, 0), 0);
  EXPECT_EQ(encoded.classes(1, 1), 1);
  // 1.5, 2.5, 4.5, 7.5: mean 4, population variance (6.25 + 2.25 + 0.25 + 12.25) / 4 = 5.25.
  EXPECT_NEAR(encoded.continuous(3, 0), 3.5 / std::sqrt(5.25), 1e-15);
  EXPECT_THAT(encoded.weights, ElementsAre(1, 0, 2, 1));
  EXPECT_EQ(encoder.responses()[1].mean, 4);
}

TEST(Encoder, ClassWithoutTrainingRowsIsStillKnown) {
  RoleOptions roles;
  roles.targets = {"y"};
  const Case c{read("x,y\n1,a\n2,b\n3,c\n"), roles, {}};
  const Encoder encoder = c.fit_rows(std::vector<Index>{0, 1});
  EXPECT_THAT(encoder.responses()[0].levels, ElementsAre("a", "b", "c"));
  EXPECT_EQ(encoder.encode<float>(c.table, std::vector<Index>{2}).classes(0, 0), 2);
}

TEST(Encoder, LooksColumnsUpByName) {
  const Case c{read("a,b,c\n1,x,5\n2,y,7\n"), {}, {}};
  const Encoder encoder = c.fit();
  const auto direct = encoder.encode_features<double>(c.table, all_rows(2));
  const auto moved = encoder.encode_features<double>(read("extra,c,b,a\nq,5,x,1\nr,7,y,2\n"), all_rows(2));
  EXPECT_TRUE(std::equal(direct.flat().begin(), direct.flat().end(), moved.flat().begin()));
  EXPECT_THAT(
      test::message_of<DataError>(
          [&] { encoder.encode_features<double>(read("A,c\n1,2\n", "new.csv"), all_rows(1)); }),
      AllOf(HasSubstr("new.csv: 2 of the columns"), HasSubstr("'a', 'b'"), HasSubstr("did you mean 'A'?")));
}

TEST(Encoder, OtherRawTypesAreErrors) {
  const Case c = impute("n,t\n1,x\n2,y\n");
  const Encoder encoder = c.fit();
  const auto error = [&](std::string_view text) {
    return test::message_of<DataError>(
        [&] { encoder.encode_features<double>(read(text, "new.csv"), all_rows(2)); });
  };
  EXPECT_THAT(error("n,t\n1,x\nabc,y\n"),
              AllOf(HasSubstr("new.csv:3: column 'n': 'abc' was read as text"), HasSubstr("held numbers")));
  EXPECT_THAT(error("n,t\n1,5\n2,6\n"),
              AllOf(HasSubstr("new.csv:2: column 't': '5' was read as a number"), HasSubstr("held text")));
  ReadOptions as_text;
  as_text.types = {{"n", RawType::text}};
  const Table spelled = read_table_from_memory("n,t\n1,x\n", "new.csv", as_text);
  EXPECT_THAT(test::message_of<DataError>([&] { encoder.encode_features<double>(spelled, all_rows(1)); }),
              HasSubstr("column 'n' was read as text"));
  // A column without any value can be either.
  const auto empty = encoder.encode_features<double>(read("n,t\n1,\n2,\n"), all_rows(2));
  EXPECT_EQ(empty(0, 1), 1);  // x, the first of two equally frequent levels
}

TEST(Encoder, ErrorsInTraining) {
  RoleOptions y;
  y.targets = {"y"};
  const auto error = [](const Case& c) { return test::message_of<DataError>([&] { c.fit(); }); };
  EXPECT_THAT(error({read("x,y\n1,a\n,b\n"), y, {}}),
              AllOf(HasSubstr("t.csv:3: column 'x'"), HasSubstr("impute")));
  EXPECT_THAT(error({read("x,y\n1,a\n2,\n3,b\n"), y, {}}),
              HasSubstr("t.csv:3: column 'y': the response is missing; fill it in"));
  EXPECT_THAT(error({read("x,y\n1,a\n2,\n3,b\n4,\n5,\n"), y, {}}),
              HasSubstr("t.csv:3: column 'y': the response is missing, and in 2 other rows"));
  EXPECT_THAT(error({read("x,y\n1,a\n2,a\n"), y, {}}),
              AllOf(HasSubstr("'y' has one value only"), HasSubstr("'a'")));
  EXPECT_THAT(error({read("x,y\n1,1.5\n2,1.5\n"), y, {}}), HasSubstr("'y' has one value only"));
  EXPECT_THAT(error({read("x,y\n1,a\n1,b\n"), y, {}}),
              AllOf(HasSubstr("no feature is left"), HasSubstr("'x'")));
  EXPECT_THAT(error(impute("x,y\n,a\n,b\n", y)), HasSubstr("no feature is left"));
  EXPECT_THAT(error({read("x,y\n1.7e308,a\n-1.7e308,b\n1.7e308,a\n1.7e308,b\n"), y, {}}),
              HasSubstr("too large"));
  EXPECT_THAT(error({read("x,y\na,1\nb,2\nc,1\n"), y, {MissingPolicy::error, UnseenPolicy::error, 2}}),
              AllOf(HasSubstr("'x' has 3 different values"), HasSubstr("declare it an id")));
  EXPECT_THAT(test::message_of<DataError>([&] {
                Case{read("x,y\n1,a\n2,b\n"), y, {}}.fit_rows({});
              }),
              HasSubstr("no training rows"));
  RoleOptions ordinal;
  ordinal.columns["x"].levels = {"low", "high"};
  EXPECT_THAT(error({read("x\nlow\nhigh\nhuge\n"), ordinal, {}}),
              HasSubstr("t.csv:4: column 'x': 'huge' is not among the levels"));
}

TEST(Encoder, ErrorsInNewRows) {
  RoleOptions roles;
  roles.targets = {"k", "v"};
  roles.weight = "w";
  const Case c{read("x,k,v,w\n1,a,1.5,1\n2,b,2.5,1\n"), roles, {}};
  const Encoder encoder = c.fit();
  const auto error = [&](std::string_view text) {
    const Table table = read(text, "new.csv");
    return test::message_of<DataError>([&] { encoder.encode<float>(table, all_rows(table.rows)); });
  };
  EXPECT_THAT(error("x,k,v,w\n1,a,1,1\n,a,1,1\n"), HasSubstr("new.csv:3: column 'x': the value is missing"));
  EXPECT_THAT(error("x,k,v,w\n1,a,1,1\n1,c,1,1\n"),
              AllOf(HasSubstr("new.csv:3: column 'k': 'c'"), HasSubstr("classes")));
  EXPECT_THAT(error("x,k,v,w\n1,a,1,1\n1,,1,1\n"),
              HasSubstr("new.csv:3: column 'k': the response is missing"));
  EXPECT_THAT(error("x,k,v,w\n1,a,,1\n"), HasSubstr("new.csv:2: column 'v': the response is missing"));
  EXPECT_THAT(error("x,k,v,w\n1,a,1,-1\n"), HasSubstr("new.csv:2: column 'w': the weight -1 is negative"));
  EXPECT_THAT(error("x,k,v,w\n1,a,1,\n"), HasSubstr("new.csv:2: column 'w': the weight is missing"));
  EXPECT_THAT(error("x,k,v,w\n1,a,1,0\n1,b,2,0\n"), HasSubstr("all weights are 0"));
  EXPECT_THAT(error("x,k,v,w\n1e300,a,1,1\n"), HasSubstr("new.csv:2: column 'x': 1e+300 is too far"));
  EXPECT_THAT(error("x,w\n1,1\n"), AllOf(HasSubstr("2 of the columns"), HasSubstr("'k', 'v'")));
  EXPECT_EQ(encoder.encode_features<float>(read("x\n1\n"), all_rows(1)).rows(), 1);
}

// Blocks of rows inside the encoder must not show.
TEST(Encoder, ManyRows) {
  std::string text = "c,x\n";
  for (int i = 0; i < 1000; ++i) text += std::string(i % 3 == 0 ? "u" : "v") + "," + std::to_string(i) + "\n";
  const Case c{read(text), {}, {}};
  const auto encoded = c.fit().encode_features<double>(c.table, all_rows(1000));
  const double mean = 499.5, scale = std::sqrt((1000.0 * 1000.0 - 1) / 12);
  for (Index i = 0; i < 1000; ++i) {
    ASSERT_EQ(encoded(i, 0), i % 3 == 0 ? 1 : 0);
    ASSERT_EQ(encoded(i, 1), i % 3 == 0 ? 0 : 1);
    ASSERT_NEAR(encoded(i, 2), (static_cast<double>(i) - mean) / scale, 1e-14);
  }
}

}  // namespace
}  // namespace bl
