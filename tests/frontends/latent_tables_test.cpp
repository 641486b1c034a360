// Latent classes of a table: rows of a person choose among the levels of the response.
#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "bl/errors.hpp"
#include "bl/inference.hpp"
#include "frontends/choice_helpers.hpp"
#include "frontends/command.hpp"

namespace bl {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using namespace test;

const std::vector<std::string> kLevels = {"later", "no", "yes"};
const std::vector<std::string> kRegions = {"north", "south", "west"};

struct Row {
  int person = 0, response = 0, region = 0, member = 0;
  double price = 0, ad = 0;
};

struct Truth {
  double later, yes, price_later, price_yes, ad_yes, west_yes;
};
// Of the classes, the larger one first: its persons follow advertisements, the others prices.
const Truth kTruth[2] = {{-0.5, -0.5, 0, 0.2, 1.5, 0.4}, {0.3, 1.0, 0.2, -2.0, 0, 0}};
constexpr double kShare = -1.0, kShareByMember = 1.2;

// Eight rows of each person.
std::vector<Row> planted(int persons) {
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(1e-12, 1);
  std::vector<Row> rows;
  for (int p = 0; p < persons; ++p) {
    const int member = uniform(engine) < 0.5 ? 1 : 0, region = static_cast<int>(3 * uniform(engine)) % 3;
    const Truth& b = kTruth[uniform(engine) < 1 / (1 + std::exp(-kShare - kShareByMember * member)) ? 1 : 0];
    for (int t = 0; t < 8; ++t) {
      Row row{
          p, 0, region, member, std::round(1000 * normal(engine)) / 1000, uniform(engine) < 0.5 ? 1.0 : 0.0};
      const double v[3] = {
          b.later + b.price_later * row.price, 0,
          b.yes + b.price_yes * row.price + b.ad_yes * row.ad + (region == 2 ? b.west_yes : 0)};
      double best = -1e9;
      for (int j = 0; j < 3; ++j)
        if (const double u = v[j] - std::log(-std::log(uniform(engine))); u > best)
          best = u, row.response = j;
      rows.push_back(row);
    }
  }
  return rows;
}

std::string csv(const std::vector<Row>& rows) {
  std::string out = "buys,customer,price,ad,region,member\n";
  for (const Row& r : rows)
    out += kLevels[static_cast<std::size_t>(r.response)] + "," + std::to_string(r.person) + "," +
           std::to_string(r.price) + "," + std::to_string(static_cast<int>(r.ad)) + "," +
           kRegions[static_cast<std::size_t>(r.region)] + "," + std::to_string(r.member) + "\n";
  return out;
}

ChoiceDeclaration latent(const std::string& classes, const std::string& membership = "member") {
  ChoiceDeclaration d;
  d.layout = "table";
  d.reference = "no";
  d.latent = {{"classes", classes}, {"starts", "4"}};
  if (!membership.empty()) d.membership = {membership};
  return d;
}

Settings of_table() {
  Settings settings;
  settings.target = "buys";
  settings.group = "customer";
  return settings;
}

using Estimates = std::map<std::string, EstimatedParameter>;

Estimates estimates_of(const Model& model) {
  Estimates out;
  for (const EstimatedParameter& one : stored_inference(model).estimates) out[one.name] = one;
  return out;
}

// By the definition, with nothing of the library: probabilities of the levels given the class.
std::vector<double> levels_given(const Estimates& e, const Row& row, int k) {
  const auto b = [&](const std::string& name) {
    return e.at(name + " (class " + std::to_string(k) + ")").estimate;
  };
  std::vector<double> out;
  double sum = 0;
  for (const std::string& level : kLevels) {
    double v = 0;
    if (level != "no") {
      v = b("constant[" + level + "]") + b("price[" + level + "]") * row.price +
          b("ad[" + level + "]") * row.ad;
      if (row.region > 0)
        v += b("region=" + kRegions[static_cast<std::size_t>(row.region)] + "[" + level + "]");
    }
    out.push_back(std::exp(v));
    sum += out.back();
  }
  for (double& one : out) one /= sum;
  return out;
}

std::vector<double> shares(const Estimates& e, int member) {
  const double odds =
      std::exp(e.at("share (class 2)").estimate + e.at("share by member (class 2)").estimate * member);
  return {1 / (1 + odds), odds / (1 + odds)};
}

// Of the rows of one person, share times likelihood by class.
std::vector<double> person_likelihoods(const Estimates& e, const std::vector<Row>& rows, int person) {
  std::vector<double> out;
  for (const Row& row : rows) {
    if (row.person != person) continue;
    if (out.empty()) out = shares(e, row.member);
    for (std::size_t k = 0; k < 2; ++k)
      out[k] *= levels_given(e, row, static_cast<int>(k) + 1)[static_cast<std::size_t>(row.response)];
  }
  return out;
}

using LatentTables = ChoiceFixture;

TEST_F(LatentTables, APlantedMixtureIsRecoveredWithinItsErrors) {
  const FitSummary fit = bl::fit(data(csv(planted(500))), latent("2"), of_table());
  const Estimates found = estimates_of(fit.model);
  EXPECT_EQ(found.size(), 2 * 10 + 2U);
  const auto near = [&](const std::string& name, double truth) {
    ASSERT_TRUE(found.contains(name)) << name;
    const EstimatedParameter& one = found.at(name);
    EXPECT_NEAR(one.estimate, truth, 3.5 * one.standard_error) << name;
    EXPECT_GT(one.standard_error, 0) << name;
    EXPECT_LT(one.standard_error, 0.4) << name;
  };
  for (int k = 0; k < 2; ++k) {
    const std::string of = " (class " + std::to_string(k + 1) + ")";
    const Truth& b = kTruth[k];
    near("constant[later]" + of, b.later);
    near("constant[yes]" + of, b.yes);
    near("price[later]" + of, b.price_later);
    near("price[yes]" + of, b.price_yes);
    near("ad[later]" + of, 0);
    near("ad[yes]" + of, b.ad_yes);
    near("region=west[yes]" + of, b.west_yes);
    near("region=south[yes]" + of, 0);
  }
  near("share (class 2)", kShare);
  near("share by member (class 2)", kShareByMember);
  EXPECT_THAT(fit.notes, Contains(HasSubstr("differences from 'no'")));
  EXPECT_THAT(fit.notes, Contains(HasSubstr("'member': of the membership")));
  EXPECT_THAT(fit.notes, Not(Contains(HasSubstr("weakly"))));
}

TEST_F(LatentTables, LikelihoodPredictionsAndPosteriorsAreThePlainSums) {
  const std::vector<Row> rows = planted(80);
  const Data table = data(csv(rows));
  const Model model = fit(table, latent("2"), of_table()).model;
  const Estimates e = estimates_of(model);
  const OutputTable posterior = posterior_means(model, table);
  ASSERT_EQ(posterior.rows, 80U);
  double total = 0;
  for (int p = 0; p < 80; ++p) {
    const std::vector<double> by_class = person_likelihoods(e, rows, p);
    total += std::log(by_class[0] + by_class[1]);
    EXPECT_NEAR(posterior.columns[1].numbers[static_cast<std::size_t>(p)],
                by_class[0] / (by_class[0] + by_class[1]), 1e-9);
  }
  EXPECT_NEAR(stored_inference(model).log_likelihood, total, 1e-8 * std::abs(total));
  EXPECT_NEAR(metric(model.evaluate(table), "log_likelihood"), total, 1e-8 * std::abs(total));
  // Of new rows neither the response nor the person is known.
  std::string without;
  for (const std::string& line : lines_of(csv(rows)))
    without += line.substr(line.find(',', line.find(',') + 1) + 1) + "\n";
  const OutputTable table_of = model.predict(data(without));
  ASSERT_EQ(table_of.rows, rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::vector<double> share = shares(e, rows[i].member), one = levels_given(e, rows[i], 1),
                              two = levels_given(e, rows[i], 2);
    double sum = 0;
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(table_of.columns[j + 1].name, "p(" + kLevels[j] + ")");
      EXPECT_NEAR(table_of.columns[j + 1].numbers[i], share[0] * one[j] + share[1] * two[j], 1e-12);
      sum += table_of.columns[j + 1].numbers[i];
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

// The same declared by hand, an alternative at a time.
TEST_F(LatentTables, ATableIsAChoiceAmongTheLevels) {
  const Data table = data(csv(planted(60)));
  std::string schema = "[data]\nchoice = \"buys\"\nperson = \"customer\"\n";
  for (const std::string& level : kLevels)
    schema += "[[alternatives]]\nname = \"" + level + "\"\nattributes = { price = \"price\", ad = \"ad\" }\n";
  schema +=
      "[utility]\nreference = \"no\"\ngeneric = []\nspecific = { price = [\"later\", \"yes\"], ad = "
      "[\"later\", "
      "\"yes\"] }\n[latent]\nclasses = 2\nstarts = 4\nmembership = [\"member\"]\n";
  const Model by_hand = fit_choice(table, file("s.toml", schema), Settings{}).model;
  Settings settings = of_table();
  settings.ignore = "region";
  const Model model = fit(table, latent("2"), settings).model;
  const Estimates a = estimates_of(model), b = estimates_of(by_hand);
  ASSERT_EQ(a.size(), b.size());
  for (const auto& [name, one] : a) {
    EXPECT_EQ(one.estimate, b.at(name).estimate) << name;
    EXPECT_EQ(one.standard_error, b.at(name).standard_error) << name;
  }
}

TEST_F(LatentTables, BicChoosesTheNumberOfClasses) {
  const Data table = data(csv(planted(250)));
  std::vector<double> bic;
  for (const char* classes : {"1", "2", "3"})
    bic.push_back(stored_inference(fit(table, latent(classes), of_table()).model).bic);
  EXPECT_LT(bic[1], bic[0]);
  EXPECT_LT(bic[1], bic[2]);
}

TEST_F(LatentTables, OneClassIsTheLogitAndOneRowAPersonIsSaid) {
  const std::vector<Row> rows = planted(60);
  const FitSummary logit = fit(data(csv(rows)), latent("1", ""), of_table());
  EXPECT_EQ(coefficients(logit.model).size(), 2 * 6U);
  EXPECT_THAT(logit.notes, Not(Contains(HasSubstr("weakly"))));
  Settings alone = of_table();
  const Settings defaults;
  alone.group = defaults.group;
  alone.ignore = "customer";
  EXPECT_THAT(fit(data(csv(rows)), latent("2"), alone).notes, Contains(HasSubstr("weakly")));
}

// Utilities that level off: lambda tanh(constant + slope price) of "no" and "yes", by class.
struct BlockTruth {
  double lambda, constant[2], slope[2];
};

double log_probability(const BlockTruth& b, double price, std::size_t level) {
  const auto v = [&](std::size_t j) { return b.lambda * std::tanh(b.constant[j] + b.slope[j] * price); };
  return -std::log1p(std::exp(v(1 - level) - v(level)));
}

// A block reads an input of its own for every level; its likelihood by the definition.
TEST_F(LatentTables, ABlockHasTheLikelihoodOfItsDefinition) {
  const BlockTruth truth[2] = {{3, {0.2, 0.1}, {0, 1.2}}, {2, {-0.3, 0.2}, {0.8, -0.6}}};
  std::mt19937_64 engine(4);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  std::vector<Row> rows;
  std::string text = "buys,customer,price\n";
  const std::string names[2] = {"no", "yes"};
  for (int p = 0; p < 120; ++p)
    for (int t = 0; t < 8; ++t) {
      Row row{.person = p, .price = std::round(1000 * normal(engine)) / 1000};
      row.response = uniform(engine) < std::exp(log_probability(truth[p % 3 == 0], row.price, 1)) ? 1 : 0;
      rows.push_back(row);
      text += names[row.response] + "," + std::to_string(p) + "," + std::to_string(row.price) + "\n";
    }
  const Data table = data(text);
  ChoiceDeclaration d = latent("2", "");
  d.form = "network";
  d.reference = "";
  Settings settings = of_table();
  settings.identifiable = true;
  settings.single = true;
  settings.heads = "1,0,0";
  settings.degree = 1;
  settings.starts = 2;
  const Model model = fit(table, d, settings).model;
  std::map<std::string, double> b;
  for (const ChoiceCoefficient& one : coefficients(model)) b[one.name] = one.estimate;
  EXPECT_EQ(b.size(), 2 * 5 + 1U);
  double total = 0;
  for (int p = 0; p < 120; ++p) {
    double by_class[2] = {0, b.at("share (class 2)")};
    for (std::size_t k = 0; k < 2; ++k) {
      const std::string of = " (class " + std::to_string(k + 1) + ")";
      const BlockTruth found = {b.at("U.lambda" + of),
                                {b.at("U.[alternative=no]" + of), b.at("U.[alternative=yes]" + of)},
                                {b.at("U.price[no]" + of), b.at("U.price[yes]" + of)}};
      for (const Row& row : rows)
        if (row.person == p)
          by_class[k] += log_probability(found, row.price, static_cast<std::size_t>(row.response));
    }
    total += std::log(std::exp(by_class[0]) + std::exp(by_class[1])) -
             std::log1p(std::exp(b.at("share (class 2)")));
  }
  EXPECT_NEAR(metric(model.evaluate(table), "log_likelihood"), total, 1e-7 * std::abs(total));
}

TEST_F(LatentTables, AColumnOfTheScaleIsNoInput) {
  ChoiceDeclaration d = latent("2");
  d.scale = {{"by", "region"}, {"reference", "north"}};
  const Estimates found = estimates_of(fit(data(csv(planted(60))), d, of_table()).model);
  EXPECT_EQ(found.size(), 2 * 8 + 2U);  // constants, price and ad of two levels, two scales
  EXPECT_TRUE(found.contains("log scale(south) (class 2)"));
}

TEST_F(LatentTables, WhatHasNoMeaningIsRefused) {
  const std::string text = csv(planted(30));
  const Data table = data(text);
  const auto refuses = [&](const ChoiceDeclaration& d, const Settings& settings, const std::string& part) {
    try {
      fit(table, d, settings);
      ADD_FAILURE() << "accepted: " << part;
    } catch (const UsageError& error) {
      EXPECT_THAT(error.what(), HasSubstr(part));
    }
  };
  Settings number = of_table();
  number.target = "price";
  refuses(latent("2"), number, "'price' is a number. If its values are classes, declare it by `nominal`");
  Settings two = of_table();
  two.target = "buys,region";
  refuses(latent("2"), two, "one response");
  refuses(latent("2"), Settings{}, "one response");
  refuses(latent("2", "buys"), of_table(), "is the response");
  refuses(latent("x"), of_table(), "whole number");
  ChoiceDeclaration d = latent("2");
  d.attributes = {{"price", "price"}};
  refuses(d, of_table(), "leave this out");
  d = latent("2");
  d.reference = "nope";
  refuses(d, of_table(), "no level 'nope'");
  EXPECT_THROW(fit(table, latent("2", "nobody"), of_table()), DataError);
  EXPECT_THROW(fit(table, latent("2", "price"), of_table()), DataError);  // differs between rows of a person
  FitOptions parts;
  parts.parts.assign(240, Part::train);
  EXPECT_THROW(fit(table, latent("2"), of_table(), parts), UsageError);
}

TEST_F(LatentTables, MissingValuesAndUnseenLevelsAreNamed) {
  const std::string text = csv(planted(30));
  const Model model = fit(data(text), latent("2"), of_table()).model;
  const auto says = [&](const auto& call, const std::string& part) {
    try {
      call();
      ADD_FAILURE() << "accepted: " << part;
    } catch (const DataError& error) {
      EXPECT_THAT(error.what(), HasSubstr(part));
    }
  };
  const std::string header = "price,ad,region,member\n";
  says([&] { model.predict(data(header + "1,0,south,1\n1,0,east,1\n")); },
       ":3: the attribute 'region=south'");
  says([&] { model.predict(data(header + "1,0,south,1\n1,0,east,1\n")); }, "there region is 'east'");
  says([&] { model.predict(data(header + ",0,south,1\n")); }, "there price is missing");
  says([&] { fit(data(text + "no,7,,0,south,1\n"), latent("2"), of_table()); }, "column 'price' is missing");
}

TEST(LatentTablesCommand, FitPredictEvaluateSummariseAndCompare) {
  const TemporaryFolder folder;
  folder.write("visits.csv", csv(planted(80)));
  const auto run = [&](const std::string& line) {
    const Outcome outcome = bl_command(folder, words(line));
    EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err;
    return outcome.out;
  };
  const std::string fit = "fit visits.csv --target buys --group customer --membership member --reference no ";
  EXPECT_THAT(run(fit + "--classes 2 -o two.bl"), HasSubstr("logit with 2 latent classes, 22 parameters"));
  run(fit + "--classes 1 -q -o one.bl");
  EXPECT_THAT(run("summary two.bl"), HasSubstr("mean shares of the classes"));
  EXPECT_THAT(run("compare one.bl two.bl"), HasSubstr("BIC"));
  EXPECT_EQ(lines_of(run("predict two.bl visits.csv"))[0], "line,p(later),p(no),p(yes),likeliest");
  EXPECT_EQ(lines_of(run("predict two.bl visits.csv --posterior")).size(), 81U);
  EXPECT_THAT(run("evaluate two.bl visits.csv"), HasSubstr("log_likelihood"));
  // Seed and starts are those of the classes; the same again.
  const auto again = [&](const char* name) {
    return nlohmann::json::parse(run(fit + "--classes 2 --seed 5 --starts 3 --json -o " + name))["train"];
  };
  EXPECT_EQ(again("a.bl"), again("b.bl"));
  const auto refused = [&](const std::string& line) { return bl_command(folder, words(line)).err; };
  EXPECT_THAT(refused("fit visits.csv --target price --classes 2 -o x.bl"),
              HasSubstr("declare it by --nominal"));
  EXPECT_THAT(refused("fit visits.csv --target buys --membership member -o x.bl"), HasSubstr("--classes"));
  EXPECT_THAT(refused("fit visits.csv --target buys --random price=normal -o x.bl"),
              HasSubstr("--classes 2"));
}

}  // namespace
}  // namespace bl
