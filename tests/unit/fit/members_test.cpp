#include "fit/members.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>

#include "support/random_problem.hpp"

namespace bl::test {
namespace {

struct Members {
  Problem<float> problem =
      random_problem<float>(Task::classes, stacked(input_shape(Task::classes), {5, 3}), 300, 1);
  Network<float> network{problem.architecture};
  Objective<float> objective{network, problem.spec, problem.data()};
  MemberPlan<float> plan;

  Members() {
    plan.members = 5;
    plan.spec.epochs = 4;
    plan.spec.batch_size = 64;
    plan.spec.seed = 3;
  }
  TrainedMembers train(std::size_t threads, const FitOptions& options = {}) const {
    const Context job(threads, {.should_stop = options.should_stop, .keeps = true});
    return train_members<float>(objective, nullptr, plan, options, job);
  }
};

TEST(Members, SideBySideGivesTheBitsOfOneAfterTheOther) {
  const Members members;
  const TrainedMembers alone = members.train(1);
  ASSERT_EQ(alone.parameters.size(), 5U);
  EXPECT_NE(alone.parameters[0], alone.parameters[1]);
  for (const std::size_t threads : {2U, 3U}) {
    const TrainedMembers together = members.train(threads);
    EXPECT_EQ(together.parameters, alone.parameters);
    ASSERT_EQ(together.report.history.size(), 20U);
    for (std::size_t i = 0; i < 20; ++i)
      EXPECT_EQ(together.report.history[i].train_loss, alone.report.history[i].train_loss);
  }
}

TEST(Members, TheOutsideIsToldByOneThreadAtATime) {
  const Members members;
  std::atomic<int> inside{0};
  int calls = 0;
  double last_left = -1;
  FitOptions options;
  options.on_progress = [&](const FitProgress& p) {
    EXPECT_EQ(++inside, 1);
    ++calls;
    last_left = p.seconds_left;
    --inside;
  };
  members.train(3, options);
  EXPECT_EQ(calls, 20);
  EXPECT_EQ(last_left, 0);
}

// A clock that a batch moves by 0.6 s: what is left is said within epochs, too.
TEST(Members, TimeLeftIsKnownFromTheFirstBatches) {
  Members members;
  double time = 0;
  members.plan.members = 2;
  members.plan.foreseen = std::make_shared<TimeForeseen>([&] { return time; });
  members.plan.foreseen->add(2, 4, 1);
  std::vector<FitProgress> heard;
  FitOptions options;
  options.on_progress = [&](const FitProgress& p) { heard.push_back(p); };
  options.should_stop = [&] {
    time += 0.6;
    return false;
  };
  members.train(1, options);
  ASSERT_GE(heard.size(), 10U);
  EXPECT_EQ(heard[0].epoch, 0);  // after the third of five batches: the second is 0.6 s old
  EXPECT_NEAR(heard[0].epoch_share, 0.6, 1e-12);
  EXPECT_TRUE(std::isnan(heard[0].train_loss));
  EXPECT_TRUE(heard[0].left_at_most);
  EXPECT_FALSE(heard.back().left_at_most);
  EXPECT_EQ(heard.back().seconds_left, 0);
  for (const FitProgress& p : heard) {
    const double done = 4 * static_cast<double>(p.member - 1) + static_cast<double>(p.epoch) + p.epoch_share;
    EXPECT_NEAR(p.seconds_left, p.seconds / done * (8 - done), 1e-9);
  }
}

TEST(Members, AnInterruptedFitKeepsTheMembersThatHaveSeenAnEpoch) {
  const Members members;
  std::atomic<int> epochs{0};
  FitOptions options;
  options.on_progress = [&](const FitProgress&) { ++epochs; };
  options.should_stop = [&] { return epochs >= 6; };
  for (const std::size_t threads : {1U, 2U}) {
    epochs = 0;
    const TrainedMembers some = members.train(threads, options);
    EXPECT_EQ(some.report.reason, StopReason::interrupted);
    EXPECT_GE(some.parameters.size(), 2U);
    EXPECT_LT(some.parameters.size(), 5U);
  }
}

TEST(Members, TheErrorOfAMemberComesThrough) {
  Members members;
  members.plan.spec.optimizer.learning_rate = 1e30;
  EXPECT_THROW(members.train(1), NumericError);
  EXPECT_THROW(members.train(3), NumericError);
}

MemberFit member(double validation_loss, bool usable = true) {
  MemberFit fit;
  if (usable) fit.parameters = {1};
  fit.report.best_monitor = validation_loss;
  fit.report.usable = usable;
  fit.report.cause = "the loss became nan";
  if (!usable) fit.report.reason = StopReason::diverged;
  return fit;
}

TEST(DropRuined, AMemberFarWorseThanTheBestIsLeftOutWithANote) {
  std::vector<MemberFit> fits = {member(0.64), member(29.8), member(0.66), member(0.63, false)};
  std::vector<std::string> notes;
  drop_ruined(fits, true, kRuined, notes);
  EXPECT_FALSE(fits[0].parameters.empty());
  EXPECT_TRUE(fits[1].parameters.empty());
  EXPECT_FALSE(fits[2].parameters.empty());
  ASSERT_EQ(notes.size(), 2U);
  EXPECT_THAT(notes[0], testing::HasSubstr("network 2 was left out"));
  EXPECT_THAT(notes[1], testing::HasSubstr("network 4 diverged and was left out: the loss became nan"));
}

TEST(DropRuined, LossesThatAreNoLogLikelihoodsAreNotCompared) {
  std::vector<MemberFit> fits = {member(0.64), member(29.8)};
  std::vector<std::string> notes;
  drop_ruined(fits, false, kRuined, notes);
  EXPECT_FALSE(fits[1].parameters.empty());
  EXPECT_TRUE(notes.empty());
}

TEST(DropRuined, WithoutAnyUsableMemberTheFitIsAnError) {
  std::vector<MemberFit> fits = {member(0, false), member(0, false)};
  std::vector<std::string> notes;
  EXPECT_THROW(drop_ruined(fits, true, kRuined, notes), NumericError);
}

}  // namespace
}  // namespace bl::test
