// Choices from several data sources, rankings, and answers by segment.
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>

#include "bl/errors.hpp"
#include "bl/inference.hpp"
#include "frontends/choice_helpers.hpp"

namespace bl {
namespace {

using ::testing::HasSubstr;
using namespace test;
using Sources = ChoiceFixture;
using Rankings = ChoiceFixture;
using Segments = ChoiceFixture;

std::string number(double value) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.17g", value);
  return buffer;
}

const ChoiceCoefficient& coefficient(const std::vector<ChoiceCoefficient>& all, const std::string& name) {
  for (const ChoiceCoefficient& one : all)
    if (one.name == name) return one;
  ADD_FAILURE() << "no coefficient " << name;
  return all[0];
}

// Utilities -x + 0.5 y + Gumbel of four alternatives, those of the SP half times 0.5 before the Gumbel.
struct Draws {
  static constexpr std::size_t kAlternatives = 4;
  struct One {
    std::array<double, kAlternatives> x, y, utility;
    bool stated = false;
    int kind = 0;
  };
  std::vector<One> all;

  Draws(std::size_t count, std::uint64_t seed, double scale) {
    std::mt19937_64 engine(seed);
    std::normal_distribution<double> normal;
    std::uniform_real_distribution<double> uniform(1e-12, 1);
    for (std::size_t i = 0; i < count; ++i) {
      One one;
      one.stated = i % 2 == 1;
      one.kind = static_cast<int>(i % 3);
      for (std::size_t j = 0; j < kAlternatives; ++j) {
        one.x[j] = normal(engine);
        one.y[j] = normal(engine);
        one.utility[j] =
            (one.stated ? scale : 1) * (-one.x[j] + 0.5 * one.y[j]) - std::log(-std::log(uniform(engine)));
      }
      all.push_back(one);
    }
  }

  // Alternatives from best to worst.
  static std::array<std::size_t, kAlternatives> order(const One& one) {
    std::array<std::size_t, kAlternatives> out{0, 1, 2, 3};
    std::sort(out.begin(), out.end(), [&](auto a, auto b) { return one.utility[a] > one.utility[b]; });
    return out;
  }

  // With the first `ranked` alternatives' ranks in columns ra..rd, and the ranking as a text.
  std::string csv(std::size_t ranked = kAlternatives, int kind = -1) const {
    std::string text = "choice,ranking,src,kind,xa,xb,xc,xd,ya,yb,yc,yd,ra,rb,rc,rd\n";
    for (const One& one : all) {
      if (kind >= 0 && one.kind != kind) continue;
      const auto best = order(one);
      std::string ranking;
      std::array<int, kAlternatives> rank = {};
      for (std::size_t place = 0; place < ranked; ++place) {
        ranking += (place == 0 ? "" : " > ") + std::string(1, static_cast<char>('a' + best[place]));
        rank[best[place]] = static_cast<int>(place) + 1;
      }
      text += std::string(1, static_cast<char>('a' + best[0])) + "," + ranking +
              (one.stated ? ",SP," : ",RP,") + std::to_string(one.kind);
      for (const double v : one.x) text += "," + number(v);
      for (const double v : one.y) text += "," + number(v);
      for (const int v : rank) text += "," + (v == 0 ? std::string("0") : std::to_string(v));
      text += "\n";
    }
    return text;
  }
};

std::string schema(const std::string& data, const std::string& rest = "") {
  return "[data]\n" + data +
         "\n[attributes]\nx = \"x{}\"\ny = \"y{}\"\n[[alternatives]]\nname = \"a\"\n[[alternatives]]\nname = "
         "\"b\"\n[[alternatives]]\nname = \"c\"\n[[alternatives]]\nname = \"d\"\n" +
         rest;
}

TEST_F(Sources, APlantedScaleIsFound) {
  const Draws draws(6000, 11, 0.5);
  const FitSummary fit = fit_choice(
      data(draws.csv()),
      file("s.toml", schema("choice = \"choice\"", "[scale]\nby = \"src\"\nreference = \"RP\"\n")), {});
  const auto all = coefficients(fit.model);
  for (const auto& [name, truth] :
       {std::pair("x", -1.0), std::pair("y", 0.5), std::pair("log scale(SP)", std::log(0.5))}) {
    const ChoiceCoefficient& one = coefficient(all, name);
    EXPECT_NEAR(one.estimate, truth, 3 * one.standard_error) << name;
    EXPECT_LT(one.standard_error, 0.1) << name;
  }
  EXPECT_THAT(fit.notes, ::testing::Contains(HasSubstr("scale of SP against RP")));
  // A file with another source is refused, and the scale matters for probabilities.
  std::string other = Draws(2, 3, 1).csv();
  EXPECT_NO_THROW(fit.model.predict(data(other)));
  other.replace(other.find(",RP,"), 4, ",XX,");
  EXPECT_THROW(fit.model.predict(data(other)), DataError);
}

TEST_F(Sources, AScaleGoesWithRandomCoefficientsAndNests) {
  const Draws draws(3000, 11, 0.5);
  const std::string scale = "[scale]\nby = \"src\"\nreference = \"RP\"\n";
  for (const std::string& more : {std::string("[random]\ny = \"normal\"\n[draws]\ncount = 50\n"),
                                  std::string("[nests]\nab = [\"a\", \"b\"]\n")}) {
    const Model model =
        fit_choice(data(draws.csv()), file("s.toml", schema("choice = \"choice\"", scale + more)), {}).model;
    const auto all = coefficients(model);
    for (const auto& [name, truth] : {std::pair("x", -1.0), std::pair("log scale(SP)", std::log(0.5))}) {
      const ChoiceCoefficient& one = coefficient(all, name);
      EXPECT_NEAR(one.estimate, truth, 3.5 * one.standard_error) << name << " with " << more;
      EXPECT_LT(one.standard_error, 0.15) << name << " with " << more;
    }
  }
}

// Two sources with the counts of a saturated model each, and constants of their own: the log scale is the log
// of the ratio of the separate logits' coefficients, with the errors of independent estimates.
TEST_F(Sources, ASaturatedModelHasTheRatioOfSeparateLogits) {
  constexpr double kM0 = 50, kQ0 = 20.0 / 50, kM1 = 45, kQ1 = 30.0 / 45;
  std::string csv = two_by_two();
  std::string rows = "y,x,src\n";
  for (std::size_t at = csv.find('\n') + 1; at < csv.size();) {
    const std::size_t end = csv.find('\n', at);
    rows += csv.substr(at, csv.rfind(',', end) - at) + ",RP\n";
    at = end + 1;
  }
  const auto add = [&](const char* y, int x, int count) {
    for (int i = 0; i < count; ++i) rows += std::string(y) + "," + std::to_string(x) + ",SP\n";
  };
  add("a", 0, 20);
  add("b", 0, 30);
  add("a", 1, 30);
  add("b", 1, 15);
  const std::string text =
      "[data]\nchoice = \"y\"\n[[alternatives]]\nname = \"a\"\nattributes = { one = \"1\", x = \"x\" }\n"
      "[[alternatives]]\nname = \"b\"\n[terms]\nrp = \"one * (src == 'RP')\"\nsp = \"one * (src == 'SP')\"\n"
      "[utility]\nconstants = false\ngeneric = [\"rp\", \"sp\", \"x\"]\n[scale]\nby = \"src\"\n";
  const auto all = coefficients(fit_choice(data(rows), file("s.toml", text), {}).model);
  const double rp = logit(kP1) - logit(kP0), sp = logit(kQ1) - logit(kQ0);
  EXPECT_NEAR(coefficient(all, "x").estimate, rp, 1e-7);
  EXPECT_NEAR(coefficient(all, "log scale(SP)").estimate, std::log(sp / rp), 1e-7);
  const auto variance = [](double n, double p) { return 1 / (n * p * (1 - p)); };
  const double of_rp = variance(kN0, kP0) + variance(kN1, kP1),
               of_sp = variance(kM0, kQ0) + variance(kM1, kQ1);
  EXPECT_NEAR(coefficient(all, "log scale(SP)").standard_error,
              std::sqrt(of_rp / (rp * rp) + of_sp / (sp * sp)), 1e-5);
}

TEST_F(Sources, AnswersAreInUnitsOfTheReference) {
  const Draws draws(800, 12, 0.5);
  const Model model =
      fit_choice(data(draws.csv()),
                 file("s.toml", schema("choice = \"choice\"", "[scale]\nby = \"src\"\nreference = \"RP\"\n")),
                 {})
          .model;
  // Elasticities are differences of shares in changed files.
  constexpr double kStep = 1e-5;
  const auto shares = [&](double factor) {
    Draws moved = draws;
    for (Draws::One& one : moved.all) one.x[1] *= factor;
    return market_shares(model, data(moved.csv())).columns[1].numbers;
  };
  const auto up = shares(1 + kStep), down = shares(1 - kStep), at = shares(1);
  const ChoiceElasticities found = elasticities(model, data(draws.csv()), "x");
  for (std::size_t j = 0; j < 4; ++j)
    EXPECT_NEAR(found.by[j][1], (up[j] - down[j]) / (2 * kStep * at[j]), 1e-6);
  // A gain of one unit of y everywhere is worth its coefficient in every source.
  const WhatIf gain = what_if(
      model, data(draws.csv()),
      {.changes = {{"a", "y", "y + 1"}, {"b", "y", "y + 1"}, {"c", "y", "y + 1"}, {"d", "y", "y + 1"}}});
  EXPECT_NEAR(gain.surplus_change, coefficient(coefficients(model), "y").estimate, 1e-9);
}

TEST_F(Sources, WhatMakesNoSenseIsRefused) {
  const std::string csv = Draws(40, 2, 1).csv();
  const auto fitted = [&](const std::string& rest) {
    return fit_choice(data(csv), file("s.toml", schema("choice = \"choice\"", rest)), {});
  };
  EXPECT_THROW(fitted("[scale]\nby = \"src\"\nreference = \"XX\"\n"), UsageError);
  EXPECT_THROW(fitted("[scale]\nby = \"x\"\n"), Error);
  EXPECT_THROW(fitted("[scale]\nreference = \"RP\"\n"), UsageError);
  EXPECT_THROW(fitted("[utility]\nform = \"network\"\n[scale]\nby = \"src\"\n"), UsageError);
}

// The sets of a ranking written out by hand, a line per alternative that is left.
std::string exploded_csv(const Draws& draws, std::size_t ranked) {
  std::string text = "set,alt,picked,x,y\n";
  int set = 0;
  for (const Draws::One& one : draws.all) {
    const auto best = Draws::order(one);
    for (std::size_t stage = 0; stage < std::min<std::size_t>(ranked, Draws::kAlternatives - 1);
         ++stage, ++set)
      for (std::size_t place = stage; place < best.size(); ++place)
        text += std::to_string(set) + "," + std::string(1, static_cast<char>('a' + best[place])) + "," +
                (place == stage ? "1" : "0") + "," + number(one.x[best[place]]) + "," +
                number(one.y[best[place]]) + "\n";
  }
  return text;
}

void expect_same(const FitSummary& found, const FitSummary& truth) {
  const auto ours = coefficients(found.model), theirs = coefficients(truth.model);
  ASSERT_EQ(ours.size(), theirs.size());
  for (const ChoiceCoefficient& one : theirs) {
    EXPECT_NEAR(coefficient(ours, one.name).estimate, one.estimate, 1e-8) << one.name;
    EXPECT_NEAR(coefficient(ours, one.name).standard_error, one.standard_error, 1e-8) << one.name;
    EXPECT_NEAR(coefficient(ours, one.name).robust_error, one.robust_error, 1e-8) << one.name;
  }
  EXPECT_NEAR(metric(found.train, "log_likelihood"), metric(truth.train, "log_likelihood"), 1e-7);
}

TEST_F(Rankings, AreTheLogitOnExplodedSets) {
  const Draws draws(300, 21, 1);
  for (const std::size_t ranked : {std::size_t{4}, std::size_t{2}}) {
    const FitSummary truth = fit_choice(
        Data::read(file("long.csv", exploded_csv(draws, ranked)), {}),
        file("l.toml",
             "[data]\nlayout = \"long\"\nsituation = \"set\"\nalternative = \"alt\"\nchosen = "
             "\"picked\"\n[attributes]\nx = \"x\"\ny = \"y\"\n[[alternatives]]\nname = \"a\"\n"
             "[[alternatives]]\nname = \"b\"\n[[alternatives]]\nname = \"c\"\n[[alternatives]]\nname "
             "= \"d\"\n"),
        {});
    const Data wide = data(draws.csv(ranked));
    const FitSummary columns = fit_choice(wide, file("s.toml", schema("rank = \"r{}\"")), {});
    expect_same(columns, truth);
    expect_same(fit_choice(wide, file("t.toml", schema("ranking = \"ranking\"")), {}), truth);
    EXPECT_NEAR(metric(columns.model.evaluate(wide, Part::all, {}), "log_likelihood"),
                metric(truth.train, "log_likelihood"), 1e-7);
    // Forecasts are of the first choice among all.
    EXPECT_EQ(columns.model.predict(wide).rows, draws.all.size());
    const auto observed = market_shares(columns.model, wide).columns[2].numbers;
    double first = 0;
    for (const Draws::One& one : draws.all) first += Draws::order(one)[0] == 0 ? 1 : 0;
    EXPECT_NEAR(observed[0], first / static_cast<double>(draws.all.size()), 1e-12);
  }
}

TEST_F(Rankings, OfALongFile) {
  const Draws draws(120, 22, 1);
  std::string text = "set,alt,place,x,y\n";
  for (std::size_t i = 0; i < draws.all.size(); ++i) {
    const auto best = Draws::order(draws.all[i]);
    for (std::size_t j = 0; j < 4; ++j)
      text += std::to_string(i) + "," + std::string(1, static_cast<char>('a' + j)) + "," +
              std::to_string(std::find(best.begin(), best.end(), j) - best.begin() + 1) + "," +
              number(draws.all[i].x[j]) + "," + number(draws.all[i].y[j]) + "\n";
  }
  const FitSummary found = fit_choice(
      Data::read(file("long.csv", text), {}),
      file("l.toml",
           "[data]\nlayout = \"long\"\nsituation = \"set\"\nalternative = \"alt\"\nrank = \"place\"\n"
           "[attributes]\nx = \"x\"\ny = \"y\"\n"),
      {});
  const FitSummary wide = fit_choice(data(draws.csv()), file("s.toml", schema("rank = \"r{}\"")), {});
  expect_same(found, wide);
  EXPECT_THAT(found.notes, ::testing::Contains(HasSubstr("120 rankings were exploded into 360 choices")));
}

TEST_F(Rankings, WhatMakesNoSenseIsRefused) {
  const auto fitted = [&](std::string csv, const std::string& how) {
    return fit_choice(data(csv), file("s.toml", schema(how)), {});
  };
  const std::string header = "ranking,xa,xb,xc,xd,ya,yb,yc,yd,ra,rb,rc,rd\n", x = ",1,2,3,4,1,1,2,2";
  EXPECT_THROW(fitted(header + "a > a" + x + ",1,1,0,0\n", "rank = \"r{}\""), DataError);         // a tie
  EXPECT_THROW(fitted(header + "a > a" + x + ",0,0,0,0\n", "rank = \"r{}\""), DataError);         // none
  EXPECT_THROW(fitted(header + "a > a" + x + ",-1,1,0,0\n", "rank = \"r{}\""), DataError);        // negative
  EXPECT_THROW(fitted(header + "a > a" + x + ",1,2,3,4\n", "ranking = \"ranking\""), DataError);  // twice
  EXPECT_THROW(fitted(header + "a > e" + x + ",1,2,3,4\n", "ranking = \"ranking\""), DataError);  // unknown
  EXPECT_THROW(fitted(header + "a" + x + ",1,2,3,4\n", "choice = \"ranking\"\nrank = \"r{}\""), UsageError);
}

TEST_F(Segments, AreTheAnswersAboutTheirRows) {
  const Draws draws(300, 31, 1);
  const Model model =
      fit_choice(data(draws.csv()),
                 file("s.toml", schema("choice = \"choice\"", "[terms]\nx_kind = \"x * (kind == 2)\"\n")), {})
          .model;
  const Data all = data(draws.csv());
  const std::vector<Segment> parts = segments(model, all, "kind");
  ASSERT_EQ(parts.size(), 3U);
  const auto whole = market_shares(model, all).columns[1].numbers;
  std::vector<double> mean(4, 0);
  for (int kind = 0; kind < 3; ++kind) {
    const Segment& part = parts[static_cast<std::size_t>(kind)];
    EXPECT_EQ(part.situations, model.part_rows(part.data, Part::all));
    EXPECT_EQ(part.level, std::to_string(kind));
    const Data alone = data(draws.csv(4, kind));
    const auto shares = market_shares(model, part.data).columns[1].numbers;
    EXPECT_EQ(shares, market_shares(model, alone).columns[1].numbers);
    EXPECT_EQ(elasticities(model, part.data, "x").by, elasticities(model, alone, "x").by);
    EXPECT_EQ(trade_off(model, part.data, "y", "x").value, trade_off(model, alone, "y", "x").value);
    for (std::size_t j = 0; j < 4; ++j) mean[j] += shares[j] / 3;
  }
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(mean[j], whole[j], 1e-12);
  const auto all_c = coefficients(model);
  EXPECT_NEAR(trade_off(model, parts[2].data, "y", "x").value,
              coefficient(all_c, "y").estimate /
                  (coefficient(all_c, "x").estimate + coefficient(all_c, "x_kind").estimate),
              1e-9);
  EXPECT_THROW(segments(model, all, "xa"), UsageError);
  EXPECT_THROW(segments(model, all, "nothing"), DataError);
}

}  // namespace
}  // namespace bl
