#include "features/choice_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "features/choice_schema.hpp"

namespace bl {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kWide = R"([data]
choice = "mode"
person = "who"
weight = "w"
filter = "use == 1"
[derived]
half = "rail_t / 2"
[attributes]
time = "{}_t"
[[alternatives]]
name = "train"
columns = "rail"
code = 1
[[alternatives]]
name = "car"
code = "b"
available = "car_av"
[[alternatives]]
name = "bike"
attributes = { time = "half", effort = "2" }
)";

constexpr const char* kLong = R"([data]
layout = "long"
situation = "trip"
alternative = "alt"
chosen = "y"
available = "av"
[attributes]
cost = "price / 10"
)";

std::string message(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

ChoiceSchema schema_of(const std::string& text, const std::string& name) {
  return choice_schema(ChoiceDeclaration::parse(text, name));
}

ChoiceData read(const std::string& schema, const std::string& csv, bool need_choice = true) {
  return read_choices(read_table_from_memory(csv, "t.csv"), schema_of(schema, "s.toml"), need_choice);
}

std::string wide_message(const std::string& line) {
  return message([&] { read(kWide, "mode,who,w,use,rail_t,car_t,car_av\n1,9,1,1,10,20,1\n" + line + "\n"); });
}

std::string long_message(const std::string& lines) {
  return message([&] { read(kLong, "trip,alt,y,av,price\n" + lines); });
}

TEST(ChoiceSchema, ReadsAWideFile) {
  const ChoiceSchema schema = schema_of(kWide, "s.toml");
  EXPECT_THAT(schema.attributes, ElementsAre("time", "effort"));
  EXPECT_THAT(schema.alternative_names(), ElementsAre("train", "car", "bike"));
  EXPECT_EQ(schema.alternatives[0].attributes[0].text(), "rail_t");
  EXPECT_EQ(schema.alternatives[1].attributes[0].text(), "car_t");
  EXPECT_EQ(schema.alternatives[1].attributes[1].text(), "0");  // an alternative without the attribute
  EXPECT_EQ(schema.alternatives[2].code, "bike");
  EXPECT_EQ(schema.utility.reference, "train");
  ASSERT_EQ(schema.utility.coefficients.size(), 2U);
  EXPECT_EQ(schema.utility.coefficients[1].attribute, "effort");
}

TEST(ChoiceSchema, ReadsTheUtility) {
  const ChoiceSchema schema = schema_of(std::string(kWide) + R"([utility]
constants = false
specific = { time = ["car", "bike"] }
signs = { time = "negative" }
)",
                                        "s.toml");
  EXPECT_FALSE(schema.utility.constants);
  ASSERT_EQ(schema.utility.coefficients.size(), 3U);  // effort, time[car], time[bike]
  EXPECT_EQ(schema.utility.coefficients[0].alternative, "");
  EXPECT_EQ(schema.utility.coefficients[0].sign, 0);
  EXPECT_EQ(schema.utility.coefficients[2].alternative, "bike");
  EXPECT_EQ(schema.utility.coefficients[2].sign, -1);
  EXPECT_THAT(schema.signs, ElementsAre(-1, 0));
  const ChoiceSchema network = schema_of(
      std::string(kWide) + "[utility]\nform = \"network\"\nsigns = { effort = \"positive\" }\n", "s.toml");
  EXPECT_THAT(network.signs, ElementsAre(0, 1));
}

TEST(ChoiceSchema, ErrorsNameTheLine) {
  const auto fails = [](const std::string& text) { return message([&] { schema_of(text, "s.toml"); }); };
  EXPECT_THAT(fails("[data]\nchoise = \"y\"\n"),
              HasSubstr("s.toml:2: unknown key 'choise' in [data]; did you mean 'choice'?"));
  EXPECT_THAT(fails("[data]\nchoice = \"y\"\nfilter = \"a +\"\n"),
              HasSubstr("s.toml:3: the expression ends"));
  EXPECT_THAT(fails("[data]\nchoice = \"y\"\n"), HasSubstr("[[alternatives]]"));
  EXPECT_THAT(fails("[data]\nfilter = \"1\"\n"), HasSubstr("needs choice"));
  EXPECT_THAT(
      fails("[data]\nlayout = \"long\"\nsituation = \"s\"\nalternative = \"a\"\n[attributes]\nx = \"x\"\n"),
      HasSubstr("needs chosen"));
  EXPECT_THAT(fails(std::string(kWide) + "[utility]\nreference = \"trian\"\n"),
              HasSubstr("did you mean 'train'?"));
  EXPECT_THAT(fails(std::string(kWide) + "[utility]\ngeneric = [\"tme\"]\n"),
              HasSubstr("did you mean 'time'?"));
  EXPECT_THAT(fails(std::string(kWide) + "[utility]\nsigns = { time = \"down\" }\n"),
              HasSubstr("'positive'"));
  EXPECT_THAT(fails(std::string(kWide) + "[utility]\ncontext = [\"who\"]\n"),
              HasSubstr("form = \"network\""));
  EXPECT_THAT(fails(std::string(kWide) + "[[alternatives]]\nname = \"car\"\n"),
              HasSubstr("two alternatives are called 'car'"));
}

// A declaration that no file was read for says where its parts come from.
TEST(ChoiceSchema, ErrorsNameTheNearestPlace) {
  ChoiceDeclaration d;
  d.name = "options";
  d.choice = "y";
  d.alternatives = {{"a"}, {"b"}};
  d.attributes = {{"time", "{}_t"}};
  d.places = {{"alternatives", "--alternatives"}, {"alternatives/1/available", "--available"}};
  d.signs = {{"tme", "negative"}};
  EXPECT_THAT(message([&] { choice_schema(d); }), HasSubstr("options: there is no attribute 'tme'"));
  d.places["utility/signs"] = "--negative";
  EXPECT_THAT(message([&] { choice_schema(d); }), HasSubstr("--negative: there is no attribute 'tme'"));
  d.signs.clear();
  d.alternatives[1].available = "1 +";
  EXPECT_THAT(message([&] { choice_schema(d); }), HasSubstr("--available: the expression ends"));
  d.alternatives[1] = {"a"};
  EXPECT_THAT(message([&] { choice_schema(d); }),
              HasSubstr("--alternatives: two alternatives are called 'a'"));
}

TEST(ChoiceData, GroupsAreCodedByTheFirstLineOfASituation) {
  const Table table = read_table_from_memory(
      "trip,alt,y,av,price,town\n1,a,1,1,1,x\n1,b,0,1,1,x\n2,a,1,1,1,y\n3,a,1,1,1,x\n", "t.csv");
  const ChoiceSchema schema = schema_of(kLong, "s.toml");
  const ChoiceData data = read_choices(table, schema, true);
  EXPECT_THAT(data.rows, ElementsAre(0, 2, 3));
  EXPECT_THAT(group_codes(table, schema, "town", data.rows, "town"), ElementsAre(0, 1, 0));
}

TEST(ChoiceData, WideSetsHoldWhatIsAvailable) {
  const ChoiceData data =
      read(kWide,
           "mode,who,w,use,rail_t,car_t,car_av\n"
           "1,ann,1,1,10,20,1\n"
           "0,bob,1,0,10,20,1\n"   // left out by the filter, so its unknown code does no harm
           "bike,bob,2,1,30,,0\n"  // the time of a car that is not available may be missing
           "b,ann,0.5,1,12,8,1\n");
  EXPECT_THAT(data.begin, ElementsAre(0, 3, 5, 8));
  EXPECT_THAT(data.classes, ElementsAre(0, 1, 2, 0, 2, 0, 1, 2));
  EXPECT_THAT(data.chosen, ElementsAre(0, 1, 1));
  EXPECT_THAT(data.weights, ElementsAre(1, 2, 0.5));
  EXPECT_THAT(data.persons, ElementsAre(0, 1, 0));
  EXPECT_THAT(data.labels, ElementsAre("2", "4", "5"));
  EXPECT_THAT(data.attributes.flat(), ElementsAre(10, 0, 20, 0, 5, 2, 30, 0, 15, 2, 12, 0, 8, 0, 6, 2));
}

TEST(ChoiceData, WideErrorsNameTheLine) {
  EXPECT_THAT(wide_message("b,9,1,1,10,20,0"),
              HasSubstr("t.csv:3: the chosen alternative 'car' is not available"));
  EXPECT_THAT(wide_message("7,9,1,1,10,20,1"),
              HasSubstr("t.csv:3: the choice '7' is not one of the alternatives' codes '1', 'b', 'bike'"));
  EXPECT_THAT(wide_message(",9,1,1,10,20,1"), HasSubstr("t.csv:3: the choice is missing"));
  EXPECT_THAT(wide_message("1,9,1,1,10,,1"),
              HasSubstr("t.csv:3: the attribute 'time' of 'car' (car_t) is missing"));
  EXPECT_THAT(wide_message("1,9,1,1,10,20,"), HasSubstr("t.csv:3: the availability of 'car'"));
  EXPECT_THAT(wide_message("1,9,-1,1,10,20,1"), HasSubstr("t.csv:3: the weight w is -1"));
  EXPECT_THAT(wide_message("1,,1,1,10,20,1"), HasSubstr("t.csv:3: the person 'who' is missing"));
  const std::string all_can_fail =
      "[data]\nchoice = \"y\"\n[[alternatives]]\nname = \"a\"\navailable = \"v\"\n[[alternatives]]\nname = "
      "\"b\"\navailable = \"v\"\n";
  EXPECT_THAT(message([&] { read(all_can_fail, "y,v\na,1\nb,0\n"); }),
              HasSubstr("t.csv:3: no alternative is available: the choice set is empty"));
}

TEST(ChoiceData, LongSetsMayBeRaggedAndScattered) {
  const ChoiceData data = read(kLong,
                               "trip,alt,y,av,price\n"
                               "7,bus,0,1,10\n7,car,1,1,30\n"
                               "8,car,1,1,20\n"
                               "7,tram,0,0,\n"
                               "9,tram,0,1,50\n8,tram,0,1,40\n9,bus,1,1,60\n");
  EXPECT_THAT(data.alternatives, ElementsAre("bus", "car", "tram"));
  EXPECT_THAT(data.labels, ElementsAre("7", "8", "9"));
  EXPECT_THAT(data.begin, ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(data.classes, ElementsAre(0, 1, 1, 2, 2, 0));
  EXPECT_THAT(data.chosen, ElementsAre(1, 0, 1));
  EXPECT_THAT(data.attributes.flat(), ElementsAre(1, 3, 2, 4, 5, 6));
  EXPECT_THAT(data.weights, IsEmpty());
}

TEST(ChoiceData, LongErrorsNameTheLine) {
  EXPECT_THAT(long_message("1,a,0,1,1\n1,b,1,0,1\n"),
              HasSubstr("t.csv:3: situation '1': the chosen alternative 'b' is not available"));
  EXPECT_THAT(long_message("1,a,1,1,1\n1,b,1,1,1\n"),
              HasSubstr("t.csv:3: situation '1': a second alternative is chosen"));
  EXPECT_THAT(long_message("1,a,0,1,1\n1,b,0,1,1\n"),
              HasSubstr("t.csv:2: situation '1': no alternative is chosen"));
  EXPECT_THAT(long_message("1,a,1,1,1\n2,a,0,0,1\n"),
              HasSubstr("t.csv:3: situation '2': no alternative is available"));
  EXPECT_THAT(long_message("1,a,1,1,1\n1,a,0,1,1\n"),
              HasSubstr("t.csv:3: situation '1': the alternative 'a' stands there twice"));
  EXPECT_THAT(long_message("1,a,1,1,\n"), HasSubstr("t.csv:2: the attribute 'cost' (price / 10) is missing"));
  const std::string named =
      std::string(kLong) + "[[alternatives]]\nname = \"a\"\n[[alternatives]]\nname = \"b\"\n";
  EXPECT_THAT(message([&] { read(named, "trip,alt,y,av,price\n1,a,1,1,1\n1,c,0,1,1\n"); }),
              HasSubstr("t.csv:3: the alternative 'c' is none of 'a', 'b'"));
}

TEST(ChoiceData, OutsideOptionIsInEverySetAndTakesTheUnchosen) {
  std::string schema = kLong;
  schema.replace(schema.find("chosen"), 0, "outside = \"none\"\n");
  const ChoiceData data = read(schema, "trip,alt,y,av,price\n1,a,0,1,10\n2,a,1,1,20\n");
  EXPECT_THAT(data.alternatives, ElementsAre("a", "none"));
  EXPECT_THAT(data.classes, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(data.chosen, ElementsAre(1, 0));
  EXPECT_THAT(data.attributes.flat(), ElementsAre(1, 0, 2, 0));
}

TEST(ChoiceData, ContextIsOneRowPerSituation) {
  const std::string schema = std::string(kLong) + "[utility]\nform = \"network\"\ncontext = [\"age\"]\n";
  const ChoiceData data = read(schema, "trip,alt,y,av,price,age\n1,a,1,1,1,30\n1,b,0,1,1,30\n2,a,1,1,1,50\n");
  ASSERT_EQ(data.context.rows, 2);
  EXPECT_THAT(data.context.columns[0].numbers, ElementsAre(30, 50));
  EXPECT_THAT(message([&] { read(schema, "trip,alt,y,av,price,age\n1,a,1,1,1,30\n1,b,0,1,1,31\n"); }),
              HasSubstr("t.csv:3: situation '1': the context 'age' differs between lines"));
}

TEST(ChoiceData, ChoicesMayBeUnknownForPrediction) {
  const ChoiceData data = read(kLong, "trip,alt,av,price\n1,a,1,10\n1,b,1,20\n", false);
  EXPECT_FALSE(data.choices_known());
  EXPECT_THAT(message([] { read(kLong, "trip,alt,av,price\n1,a,1,10\n1,b,1,20\n"); }),
              HasSubstr("there is no column 'y'"));
}

TEST(ChoiceData, SelectionKeepsSituationsWhole) {
  const ChoiceData all =
      read(kLong, "trip,alt,y,av,price\n1,a,1,1,10\n2,a,0,1,20\n2,b,1,1,30\n3,a,0,1,40\n3,b,1,1,50\n");
  const ChoiceData some = select_situations(all, {2, 0});
  EXPECT_THAT(some.labels, ElementsAre("3", "1"));
  EXPECT_THAT(some.begin, ElementsAre(0, 2, 3));
  EXPECT_THAT(some.attributes.flat(), ElementsAre(4, 5, 1));
  EXPECT_THAT(some.chosen, ElementsAre(1, 0));
}

}  // namespace
}  // namespace bl
