// Random lambdas, nests and latent classes over one identifiable block, through the public interface.
#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "bl/errors.hpp"
#include "bl/inference.hpp"
#include "bl/report.hpp"
#include "frontends/choice_helpers.hpp"

namespace bl {
namespace {

using ::testing::HasSubstr;
using namespace test;
using BlockBeyond = ChoiceFixture;

// People who differ in how much the budget binds: 3 tanh(0.6 q) - lambda softplus(p), three products and no
// difference between them but their quality q and price p. `lambda` of a person, from a standard normal.
template <class Lambda>
std::string planted(int persons, int situations, Lambda lambda) {
  std::mt19937_64 engine(11);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(1e-12, 1);
  std::string csv = "choice,id,qa,qb,qc,pa,pb,pc,source\n";
  for (int i = 0; i < persons; ++i) {
    const double weight = lambda(normal(engine));
    for (int t = 0; t < situations; ++t) {
      double q[3], p[3], best = -1e9;
      int chosen = 0;
      for (int j = 0; j < 3; ++j) {
        q[j] = std::round(2e3 * normal(engine)) / 1e3;
        p[j] = std::round(2.5e3 * normal(engine)) / 1e3;
        const double v = 3 * std::tanh(0.6 * q[j]) - weight * std::log1p(std::exp(p[j])) -
                         std::log(-std::log(uniform(engine)));
        if (v > best) best = v, chosen = j;
      }
      csv += std::string(1, static_cast<char>('a' + chosen)) + "," + std::to_string(i);
      for (const double* x : {q, p})
        for (int j = 0; j < 3; ++j) csv += "," + std::to_string(x[j]);
      csv += t % 2 == 0 ? ",SP\n" : ",RP\n";
    }
  }
  return csv;
}

std::string schema(const std::string& rest, const std::string& form = "form = \"network\"\n") {
  return three_products('q', 'p') + form + rest;
}

Settings block() {
  Settings s;
  for (const auto& [name, value] :
       {std::pair("identifiable", "true"), std::pair("single", "true"), std::pair("heads", "1,1,0"),
        std::pair("degree", "1"), std::pair("starts", "2"), std::pair("threads", "2")})
    set(s, name, value);
  return s;
}

const EstimatedParameter& estimate(const InferenceSummary& summary, const std::string& name) {
  for (const EstimatedParameter& one : summary.estimates)
    if (one.name == name) return one;
  std::string all;
  for (const EstimatedParameter& one : summary.estimates) all += one.name + "; ";
  throw std::runtime_error("no parameter " + name + " among " + all);
}

void expect_near(const InferenceSummary& summary, const std::string& name, double truth, double most) {
  const EstimatedParameter& one = estimate(summary, name);
  EXPECT_NEAR(one.estimate, truth, 3.5 * one.standard_error) << name;
  EXPECT_LT(one.standard_error, most) << name;
}

const char* const kRandom = "[random]\n\"C.lambda\" = \"lognormal\"\n[draws]\ncount = 200\n";

TEST_F(BlockBeyond, FindsHowMuchTheBudgetBindsForDifferentPersons) {
  const Data rows = data(planted(500, 8, [](double z) { return std::exp(0.3 + 0.8 * z); }));
  const FitSummary fit = fit_choice(rows, file("s.toml", schema(kRandom)), block());
  const InferenceSummary summary = stored_inference(fit.model);
  expect_near(summary, "mean(log C.lambda)", 0.3, 0.6);
  expect_near(summary, "sd(log C.lambda)", 0.8, 0.15);
  expect_near(summary, "C.p", 1, 0.3);
  expect_near(summary, "C.q", 0, 0.2);
  expect_near(summary, "U.lambda", 3, 0.5);
  expect_near(summary, "U.q", 0.6, 0.15);
  expect_near(summary, "U.p", 0, 0.1);
  EXPECT_NEAR(metric(fit.model.evaluate(rows), "log_likelihood"), summary.log_likelihood, 1e-6);
  // Without the spread it fits worse, and a test says so.
  Settings plain = block();
  set(plain, "fractions", "1:0:0");
  const FitSummary same = fit_choice(rows, file("b.toml", schema("")), plain);
  EXPECT_LT(likelihood_ratio_test(stored_inference(same.model), summary).p, 1e-6);
  const OutputTable persons = posterior_means(fit.model, rows);
  EXPECT_EQ(persons.columns[1].name, "mean(C.lambda)");
  EXPECT_EQ(persons.rows, 500U);
}

// Two kinds of persons: the budget binds one of them alone.
TEST_F(BlockBeyond, FindsTheClassesWhoseBudgetsBindDifferently) {
  const Data rows = data(planted(400, 8, [](double z) { return z < 0.2533471 ? 2.5 : 0.4; }));
  const FitSummary fit =
      fit_choice(rows, file("s.toml", schema("[latent]\nclasses = 2\nstarts = 3\n")), block());
  const InferenceSummary summary = stored_inference(fit.model);
  expect_near(summary, "share (class 2)", std::log(0.4 / 0.6), 0.3);
  // The worth of quality is the same in both classes.
  for (const char* name : {"U.q (class 1)", "U.q (class 2)"}) expect_near(summary, name, 0.6, 0.3);
  EXPECT_NEAR(metric(fit.model.evaluate(rows), "log_likelihood"), summary.log_likelihood, 1e-6);
}

struct Kind {
  const char* rest;
  const char* words;
};

// For every model over a block: probabilities sum to 1, a small change of an attribute moves shares as the
// elasticities say, trade-offs are ratios of marginal utilities, a model from its bytes is the same.
TEST_F(BlockBeyond, SharesElasticitiesAndFilesAgree) {
  const Data rows = data(planted(150, 6, [](double z) { return std::exp(0.5 + 0.3 * z); }));
  for (const Kind& kind :
       {Kind{"[random]\n\"C.lambda\" = \"lognormal\"\n\"U.q\" = \"normal\"\n[draws]\ncount = 50\n",
             "mixed logit of a block"},
        Kind{"[nests]\nab = [\"a\", \"b\"]\n", "nested logit of a block"},
        Kind{"[nests]\nab = [\"a\", \"b\"]\n[scale]\nby = \"source\"\n",
             "nested logit of a block with a scale by source"},
        Kind{"[latent]\nclasses = 2\nstarts = 2\n", "logit of a block with 2 latent classes"}}) {
    const Model model = fit_choice(rows, file("s.toml", schema(kind.rest)), block()).model;
    EXPECT_THAT(model.describe(), HasSubstr(kind.words));
    const OutputTable table = model.predict(rows);
    for (std::size_t i = 0; i < table.rows; ++i)
      EXPECT_NEAR(table.columns[1].numbers[i] + table.columns[2].numbers[i] + table.columns[3].numbers[i], 1,
                  1e-12);
    const ChoiceElasticities e = elasticities(model, rows, "p");
    ChoiceScenario up, down;
    up.changes = {{"b", "p", "p * 1.000001"}};
    down.changes = {{"b", "p", "p / 1.000001"}};
    const WhatIf more = what_if(model, rows, up), less = what_if(model, rows, down);
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_NEAR(e.by[j][1], std::log(more.after[j] / less.after[j]) / (2 * std::log(1.000001)), 1e-6)
          << kind.words;
    EXPECT_TRUE(std::isfinite(trade_off(model, rows, "q", "p").value));
    const Model again = Model::from_bytes(model.to_bytes(), "model");
    EXPECT_EQ(again.predict(rows).columns[1].numbers, table.columns[1].numbers);
    const std::string text = explain_choice(model, ExplainFormat::text);
    EXPECT_THAT(text, HasSubstr("tanh(")) << text;
    // The page would compute the probabilities of a logit.
    EXPECT_THROW(static_cast<void>(report_html(model, rows)), UsageError);
  }
}

// mu = 1 and no scales: the plain block's likelihood is a lower bound, and its own estimates are where it
// starts.
TEST_F(BlockBeyond, ANestIsNoWorseThanNone) {
  const Data rows = data(planted(200, 8, [](double) { return 1.5; }));
  Settings plain = block();
  set(plain, "fractions", "1:0:0");
  const FitSummary same = fit_choice(rows, file("b.toml", schema("")), plain),
                   nested =
                       fit_choice(rows, file("s.toml", schema("[nests]\nab = [\"a\", \"b\"]\n")), block());
  const double without = metric(same.model.evaluate(rows), "log_likelihood"),
               with = metric(nested.model.evaluate(rows), "log_likelihood");
  EXPECT_GT(with, without - 1e-6);
  EXPECT_LT(with, without + 5);  // nothing was planted
  const EstimatedParameter mu = estimate(stored_inference(nested.model), "mu(ab)");
  EXPECT_NEAR(mu.estimate, 1, 3.5 * mu.standard_error);
}

TEST_F(BlockBeyond, RefusesWhatItCannotDo) {
  const Data rows = data(planted(20, 2, [](double) { return 1.5; }));
  const auto message = [&](const std::string& rest, const Settings& settings, const std::string& form) {
    try {
      static_cast<void>(fit_choice(rows, file("s.toml", schema(rest, form)), settings));
    } catch (const UsageError& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  const std::string network = "form = \"network\"\n", nests = "[nests]\nab = [\"a\", \"b\"]\n";
  EXPECT_THAT(message(nests, Settings{}, network), HasSubstr("`identifiable` and `single`"));
  EXPECT_THAT(message(nests, block(), network + "context = [\"source\"]\n"), HasSubstr("make a term"));
  EXPECT_THAT(message(nests, block(), network + "rivals = [\"mean\"]\n"), HasSubstr("no random utility"));
  EXPECT_THAT(message(nests, block(), network + "signs = { p = \"negative\" }\n"), HasSubstr("no signs"));
  EXPECT_THAT(message("[random]\n\"U.q\" = \"lognormal\"\n", block(), network),
              HasSubstr("cannot be lognormal"));
  EXPECT_THAT(message("[random]\n\"U.x\" = \"normal\"\n", block(), network),
              HasSubstr("no coefficient 'U.x'"));
  EXPECT_THAT(message(nests + "[latent]\nclasses = 2\n", block(), network), HasSubstr("choose one"));
}

}  // namespace
}  // namespace bl
