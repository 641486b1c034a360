#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "features/encoder.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using ::testing::HasSubstr;

const char* const kText =
    "x,c,s,y,v,id\n0.1,a,low,1,0.3,7\n0.2,b,high,2,0.1,8\n,a,low,1,0.7,9\n0.4,,high,2,0.9,9\n";

Encoder fitted(const Table& table) {
  RoleOptions roles;
  roles.targets = {"y", "v"};
  roles.ids = {"id"};
  roles.columns["s"].levels = {"low", "high"};
  return Encoder::fit(table, infer_schema(table, roles), {MissingPolicy::impute, UnseenPolicy::missing, 50},
                      all_rows(table.rows), Context(1));
}

TEST(EncoderJson, RoundTripLosesNothing) {
  const Table table = read_table_from_memory(kText, "t.csv");
  const Encoder encoder = fitted(table);
  const Encoder again = Encoder::from_json(nlohmann::json::parse(encoder.to_json().dump()));
  EXPECT_EQ(again.schema(), encoder.schema());
  EXPECT_EQ(again.features(), encoder.features());
  EXPECT_EQ(again.responses(), encoder.responses());
  EXPECT_EQ(again.report(), encoder.report());
  EXPECT_EQ(again.options().missing, MissingPolicy::impute);
  EXPECT_EQ(again.options().unseen, UnseenPolicy::missing);
  EXPECT_EQ(again.options().max_levels, 50);
  EXPECT_EQ(again.to_json(), encoder.to_json());
  const auto before = encoder.encode<double>(table, all_rows(table.rows));
  const auto after = again.encode<double>(table, all_rows(table.rows));
  ASSERT_EQ(after.features.cols(), before.features.cols());
  EXPECT_TRUE(std::equal(before.features.flat().begin(), before.features.flat().end(),
                         after.features.flat().begin()));
  EXPECT_TRUE(
      std::equal(before.classes.flat().begin(), before.classes.flat().end(), after.classes.flat().begin()));
}

TEST(EncoderJson, KeepsReferenceLevelsAndReadsFilesWithoutThem) {
  const Table table = read_table_from_memory("c,y\nr,1\ng,2\nb,3\n", "t.csv");
  const Schema schema = infer_schema(table, {.targets = {"y"}});
  const Encoder encoder = Encoder::fit(table, schema, {.reference_levels = true}, all_rows(3), Context(1));
  nlohmann::json json = encoder.to_json();
  EXPECT_EQ(Encoder::from_json(json).features(), encoder.features());
  EXPECT_EQ(Encoder::from_json(json).columns().size(), 2U);
  json["features"][0]["first_level"] = 2;
  EXPECT_THROW(Encoder::from_json(json), ModelFileError);
  json["features"][0].erase("first_level");
  EXPECT_EQ(Encoder::from_json(json).columns().size(), 3U);
}

TEST(EncoderJson, EveryFieldIsChecked) {
  const nlohmann::json good = fitted(read_table_from_memory(kText, "t.csv")).to_json();
  const std::vector<std::tuple<const char*, nlohmann::json, const char*>> cases = {
      {"/missing", "ignore", "encoder.missing"},
      {"/unseen", 1, "encoder.unseen: should be text"},
      {"/max_levels", 0, "encoder.max_levels"},
      {"/max_levels", 18446744073709551615U, "encoder.max_levels"},
      {"/features", nullptr, "encoder.features: should be a list"},
      {"/features/0/name", "y", "encoder.features[0].name: 'y' is no feature"},
      {"/features/0/name", "none", "encoder.features[0].name: 'none'"},
      {"/features/1/name", "x", "encoder.features[1]: is encoded twice"},
      {"/features/0/scale", 0, "encoder.features[0].scale: should be positive"},
      {"/features/0/scale", -1.5, "encoder.features[0].scale"},
      {"/features/0/mean", "1", "encoder.features[0].mean: should be a number"},
      {"/features/0/has_value", 1, "encoder.features[0].has_value: should be true or false"},
      {"/features/1/levels", {"a", "a"}, "encoder.features[1].levels: 'a' is listed twice"},
      {"/features/1/levels", nlohmann::json::array(), "encoder.features[1].levels"},
      {"/features/1/fill_level", 2, "encoder.features[1].fill_level: should be an integer from 0 to 1"},
      {"/features/1/fill_level", 0.5, "encoder.features[1].fill_level"},
      {"/features/1/fill_level", -1, "encoder.features[1].fill_level"},
      {"/responses/0/levels", {"1"}, "encoder.responses[0].levels"},
      {"/responses/0/name", "x", "encoder.responses[0].name"},
      {"/responses/1", good["responses"][0], "encoder.responses[1]: is encoded twice"},
      {"/report/duplicates", {{"a"}}, "encoder.report.duplicates[0]"},
      {"/report/missing/0/1", -3, "encoder.report.missing[0][1]"},
      {"/report", 5, "encoder.report: should be an object"},
      {"/schema/columns/0/raw", "text", "both continuous and text"},
      {"/schema", 5, "schema: should be an object"},
  };
  for (const auto& [pointer, value, expected] : cases) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(pointer)] = value;
    EXPECT_THAT(test::message_of<ModelFileError>([&] { Encoder::from_json(bad); }), HasSubstr(expected))
        << pointer;
  }
  nlohmann::json useless = good;
  useless["features"][0]["has_value"] = useless["features"][0]["has_indicator"] = false;
  EXPECT_THAT(test::message_of<ModelFileError>([&] { Encoder::from_json(useless); }),
              HasSubstr("encodes nothing"));
  for (const auto& item : good.items()) {
    nlohmann::json bad = good;
    bad.erase(item.key());
    EXPECT_THAT(test::message_of<ModelFileError>([&] { Encoder::from_json(bad); }),
                HasSubstr("'" + item.key() + "' is missing"));
  }
}

}  // namespace
}  // namespace bl
