// The rules for classes of wide inputs hold where settings say nothing, and only there.
#include "plan/wide_plan.hpp"

#include <gtest/gtest.h>

namespace bl {
namespace {

UtilityInputs inputs(Index context, Index components = 0, Index bends = 0) {
  return {.context = context, .bends = bends, .components = components, .values = 0, .classes = 3};
}

Settings with(const std::vector<std::pair<std::string, std::string>>& chosen) {
  Settings settings;
  for (const auto& [name, value] : chosen) set(settings, name, value);
  return settings;
}

TEST(WidePlan, IsForClassesOfManyColumnsOrText) {
  EXPECT_TRUE(is_wide(inputs(257)));
  EXPECT_FALSE(is_wide(inputs(256)));
  EXPECT_FALSE(is_wide(inputs(300, 0, 100)));  // bends do not count
  EXPECT_TRUE(is_wide(inputs(128, 128)));
  UtilityInputs number{.context = 784, .values = 1};
  EXPECT_FALSE(is_wide(number));
  EXPECT_TRUE(plans_wide({}, inputs(784), 2000));
  EXPECT_FALSE(plans_wide({}, inputs(784), 1999));
  for (const auto& [name, value] :
       {std::pair{"single", "true"}, {"identifiable", "true"}, {"optimizer", "lbfgs"}, {"starts", "2"}})
    EXPECT_FALSE(plans_wide(with({{name, value}}), inputs(784), 60000)) << name;
}

TEST(WidePlan, TrainingFollowsGivenSettings) {
  const Settings given =
      with({{"optimizer", "sgd"}, {"batch_size", "32"}, {"epochs", "3"}, {"schedule", "plateau"}});
  TrainSpec spec = plan_training(given, 42000, false);
  const TrainSpec before = spec;
  plan_wide_training(given, 42000, true, false, spec);
  EXPECT_EQ(spec.optimizer.kind, OptimizerKind::sgd);
  EXPECT_EQ(spec.optimizer.learning_rate, before.optimizer.learning_rate);
  EXPECT_EQ(spec.optimizer.weight_decay, 0);
  EXPECT_EQ(spec.batch_size, 32);
  EXPECT_EQ(spec.epochs, 3);
  EXPECT_EQ(spec.schedule, ScheduleKind::plateau);
  TrainSpec open = plan_training({}, 42000, false);
  plan_wide_training({}, 42000, true, false, open);
  EXPECT_EQ(open.optimizer.kind, OptimizerKind::adamw);
  EXPECT_GT(open.optimizer.weight_decay, 0);
  EXPECT_EQ(open.schedule, ScheduleKind::cosine);
  EXPECT_EQ(open.epochs, 4);
  EXPECT_EQ(brief_wide_training(open, true, false).epochs, 4);
  EXPECT_EQ(refit_training({}, open, true, false, 4).epochs, 12);
  EXPECT_EQ(refit_training({}, open, false, false, 6).epochs, 9);
  EXPECT_EQ(refit_training({}, open, true, true, 4).epochs, 16);
  TrainSpec shifted = plan_training({}, 42000, false);
  plan_wide_training({}, 42000, true, true, shifted);
  EXPECT_LT(shifted.optimizer.learning_rate, open.optimizer.learning_rate);
  plan_wide_training({}, 7000, true, false, open);
  EXPECT_EQ(open.epochs, 10);  // small tables take more epochs, for a number of steps
  plan_wide_training({}, 42000, false, false, open);
  EXPECT_EQ(open.epochs, 12);  // no second part follows
  EXPECT_EQ(brief_wide_training(open, false, false).epochs, 4);
}

TEST(WidePlan, ADecayThatIsGivenIsNotChosen) {
  for (const auto& [settings, chosen] : {std::pair{with({}), true},
                                         {with({{"weight_decay", "0.2"}}), false},
                                         {with({{"weight_decay", "0"}}), false},
                                         {with({{"optimizer", "adam"}}), false}}) {
    TrainSpec spec = plan_training(settings, 42000, false);
    plan_wide_training(settings, 42000, true, false, spec);
    EXPECT_EQ(chooses_decay(settings, spec), chosen);
    EXPECT_EQ(spec.optimizer.weight_decay,
              chosen ? kDecayWithoutChoice : std::max(0.0, settings.weight_decay.value()));
  }
}

TEST(WidePlan, AllRowsAreLearnedFromWhereNoSplitIsAskedFor) {
  EXPECT_TRUE(plan_refit({}, true, false));
  EXPECT_FALSE(plan_refit({}, true, true));    // the caller keeps rows apart
  EXPECT_FALSE(plan_refit({}, false, false));  // other tables
  EXPECT_FALSE(plan_refit(with({{"fractions", "7:1:2"}}), true, false));
  EXPECT_FALSE(plan_refit(with({{"split", "random"}}), true, false));
  EXPECT_FALSE(plan_refit(with({{"refit", "none"}}), true, false));
  EXPECT_TRUE(plan_refit(with({{"refit", "all"}}), false, false));
}

TEST(WidePlan, Monitor) {
  EXPECT_EQ(plan_monitor({}, true), Monitor::none);
  EXPECT_EQ(plan_monitor({}, false), Monitor::loss);
  EXPECT_EQ(plan_monitor(with({{"monitor", "loss"}}), true), Monitor::loss);
  EXPECT_EQ(plan_monitor(with({{"monitor", "accuracy"}}), false), Monitor::accuracy);
  EXPECT_EQ(plan_monitor(with({{"monitor", "none"}}), false), Monitor::none);
}

}  // namespace
}  // namespace bl
