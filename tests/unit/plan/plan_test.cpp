// From settings and a table to a model: shapes and counts worked out by hand. What "auto" chooses is not
// tested here unless it follows from the kind of the response.
#include "plan/plan.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "model/parameters.hpp"
#include "plan/number_plan.hpp"
#include "plan/table_plan.hpp"
#include "unit/data/data_helpers.hpp"
#include "unit/plan/planned.hpp"

namespace bl {
namespace {

using test::Planned;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(PlanArchitecture, LayersOfTheScalarForm) {
  const Planned p("y", {{"layers", "3,2"}});
  const Architecture a = p.architecture();
  EXPECT_EQ(a.input, (InputShape{.context = 3, .values = 0, .classes = 3}));
  EXPECT_EQ(a.form, Form::scalar);
  EXPECT_EQ(a.activation(HeadKind::equality), Activation::abs);
  // 9 heads of 6 weights, a bias and a lambda; 6 heads that read 3; a readout of 2.
  EXPECT_EQ(p.parameters(), 9 * (6 + 2) + 6 * (3 + 2) + 2);
  EXPECT_EQ(Planned("y", {{"layers", "3,2"}, {"readout_bias", "true"}}).parameters(), 104 + 1);
  EXPECT_EQ(Planned("y", {{"layers", "3,2"}, {"heads", "1,0,2"}}).parameters(),
            9 * (6 + 2) + 6 * (3 + 2) + 2);
}

TEST(PlanArchitecture, SkipsWidenOrProject) {
  // Later layers read the 6 inputs too; densely also all layers before.
  EXPECT_EQ(Planned("y", {{"layers", "3,2,2"}, {"skip", "input"}}).parameters(),
            9 * 8 + 6 * (9 + 2) + 6 * (8 + 2) + 2);
  EXPECT_EQ(Planned("y", {{"layers", "3,2,2"}, {"skip", "dense"}}).parameters(),
            9 * 8 + 6 * (9 + 2) + 6 * (11 + 2) + 2);
  // 3 outputs are projected to 2 by a matrix; 2 to 2 are added as they are.
  EXPECT_EQ(Planned("y", {{"layers", "3,2,2"}, {"skip", "residual"}}).parameters(),
            9 * 8 + 6 * 5 + 3 * 2 + 6 * 4 + 2);
}

TEST(PlanArchitecture, TheVectorFormHasAReadoutRowPerClass) {
  const Planned p("y", {{"layers", "3,2"}, {"form", "vector"}});
  EXPECT_EQ(p.architecture().outputs, 3);
  EXPECT_EQ(p.architecture().readout.sign, Sign::free);
  EXPECT_EQ(p.parameters(), 9 * (3 + 2) + 6 * (3 + 2) + 3 * 2);
}

TEST(PlanArchitecture, ASingleBlockIsOneOfMonomials) {
  const Planned p("y", {{"single", "true"}, {"heads", "1,3,2"}});
  EXPECT_FALSE(p.architecture().readout.present);
  // 6 + 21 monomials of degree 1 and 2 in 6 inputs.
  EXPECT_EQ(p.parameters(), 6 * (27 + 2));
  EXPECT_EQ(Planned("y", {{"single", "true"}, {"heads", "1,0,0"}, {"degree", "3"}}).parameters(),
            6 + 21 + 56 + 2);
}

TEST(PlanArchitecture, DegreesPerHead) {
  const Planned p("y", {{"single", "true"}, {"degree_u", "2"}, {"degree_c", "1"}, {"degree_t", "2,1"}});
  EXPECT_THAT(p.architecture().layers[0].degrees,
              ElementsAre(ElementsAre(2), ElementsAre(1), ElementsAre(2, 1)));
  EXPECT_EQ(p.parameters(), (27 + 2) + (6 + 2) + (27 + 2) + (6 + 2));
}

TEST(PlanArchitecture, ExtraTermsAreNamedByColumns) {
  const Planned p("v", {{"layers", "2"}, {"terms", "x*v, v^2, c=a*x"}});
  EXPECT_EQ(p.architecture().basis.kind, BasisKind::affine_plus);
  EXPECT_THAT(p.architecture().basis.extra,
              ElementsAre(ElementsAre(0, 3), ElementsAre(3, 3), ElementsAre(0, 1)));
  EXPECT_EQ(p.parameters(), 6 * (4 + 3 + 2) + 2);
  EXPECT_THAT(Planned("v", {{"terms", "x*vv"}}).refusal(), HasSubstr("did you mean 'v'"));
  EXPECT_THAT(Planned("v", {{"terms", "v^0"}}).refusal(), HasSubstr("'v^0'"));
  EXPECT_THAT(Planned("v", {{"terms", "*"}}).refusal(), HasSubstr("names no input"));
}

TEST(PlanArchitecture, TheIdentifiableVariantKeepsTermsOfTheResponse) {
  const Planned p("y", {{"identifiable", "true"}, {"layers", "2"}});
  const Architecture a = p.architecture();
  EXPECT_THAT(a.activations, ElementsAre(Activation::tanh, Activation::softplus, Activation::square));
  EXPECT_TRUE(a.basis.response_only);
  // Of 3 inputs the reference level of c has none; of 20 monomials the 5 in the context alone go, and the
  // biases with them.
  EXPECT_EQ(p.parameters(), 6 * (15 + 1) + 2);
}

TEST(PlanArchitecture, InputsAreNamedInTheOrderOfZ) {
  const Planned p("y,v");
  const UtilityInputs inputs = utility_inputs(p.encoder, p.space);
  EXPECT_THAT(inputs.names, ElementsAre("x", "c=a", "c=b", "v", "y=blue", "y=green", "y=red"));
  EXPECT_THAT((std::vector<Index>{inputs.context, inputs.values, inputs.classes}), ElementsAre(3, 1, 3));
}

TEST(PlanArchitecture, ContradictionsAreRefused) {
  EXPECT_THAT(Planned("y", {{"single", "true"}, {"layers", "2"}}).refusal(),
              HasSubstr("`single` and `layers`"));
  EXPECT_THAT(Planned("y", {{"terms", "x"}, {"degree", "2"}}).refusal(), HasSubstr("`terms` and `degree`"));
  EXPECT_THAT(Planned("v", {{"form", "vector"}}).refusal(), HasSubstr("class response"));
  EXPECT_THAT(Planned("y", {{"layers", "0"}}).refusal(), HasSubstr("from 1 on"));
  EXPECT_THAT(Planned("y", {{"layers", "2;3"}}).refusal(), HasSubstr("'2;3'"));
  EXPECT_THAT(Planned("y", {{"layers", " "}}).refusal(), HasSubstr("no layer"));
  EXPECT_THAT(Planned("y", {{"heads", "1,1"}}).refusal(), HasSubstr("three numbers"));
  EXPECT_THAT(Planned("y", {{"identifiable", "true"}, {"equality", "abs"}}).refusal(),
              HasSubstr("identifiable"));
}

TEST(PlanSupport, IsTheTrainingRangeAndTenStandardDeviationsOrWhatWasGiven) {
  const Planned automatic("v");
  const ResponseEncoding& v = automatic.encoder.responses()[0];
  const Support support = automatic.support();
  EXPECT_NEAR(support.lower[0] * v.scale + v.mean, 1.5 - 10 * v.scale, 1e-12);
  EXPECT_NEAR(support.upper[0] * v.scale + v.mean, 6.5 + 10 * v.scale, 1e-12);
  const Support given = Planned("v,u", {{"support", "0:10, 1:7"}}).support();
  EXPECT_NEAR(given.lower[0] * v.scale + v.mean, 0, 1e-12);
  EXPECT_NEAR(given.upper[0] * v.scale + v.mean, 10, 1e-12);
  EXPECT_EQ(given.dimension(), 2);
  EXPECT_EQ(Planned("y").support().dimension(), 0);
  EXPECT_THROW(Planned("v", {{"support", "2:10"}}).support(), DataError);  // 1.5 is outside
  for (const char* bad : {"1", "1:2:3", "10:0", "0:x", "0:10,0:10", "0:inf"})
    EXPECT_THROW(Planned("v", {{"support", bad}}).support(), UsageError) << bad;
}

// Zeros are a point mass: their distance from the rest is no range of the tail.
TEST(PlanSupport, OnALogarithmicAxisHasHalfTheRangeMoreWithoutPointMasses) {
  std::string text = "x,v\n";
  for (int i = 0; i < 60; ++i) text += fmt::format("{},{:.17g}\n", i % 7, i % 2 ? std::exp(0.05 * i) : 0.0);
  const Table table = read_table_from_memory(text, "t.csv");
  Settings s;
  for (const char* name : {"target", "continuous"}) set(s, name, "v");
  set(s, "response_transform", "log");
  const Schema schema = plan_schema(table, s);
  EncodeOptions options = encode_options(s, schema);
  options.number = plan_number_policy(s, schema);
  const Encoder encoder = Encoder::fit(table, schema, options, all_rows(table.rows), Context(1));
  const ResponseEncoding& v = encoder.responses()[0];
  ASSERT_EQ(v.number.masses.size(), 1U);
  const Support support = plan_support(s, encoder, ResponseSpace(encoder),
                                       encoder.encode<double>(table, all_rows(table.rows)).continuous);
  const double low = v.encode(std::exp(0.05)), high = v.encode(std::exp(0.05 * 59));
  EXPECT_NEAR(support.upper[0], high + (high - low) / 2, 1e-12);
  EXPECT_LT(support.lower[0], v.encode(0));
  EXPECT_GT(support.lower[0], v.encode(0) - (high - low));
}

TEST(PlanObjective, FollowsTheResponse) {
  EXPECT_EQ(Planned("y").objective().kind, ObjectiveKind::likelihood);
  EXPECT_EQ(Planned("v").objective().kind, ObjectiveKind::likelihood);
  EXPECT_GT(Planned("v").objective().rule.size(), 0);
  EXPECT_EQ(Planned("v", {{"panels", "3"}}).objective().rule.size(), 3 * 8);
  EXPECT_EQ(Planned("v,u", {{"panels", "2"}}).objective().rule.size(), 16 * 16);
  EXPECT_EQ(Planned("v,u,t").objective().kind, ObjectiveKind::score_matching);
  EXPECT_EQ(Planned("v", {{"objective", "dsm"}}).objective().kind, ObjectiveKind::score_matching);
  EXPECT_EQ(Planned("y,v").objective().kind, ObjectiveKind::hybrid);
  EXPECT_EQ(Planned("y", {{"temperature", "0.5"}}).objective().temperature, 0.5);
  EXPECT_THROW(Planned("y", {{"objective", "dsm"}}).objective(), UsageError);
  EXPECT_THROW(Planned("y", {{"objective", "hybrid"}}).objective(), UsageError);
  EXPECT_THROW(Planned("y,v", {{"objective", "likelihood"}}).objective(), UsageError);
  // More than two responses have no quadrature rule; their candidates are random.
  EXPECT_EQ(Planned("v,u,t", {{"objective", "likelihood"}}).objective().rule.size(), 0);
  EXPECT_THROW(Planned("v,u,t", {{"objective", "likelihood"}, {"panels", "2"}}).objective(), UsageError);
}

TEST(RepeatedValues, AreThoseATableHasOftenTheMostFrequentFirst) {
  Matrix<double> values(12, 1);
  const std::vector<double> column = {1, 2, 2, 2, 2, 2, 2, 7, 7, 7, 7, 7};
  std::copy(column.begin(), column.end(), values.data());
  EXPECT_THAT(repeated_values(values), ElementsAre(2, 7));
  EXPECT_TRUE(repeated_values(Matrix<double>(12, 2)).empty());
  Matrix<double> many(1200, 1);  // 7 of 1200 rows, more than one in 200, and 5, fewer
  for (Index i = 0; i < 1200; ++i) many(i, 0) = i < 7 ? 3 : i < 12 ? 4 : 10.0 + static_cast<double>(i);
  EXPECT_THAT(repeated_values(many), ElementsAre(3));
  const Planned p("v");
  const ObjectiveSpec plain = p.objective();
  const double inside = (p.support().lower[0] + p.support().upper[0]) / 2 + 0.01;
  const ObjectiveSpec anchored = plan_objective(p.settings, p.space, p.support(), {inside});
  const auto has = [&](const ObjectiveSpec& spec) {
    return std::count(spec.rule.nodes.flat().begin(), spec.rule.nodes.flat().end(), inside);
  };
  EXPECT_EQ(has(plain), 0);
  EXPECT_EQ(has(anchored), 1);
}

TEST(PlanTraining, TakesWhatIsGiven) {
  const Planned p("y", {{"optimizer", "sgd"},
                        {"learning_rate", "0.5"},
                        {"epochs", "7"},
                        {"batch_size", "9"},
                        {"patience", "3"},
                        {"clip_norm", "2"},
                        {"schedule", "cosine"},
                        {"weight_decay", "0.1"},
                        {"time_limit", "60"},
                        {"seed", "11"}});
  const TrainSpec spec = plan_training(p.settings, 100, false);
  EXPECT_EQ(spec.optimizer.kind, OptimizerKind::sgd);
  EXPECT_EQ(spec.optimizer.learning_rate, 0.5);
  EXPECT_EQ(spec.optimizer.weight_decay, 0.1);
  EXPECT_EQ(spec.epochs, 7);
  EXPECT_EQ(spec.batch_size, 9);
  EXPECT_EQ(spec.patience, 3);
  EXPECT_EQ(spec.clip_norm, 2);
  EXPECT_EQ(spec.schedule, ScheduleKind::cosine);
  EXPECT_EQ(spec.time_limit, 60);
  EXPECT_EQ(spec.seed, 11U);
}

TEST(PlanTraining, WeightsDecayWhereTheProgramChoosesTheLayersForANumber) {
  const auto optimizer = [](const std::string& target, Index rows,
                            const std::vector<std::pair<std::string, std::string>>& settings = {}) {
    const Planned p(target, settings);
    return plan_training(p.settings, rows, p.space.single_continuous()).optimizer;
  };
  EXPECT_EQ(optimizer("v", 100).weight_decay, 0.5);
  EXPECT_EQ(optimizer("v", 1770).weight_decay, 0.1);
  EXPECT_EQ(optimizer("v", 1770).kind, OptimizerKind::adamw);
  EXPECT_EQ(optimizer("v", 100, {{"weight_decay", "0"}}).weight_decay, 0);
  EXPECT_EQ(optimizer("v", 100, {{"weight_decay", "0"}}).kind, OptimizerKind::adam);
  EXPECT_EQ(optimizer("v", 100, {{"layers", "5,1"}}).weight_decay, 0);
  EXPECT_EQ(optimizer("v", 100, {{"single", "true"}}).weight_decay, 0);
  EXPECT_EQ(optimizer("v", 100, {{"optimizer", "sgd"}}).weight_decay, 0);
  EXPECT_EQ(optimizer("y", 100).weight_decay, 0);
  EXPECT_EQ(optimizer("v,u", 100).weight_decay, 0);
}

// By default a number has one layer of piecewise-linear heads, whose normaliser is exact.
TEST(Plan, NetworksForANumber) {
  const Planned number("v"), labels("y");
  EXPECT_EQ(number.architecture().layers.size(), 1U);
  EXPECT_EQ(number.architecture().layers[0].blocks, 16);
  EXPECT_TRUE(piecewise::has_lines(number.architecture()));
  EXPECT_EQ(labels.architecture().layers[0].blocks, 36);
  EXPECT_EQ(plan_training(number.settings, 1600, true).schedule, ScheduleKind::cosine);
  EXPECT_EQ(plan_training(number.settings, 1600, false).schedule, ScheduleKind::plateau);
  Settings settings;
  EXPECT_EQ(plan_readout_unit(settings, true), 3);
  EXPECT_EQ(plan_readout_unit(settings, false), 1);
  settings.layers = "5,1";
  EXPECT_EQ(plan_readout_unit(settings, true), 1);
  settings = {};
  settings.starts = 2;
  EXPECT_EQ(plan_readout_unit(settings, true), 1);
}

TEST(PlanNumber, OtherModelsKeepQuadrature) {
  using Given = std::vector<std::pair<std::string, std::string>>;
  for (const Given& given :
       std::vector<Given>{{}, {{"layers", "5"}}, {{"utility", "identity"}}, {{"objective", "likelihood"}}})
    EXPECT_TRUE(plans_exact_number(Planned("v", given).settings));
  for (const Given& given : std::vector<Given>{{{"layers", "5,2"}},
                                               {{"utility", "tanh"}},
                                               {{"equality", "square"}},
                                               {{"inequality", "softplus"}},
                                               {{"degree", "2"}},
                                               {{"single", "true"}},
                                               {{"identifiable", "true"}},
                                               {{"starts", "2"}},
                                               {{"panels", "20"}},
                                               {{"optimizer", "lbfgs"}},
                                               {{"objective", "dsm"}}}) {
    const Planned p("v", given);
    EXPECT_FALSE(plans_exact_number(p.settings)) << given[0].first;
    EXPECT_EQ(plan_number_policy(p.settings, p.encoder.schema()).transform, NumberPolicy::Transform::none);
    Given asked = given;
    asked.emplace_back("response_transform", "log");
    EXPECT_THROW(plan_number_policy(Planned("v", asked).settings, p.encoder.schema()), UsageError);
  }
}

// 200 rows of a number, an ordered column and a class.
using Chosen = std::vector<std::pair<std::string, std::string>>;

struct Curved {
  Settings settings;
  Table table;
  Encoder encoder;
  ResponseSpace space;

  explicit Curved(const Chosen& chosen)
      : settings(with(chosen)),
        table(rows()),
        encoder(Encoder::fit(table, plan_schema(table, settings),
                             encode_options(settings, plan_schema(table, settings)), all_rows(table.rows),
                             Context(1))),
        space(encoder) {}

  static Settings with(const Chosen& chosen) {
    Settings s;
    s.target = "y";
    for (const auto& [name, value] : chosen) set(s, name, value);
    return s;
  }
  static Table rows() {
    std::string text = "x,z,y\n";
    for (int i = 0; i < 200; ++i)
      text += std::to_string((i * 37) % 200) + "," + std::to_string((i * 53) % 200 / 7.0) +
              (i % 3 == 0 ? ",no\n" : ",yes\n");
    return read_table_from_memory(text, "t.csv");
  }
  bool bends() const { return has_bends(encoder); }
  Architecture architecture() const {
    return plan_architecture(settings, utility_inputs(encoder, space), 200);
  }
};

TEST(PlanCurves, AreForClassesLeftToTheDefaultsOrWhereAsked) {
  EXPECT_TRUE(Curved(Chosen{}).bends());
  EXPECT_FALSE(Curved(Chosen{{"curves", "none"}}).bends());
  EXPECT_FALSE(Curved(Chosen{{"layers", "5,1"}}).bends());
  EXPECT_TRUE(Curved(Chosen{{"layers", "5,1"}, {"curves", "all"}}).bends());
  EXPECT_FALSE(Curved(Chosen{{"single", "true"}}).bends());
  EXPECT_FALSE(Curved(Chosen{{"identifiable", "true"}}).bends());
  EXPECT_FALSE(Curved(Chosen{{"terms", "x*z"}}).bends());
  EXPECT_EQ(Curved(Chosen{{"curves", "z"}}).encoder.features()[0].bends.size(), 0U);
  EXPECT_GT(Curved(Chosen{{"curves", "z"}}).encoder.features()[1].bends.size(), 0U);
  EXPECT_THAT(test::message_of<UsageError>([] {
                Curved(Chosen{{"curves", "zz"}});
              }),
              HasSubstr("did you mean"));
}

TEST(PlanCurves, GiveSmallNetworksInTheScalarForm) {
  const Curved c(Chosen{});
  ASSERT_EQ(c.architecture().layers.size(), 1U);
  EXPECT_EQ(c.architecture().layers[0].blocks, 16);
  EXPECT_EQ(c.architecture().form, Form::scalar);
  EXPECT_EQ(plan_architecture(c.settings, utility_inputs(c.encoder, c.space), 8000).layers.size(), 2U);
  EXPECT_EQ(automatic_members(c.settings, c.encoder, 200), 4);
  EXPECT_EQ(automatic_members(c.settings, c.encoder, 20000), 2);
  const Curved straight(Chosen{{"curves", "none"}});
  EXPECT_EQ(automatic_members(straight.settings, straight.encoder, 20000), 4);
}

TEST(PlanCurves, CannotBeMultipliedWithEachOther) {
  EXPECT_THAT(test::message_of<UsageError>([] {
                const Curved c(Chosen{{"curves", "all"}, {"degree", "2"}});
                refuse_products_of_curves(c.architecture(), c.encoder);
              }),
              HasSubstr("curves"));
  const Curved apart(Chosen{{"curves", "x"}, {"terms", "z*z"}});
  EXPECT_NO_THROW(refuse_products_of_curves(apart.architecture(), apart.encoder));
}

// Bends of the first layer decay by their own strength, other weights by theirs, the rest not at all.
TEST(PlanCurves, BendsHaveADecayOfTheirOwn) {
  const Curved c(Chosen{});
  const Architecture a = c.architecture();
  const std::vector<double> decay = plan_decay(a, c.encoder, 0.5, 4);
  const ParameterLayout layout(a);
  ASSERT_EQ(static_cast<Index>(decay.size()), layout.size());
  for (const TensorInfo& tensor : layout.tensors())
    for (Index i = 0; i < tensor.size(); ++i) {
      const Index column = i % tensor.cols;
      const bool bend =
          tensor.role == TensorRole::weight && column < a.input.context &&
          c.encoder.columns()[static_cast<std::size_t>(column)].kind == EncodedColumn::Kind::bend;
      EXPECT_EQ(decay[static_cast<std::size_t>(tensor.offset + i)], bend              ? 4
                                                                    : tensor.decays() ? 0.5
                                                                                      : 0)
          << tensor.name << " " << i;
    }
}

TEST(PlanMembers, FourWhereTheProgramChoosesTheLayersOneWhereTheUserDoes) {
  const auto members = [](const std::vector<std::pair<std::string, std::string>>& settings) {
    const Planned p("y", settings);
    return plan_members(p.settings, p.architecture());
  };
  EXPECT_EQ(members({}), 4);
  EXPECT_EQ(members({{"members", "2"}}), 2);
  EXPECT_EQ(members({{"layers", "5,3,1"}}), 1);
  EXPECT_EQ(members({{"layers", "5,3,1"}, {"members", "3"}}), 3);
  EXPECT_EQ(members({{"single", "true"}}), 1);
  EXPECT_EQ(members({{"optimizer", "lbfgs"}}), 1);
  EXPECT_THROW(members({{"single", "true"}, {"members", "2"}}), UsageError);
  EXPECT_THROW(members({{"optimizer", "lbfgs"}, {"members", "2"}}), UsageError);
}

}  // namespace
}  // namespace bl
