// Tables made in memory, and tables written as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "bl/data.hpp"
#include "bl/errors.hpp"
#include "bl/fit.hpp"
#include "bl/output.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using testing::HasSubstr;

std::string refusal(const std::vector<Data::Column>& columns) {
  return test::message_of<DataError>([&] { Data::from_columns(columns, "memory"); });
}

TEST(DataFromColumns, KnowsItsColumns) {
  const double missing = std::nan("");
  const Data data =
      Data::from_columns({{"a", {1, missing, -3}, {}}, {"t", {}, {{"x"}, std::nullopt, {"x"}}}}, "memory");
  EXPECT_EQ(data.rows(), 3U);
  EXPECT_EQ(data.source(), "memory");
  const auto columns = data.columns();
  EXPECT_TRUE(columns[0].numeric);
  EXPECT_EQ(columns[0].missing, 1U);
  EXPECT_EQ(columns[0].lowest, -3);
  EXPECT_EQ(columns[0].highest, 1);
  EXPECT_FALSE(columns[1].numeric);
  EXPECT_EQ(columns[1].distinct, 1U);
  EXPECT_EQ(columns[1].missing, 1U);
}

TEST(DataFromColumns, RefusesWhatIsNoTable) {
  EXPECT_THAT(refusal({}), HasSubstr("no rows"));
  EXPECT_THAT(refusal({{"a", {}, {}}}), HasSubstr("no rows"));
  EXPECT_THAT(refusal({{"a", {1, 2}, {}}, {"b", {1}, {}}}), HasSubstr("column 'b' has 1 rows"));
  EXPECT_THAT(refusal({{"a", {1, std::numeric_limits<double>::infinity()}, {}}}), HasSubstr("infinite"));
  EXPECT_THAT(refusal({{"a", {1}, {}}, {"a", {2}, {}}}), HasSubstr("two columns are named 'a'"));
}

TEST(DataFromColumns, TakesCategoriesAndKeepsTheirOrder) {
  const Data data = Data::from_columns(
      {{.name = "size", .codes = {2, -1, 0}, .levels = {"small", "medium", "large"}, .ordered = true},
       {.name = "color", .codes = {1, 0, 1}, .levels = {"red", "blue"}}},
      "memory");
  EXPECT_EQ(data.columns()[0].missing, 1U);
  EXPECT_EQ(data.columns()[1].distinct, 2U);
  const std::string schema = schema_file(data, {});
  EXPECT_THAT(schema, HasSubstr("ordinal"));
  EXPECT_LT(schema.find("\"small\""), schema.find("\"medium\""));
  EXPECT_LT(schema.find("\"medium\""), schema.find("\"large\""));
  EXPECT_THAT(refusal({{.name = "c", .codes = {0, 2}, .levels = {"x", "y"}}}), HasSubstr("code 2"));
  EXPECT_THAT(refusal({{.name = "c", .codes = {0, -2}, .levels = {"x", "y"}}}), HasSubstr("code -2"));
  EXPECT_THAT(refusal({{.name = "c", .codes = {0}, .levels = {"x", "x"}}}), HasSubstr("level twice"));
}

// Numbers of somebody else are read where they lie, and held for as long as the data live.
TEST(DataFromColumns, DoesNotCopyNumbersThatLieElsewhere) {
  auto memory = std::make_shared<std::vector<double>>(std::vector<double>{1, std::nan(""), 2.5});
  const std::weak_ptr<const void> alive = memory;
  {
    const Data data =
        Data::from_columns({{.name = "a", .borrowed = *memory, .owner = memory}, {"b", {1, 2, 3}, {}}}, "m");
    EXPECT_EQ(data.digest(), Data::from_columns({{"a", *memory, {}}, {"b", {1, 2, 3}, {}}}, "m").digest());
    memory.reset();
    EXPECT_FALSE(alive.expired());
    EXPECT_EQ(data.columns()[0].highest, 2.5);
  }
  EXPECT_TRUE(alive.expired());
}

// The digest is that of the values: a table from memory can be evaluated by parts like the file it came from.
TEST(DataFromColumns, HasTheDigestOfTheSameFile) {
  const test::TemporaryFolder folder;
  const Data file = Data::read(folder.write("d.csv", "a,t\n1,x\n,y\n2.5,x\n"), {});
  const Data memory =
      Data::from_columns({{"a", {1, std::nan(""), 2.5}, {}}, {"t", {}, {{"x"}, {"y"}, {"x"}}}}, "memory");
  EXPECT_EQ(memory.digest(), file.digest());
}

TEST(FormatTable, QuotesWhatCsvMustQuote) {
  OutputTable table{2, {{"a, b", {0.1, 1e300}, {}}, {"t", {}, {"say \"no\"", "two\nlines"}}}};
  EXPECT_EQ(format_table(table, TableFormat::csv, true),
            "\"a, b\",t\n0.1,\"say \"\"no\"\"\"\n1e+300,\"two\nlines\"\n");
  EXPECT_EQ(format_table(table, TableFormat::csv, false), "0.1,\"say \"\"no\"\"\"\n1e+300,\"two\nlines\"\n");
  EXPECT_EQ(format_table(table, TableFormat::json_lines, true),
            "{\"a, b\":0.1,\"t\":\"say \\\"no\\\"\"}\n{\"a, b\":1e+300,\"t\":\"two\\nlines\"}\n");
}

TEST(OutputFileWriter, AppearsWhenCommitted) {
  const test::TemporaryFolder folder;
  { OutputFileWriter(folder.file("a")).write("lost"); }
  EXPECT_FALSE(std::filesystem::exists(folder.file("a")));
  OutputFileWriter writer(folder.file("a"));
  writer.write("kept");
  EXPECT_FALSE(std::filesystem::exists(folder.file("a")));
  writer.commit();
  EXPECT_EQ(std::filesystem::file_size(folder.file("a")), 4U);
}

// The facade, as another front end would call it: the progress is heard, a stop is obeyed, the saved model is
// the same.
TEST(Fit, TellsItsProgressAndStopsOnRequest) {
  std::vector<double> a, b;
  std::vector<std::optional<std::string>> y;
  for (int i = 0; i < 60; ++i) {
    a.push_back(i % 7);
    b.push_back(i * i % 11);
    y.emplace_back(i % 7 > 3 ? "high" : "low");
  }
  const Data data = Data::from_columns({{"a", a, {}}, {"b", b, {}}, {"y", {}, y}}, "memory");
  Settings settings;
  settings.target = "y";
  settings.layers = "2";
  settings.epochs = 50;
  FitOptions options;
  std::int64_t heard = 0;
  options.on_progress = [&](const FitProgress& p) {
    EXPECT_EQ(p.epoch, ++heard);
    EXPECT_EQ(p.epochs, 50);
    EXPECT_GE(p.seconds_left, 0);
  };
  options.should_stop = [&] { return heard == 4; };
  const FitSummary summary = fit(data, settings, options);
  EXPECT_TRUE(summary.interrupted);
  EXPECT_EQ(summary.epochs, 4);
  EXPECT_EQ(heard, 4);
  EXPECT_EQ(summary.train_rows, 42U);

  const test::TemporaryFolder folder;
  summary.model.save(folder.file("m.bl"));
  const Model again = Model::load(folder.file("m.bl"));
  const auto table = [&](const Model& model) {
    return format_table(model.predict(data, Part::all, {}), TableFormat::csv, true);
  };
  EXPECT_EQ(table(again), table(summary.model));
  EXPECT_EQ(again.information_json(), summary.model.information_json());
  EXPECT_EQ(again.part_rows(data, Part::test), 12U);
}

}  // namespace
}  // namespace bl
