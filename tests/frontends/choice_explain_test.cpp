// The utility of a choice model as formulas: what is printed is what the model computes.
#include <gmock/gmock.h>

#include <map>
#include <nlohmann/json.hpp>

#include "bl/errors.hpp"
#include "frontends/choice_helpers.hpp"

namespace bl {
namespace {

using namespace test;
using nlohmann::json;
using ::testing::HasSubstr;
using ChoiceExplain = ChoiceFixture;

// What stands behind each variable of one alternative in one situation.
struct Point {
  std::map<std::string, double> numbers;      // attributes and numeric context
  std::map<std::string, std::string> levels;  // of nominal columns, and "alternative"
};

double activation(const std::string& name, double t) {
  if (name == "tanh") return std::tanh(t);
  if (name == "relu") return t > 0 ? t : 0;
  if (name == "abs") return t > 0 ? t : -t;
  if (name == "square") return t * t;
  EXPECT_EQ(name, "identity");
  return t;
}

// From the JSON alone.
double utility(const json& problem, const Point& point) {
  std::map<std::string, double> values;
  for (const json& variable : problem["variables"]) {
    const std::string kind = variable["kind"], column = variable["column"];
    if (kind == "number") values[variable["name"]] = point.numbers.at(column);
    if (kind == "level") values[variable["name"]] = point.levels.at(column) == variable["level"] ? 1 : 0;
    EXPECT_TRUE(kind == "number" || kind == "level" || kind == "block") << kind;
  }
  for (const json& layer : problem["layers"])
    for (const json& block : layer) {
      double sum = 0;
      for (const json& head : block["heads"]) {
        double value = head["constant"];
        for (const json& term : head["terms"]) {
          double product = term["coefficient"];
          for (const json& factor : term["factors"])
            product *= std::pow(values.at(factor["variable"]), factor["power"].get<int>());
          value += product;
        }
        sum += (head["kind"] == "U" ? 1 : -1) * head["lambda"].get<double>() *
               activation(head["activation"], value);
      }
      values[block["name"]] = sum;
    }
  double total = problem["outputs"][0]["constant"];
  for (const json& block : problem["outputs"][0]["blocks"])
    total += block["weight"].get<double>() * values.at(block["block"]);
  return total / problem["temperature"].get<double>();
}

struct Travellers {
  std::string csv = "y,ta,tb,tc,ca,cb,cc,income,town\n";
  std::vector<std::array<Point, 3>> points;

  Travellers() {
    for (int i = 0; i < 240; ++i) {
      const std::array<double, 3> time = {10.0 + i % 7, 20.0 - i % 5, 12.5 + i % 3};
      const std::array<double, 3> cost = {1.0 + i % 4, 0.5 * (i % 6), 2.0 + i % 2};
      const double income = 1000 + 37 * (i % 11);
      const std::string town = i % 3 == 0 ? "x" : i % 3 == 1 ? "y" : "z";
      csv += std::string(i % 5 < 2 ? "a" : i % 5 == 2 ? "b" : "c");
      for (const double t : time) csv += "," + std::to_string(t);
      for (const double c : cost) csv += "," + std::to_string(c);
      csv += "," + std::to_string(income) + "," + town + "\n";
      points.emplace_back();
      for (std::size_t j = 0; j < 3; ++j)
        points.back()[j] = {{{"time", time[j]}, {"cost", cost[j]}, {"income", income}},
                            {{"town", town}, {"alternative", std::string(1, static_cast<char>('a' + j))}}};
    }
  }
};

std::string travel_schema(const std::string& utility) {
  return "[data]\nchoice = \"y\"\n[attributes]\ntime = \"t{}\"\ncost = \"c{}\"\n[[alternatives]]\nname = "
         "\"a\"\n[[alternatives]]\nname = \"b\"\n[[alternatives]]\nname = \"c\"\n[utility]\n" +
         utility;
}

// Utilities are compared by their differences, which the probabilities tell: log(p_j / p_0).
TEST_F(ChoiceExplain, FormulasGiveTheModelsUtilities) {
  const Travellers travellers;
  const std::string network = "form = \"network\"\ncontext = [\"income\", \"town\"]\n";
  for (const std::string& text :
       {std::string("specific = { time = [\"a\", \"b\", \"c\"] }\n"),
        network + "[settings]\nlayers = \"6,3\"\nmembers = 2\nepochs = 15\ntemperature = 0.7\n",
        network + "signs = { cost = \"negative\" }\n[settings]\nlayers = \"4,4,2\"\nskip = \"dense\"\nepochs "
                  "= 15\n",
        network + "[settings]\nsingle = true\ndegree = 2\nepochs = 15\n"}) {
    const Data table = data(travellers.csv);
    const Model model = fit_choice(table, file("s.toml", travel_schema(text)), Settings{}).model;
    const OutputTable predicted = model.predict(table);
    const json problem = json::parse(explain_choice(model, ExplainFormat::json));
    std::array<json, 3> own;
    for (std::size_t j = 0; j < 3; ++j)
      own[j] = json::parse(
          explain_choice(model, ExplainFormat::json, {}, std::string(1, static_cast<char>('a' + j))));
    for (std::size_t i = 0; i < travellers.points.size(); ++i) {
      const auto& points = travellers.points[i];
      const double first = utility(problem, points[0]);
      for (std::size_t j = 0; j < 3; ++j) {
        const double difference =
            std::log(predicted.columns[1 + j].numbers[i] / predicted.columns[1].numbers[i]);
        EXPECT_NEAR(utility(problem, points[j]) - first, difference, 1e-9) << text << i;
        // The formula of one alternative does not read which one it is.
        Point unnamed = points[j];
        unnamed.levels["alternative"] = "none";
        EXPECT_NEAR(utility(own[j], unnamed), utility(problem, points[j]), 1e-9) << text << i;
      }
    }
  }
}

TEST_F(ChoiceExplain, ALinearUtilityIsALinePerAlternative) {
  const Model model =
      fit_choice(data(two_by_two()),
                 file("s.toml", two_by_two_schema("generic = [\"x\"]\nreference = \"b\"\n")), Settings{})
          .model;
  // logit(3/8) = -0.5108, logit(3/4) - logit(3/8) = 1.609
  EXPECT_EQ(explain_choice(model, ExplainFormat::text),
            "The utilities of the alternatives, in the data's own units\n"
            "  V[a] = -0.5108 + 1.609 x\n  V[b] = 1.609 x\n");
}

TEST_F(ChoiceExplain, EveryFormIsThere) {
  const Travellers travellers;
  const std::string text = "form = \"network\"\n[settings]\nlayers = \"3\"\nepochs = 3\n";
  const Model model = fit_choice(data(travellers.csv), file("s.toml", travel_schema(text)), Settings{}).model;
  EXPECT_THAT(explain_choice(model, ExplainFormat::text), HasSubstr("the choice among a, b, c"));
  EXPECT_THAT(explain_choice(model, ExplainFormat::text), HasSubstr("[alternative=a]"));
  const ExplainOptions one{.block = "L1.B2"};
  EXPECT_THAT(explain_choice(model, ExplainFormat::text, one, "b"), Not(HasSubstr(" [alternative=")));
  EXPECT_THAT(explain_choice(model, ExplainFormat::latex), HasSubstr("\\begin{document}"));
  EXPECT_THAT(explain_choice(model, ExplainFormat::markdown), HasSubstr("time"));
  EXPECT_THAT(explain_choice(model, ExplainFormat::dot), HasSubstr("digraph"));
  EXPECT_THAT(explain_choice(model, ExplainFormat::svg, one), HasSubstr("<svg"));
  EXPECT_THROW(explain_choice(model, ExplainFormat::text, {}, "d"), UsageError);
}

}  // namespace
}  // namespace bl
