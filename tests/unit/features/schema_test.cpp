#include "features/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "features/schema_toml.hpp"
#include "unit/data/data_helpers.hpp"

namespace bl {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Table read(std::string_view text) {
  return read_table_from_memory(text, "t.csv");
}

ColumnType type_of_target(const std::string& values) {
  RoleOptions options;
  options.targets = {"y"};
  return infer_schema(read("y,x\n" + values), options).columns[0].type;
}

TEST(InferSchema, RolesAndTypes) {
  const Table table = read(
      "id,age,color,w,person,y,junk\n1,2.5,red,1,a,0,9\n2,3.5,blue,2,b,1,9\n3,1,red,1,a,1,9\n4,1,red,1,a,0,"
      "9\n");
  RoleOptions options;
  options.targets = {"y"};
  options.weight = "w";
  options.group = "person";
  options.ids = {"id"};
  options.ignore = {"junk"};
  const Schema schema = infer_schema(table, options);
  ASSERT_EQ(schema.columns.size(), 7U);
  const std::vector<std::pair<Role, ColumnType>> expected = {
      {Role::id, ColumnType::continuous},    {Role::feature, ColumnType::continuous},
      {Role::feature, ColumnType::nominal},  {Role::weight, ColumnType::continuous},
      {Role::group, ColumnType::nominal},    {Role::response, ColumnType::nominal},
      {Role::ignore, ColumnType::continuous}};
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(schema.columns[i].role, expected[i].first) << i;
    EXPECT_EQ(schema.columns[i].type, expected[i].second) << i;
  }
  EXPECT_EQ(schema.with_role(Role::feature).size(), 2U);
  EXPECT_EQ(schema.raw_types().at("color"), RawType::text);
  EXPECT_FALSE(schema.raw_types().contains("junk"));
}

TEST(InferSchema, NumericTargets) {
  EXPECT_EQ(type_of_target("1,0\n2,0\n1,0\n2,0\n"), ColumnType::nominal);
  EXPECT_EQ(type_of_target("1,0\n2,0\n1,0\n2.5,0\n"), ColumnType::continuous);  // not all integers
  EXPECT_EQ(type_of_target("1,0\n2,0\n3,0\n4,0\n"), ColumnType::continuous);    // each value once
  EXPECT_EQ(type_of_target("a,0\nb,0\n"), ColumnType::nominal);
  std::string twenty, more;
  for (int i = 0; i < 60; ++i) {
    twenty += std::to_string(i % 20) + ",0\n";
    more += std::to_string(i % 21) + ",0\n";
  }
  EXPECT_EQ(type_of_target(twenty), ColumnType::nominal);
  EXPECT_EQ(type_of_target(more), ColumnType::continuous);
}

TEST(InferSchema, WhatPeopleSayWins) {
  RoleOptions options;
  options.targets = {"y"};
  options.columns["y"].type = ColumnType::continuous;
  options.columns["day"].type = ColumnType::nominal;
  options.columns["size"].levels = {"S", "M", "L"};
  options.columns["x"].role = Role::ignore;
  const Schema schema = infer_schema(read("y,day,size,x\n1,1,S,3\n1,2,L,4\n2,2,L,4\n2,2,L,4\n"), options);
  EXPECT_EQ(schema.columns[0].type, ColumnType::continuous);
  EXPECT_EQ(schema.columns[1].type, ColumnType::nominal);
  EXPECT_EQ(schema.columns[2].type, ColumnType::ordinal);
  EXPECT_THAT(schema.columns[2].levels, ElementsAre("S", "M", "L"));
  EXPECT_EQ(schema.columns[3].role, Role::ignore);
}

TEST(InferSchema, Errors) {
  const Table table = read("age,color,y\n1,red,0\n2,blue,1\n");
  const auto data_error = [&](const RoleOptions& options) {
    return test::message_of<DataError>([&] { infer_schema(table, options); });
  };
  const auto usage_error = [&](const RoleOptions& options) {
    return test::message_of<UsageError>([&] { infer_schema(table, options); });
  };
  RoleOptions options;
  options.targets = {"yy"};
  EXPECT_THAT(data_error(options), AllOf(HasSubstr("'yy'"), HasSubstr("did you mean 'y'?")));
  options = {};
  options.columns["colour"].role = Role::ignore;
  EXPECT_THAT(data_error(options), AllOf(HasSubstr("'colour'"), HasSubstr("did you mean 'color'?")));
  options = {};
  options.weight = "color";
  EXPECT_THAT(data_error(options), AllOf(HasSubstr("t.csv:2:"), HasSubstr("'red'"), HasSubstr("weight")));
  options = {};
  options.columns["color"].type = ColumnType::continuous;
  EXPECT_THAT(data_error(options),
              AllOf(HasSubstr("t.csv:2: column 'color': 'red'"), HasSubstr("continuous")));
  options = {};
  options.targets = options.ignore = {"y"};
  EXPECT_THAT(usage_error(options), HasSubstr("both response and ignore"));
  options = {};
  options.columns["color"].type = ColumnType::ordinal;
  EXPECT_THAT(usage_error(options), AllOf(HasSubstr("'color'"), HasSubstr("lowest first")));
  options.columns["color"].levels = {"red", "red"};
  EXPECT_THAT(usage_error(options), HasSubstr("twice"));
  options.columns["color"] = {std::nullopt, ColumnType::nominal, {"red", "blue"}};
  EXPECT_THAT(usage_error(options), HasSubstr("make it ordinal"));
  options = {};
  options.weight = "age";
  options.columns["y"].role = Role::weight;
  EXPECT_THAT(usage_error(options), HasSubstr("both weight"));
}

TEST(DeclaredTypes, ForReading) {
  RoleOptions options;
  options.weight = "w";
  options.ids = {"id"};
  options.columns["x"].type = ColumnType::continuous;
  options.columns["c"].type = ColumnType::nominal;
  const std::map<std::string, RawType> expected = {
      {"w", RawType::numeric}, {"id", RawType::text}, {"x", RawType::numeric}};
  EXPECT_EQ(declared_types(options), expected);
}

TEST(SchemaToml, WrittenFileReadsBackTheSame) {
  const Table table = read("\"odd \"\"name\"\"\",size,y,\"a.b\"\n1,S,a,7\n,\"l#\\\",b,8\n");
  RoleOptions options;
  options.targets = {"y"};
  options.ignore = {"a.b"};
  options.columns["size"].levels = {"S", "l#\\"};
  const Schema schema = infer_schema(table, options);
  const std::string text = write_schema_toml(schema, table);
  EXPECT_THAT(text, AllOf(HasSubstr("y = { role = \"response\", type = \"nominal\" }"),
                          HasSubstr("# 'a', 'b'"), HasSubstr("1 missing"), HasSubstr("# 7 to 8")));
  RoleOptions again;
  again.columns = read_schema_toml(text, "s.toml");
  EXPECT_EQ(infer_schema(table, again), schema) << text;
}

TEST(SchemaToml, LevelsMayBeNumbers) {
  const auto settings = read_schema_toml("[columns]\nx = { levels = [1, 2.5, \"three\"] }\n", "s.toml");
  EXPECT_THAT(settings.at("x").levels, ElementsAre("1", "2.5", "three"));
}

TEST(SchemaToml, Errors) {
  const auto error = [](std::string_view text) {
    return test::message_of<UsageError>([&] { read_schema_toml(text, "s.toml"); });
  };
  EXPECT_THAT(error("[columns\n"), AllOf(HasSubstr("s.toml:1:"), HasSubstr("not valid TOML")));
  EXPECT_THAT(error("[\ncolumns = 1\n"), AllOf(HasSubstr("s.toml"), HasSubstr("not valid TOML")));
  EXPECT_THAT(error("[columns.\xC3\xA9t\xC3\xA9]\n"),
              AllOf(HasSubstr("s.toml:1:"), HasSubstr("not valid TOML")));
  EXPECT_THAT(error("[colums]\nx = 1\n"),
              AllOf(HasSubstr("s.toml:1:"), HasSubstr("'colums'"), HasSubstr("'columns'?")));
  EXPECT_THAT(error("columns = 3\n"), HasSubstr("must be a table"));
  EXPECT_THAT(error("[columns]\nx = 1\n"), AllOf(HasSubstr("s.toml:2:"), HasSubstr("'x'")));
  EXPECT_THAT(error("[columns]\nx = { rol = \"id\" }\n"),
              AllOf(HasSubstr("s.toml:2:"), HasSubstr("'rol'"), HasSubstr("'role'?")));
  EXPECT_THAT(error("[columns]\ny = {}\nx = { role = \"reponse\" }\n"),
              AllOf(HasSubstr("s.toml:3:"), HasSubstr("'reponse'"), HasSubstr("did you mean 'response'?")));
  EXPECT_THAT(error("[columns]\nx = { type = \"real\" }\n"),
              AllOf(HasSubstr("'real' is not a type"), HasSubstr("'continuous'")));
  EXPECT_THAT(error("[columns]\nx = { type = 3 }\n"), HasSubstr("this value is not a type"));
  EXPECT_THAT(error("[columns]\nx = { levels = \"a\" }\n"), HasSubstr("must be a list"));
  EXPECT_THAT(error("[columns]\nx = { levels = [true] }\n"), HasSubstr("text or a number"));
}

TEST(SchemaJson, RoundTripAndErrors) {
  RoleOptions options;
  options.columns["size"].levels = {"S", "L"};
  options.targets = {"y"};
  const Schema schema = infer_schema(read("size,y\nS,1\nL,2\n"), options);
  const nlohmann::json good = schema.to_json();
  EXPECT_EQ(Schema::from_json(nlohmann::json::parse(good.dump())), schema);
  const auto error = [&](const char* pointer, const nlohmann::json& value) {
    nlohmann::json bad = good;
    bad[nlohmann::json::json_pointer(pointer)] = value;
    return test::message_of<ModelFileError>([&] { Schema::from_json(bad); });
  };
  EXPECT_THAT(error("/columns", 3), HasSubstr("schema.columns: should be a list"));
  EXPECT_THAT(error("/columns/1", 3), HasSubstr("schema.columns[1]: should be an object"));
  EXPECT_THAT(error("/columns/1/role", "boss"), HasSubstr("schema.columns[1].role"));
  EXPECT_THAT(error("/columns/1/name", "size"), HasSubstr("'size' is a column already"));
  EXPECT_THAT(error("/columns/0/levels/1", "S"), HasSubstr("schema.columns[0].levels: 'S' is listed twice"));
  EXPECT_THAT(error("/columns/0/raw", nullptr), HasSubstr("schema.columns[0].raw: should be text"));
  EXPECT_THROW(Schema::from_json(nlohmann::json::array()), ModelFileError);
  EXPECT_THROW(Schema::from_json({{"other", 1}}), ModelFileError);
}

}  // namespace
}  // namespace bl
