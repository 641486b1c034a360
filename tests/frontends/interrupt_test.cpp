// Runs that end early: by Ctrl-C, by a time limit, by a kill. What is kept, and how training goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "frontends/altered_checkpoint.hpp"
#include "frontends/command.hpp"
#include "frontends/newcomer_data.hpp"

namespace bl::test {
namespace {

using ::testing::HasSubstr;

class InterruptTest : public ::testing::Test {
 protected:
  void SetUp() override { folder_.write("data.csv", class_table(1000)); }

  static std::vector<std::string> fit(const std::string& rest) {
    return words("fit data.csv --target choice --id id --layers 36,6 --patience 1000000 --batch-size 32 " +
                 rest);
  }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_.file(name)); }
  // Until the run has left a checkpoint; false where it ended before.
  bool wait_for_checkpoint(const Process& process) const {
    while (process.running() && !exists("model.bl.checkpoint"))
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return exists("model.bl.checkpoint");
  }
  // Kills a fit once it has left a checkpoint, and returns its number of epochs. Checkpoints are written
  // every two seconds, so a run that is through before the first is made again, longer. The first is short,
  // for programs that a sanitizer slows down.
  int kill_after_checkpoint() const {
    for (int epochs = 100;; epochs *= 2) {
      Process process(fit("--epochs " + std::to_string(epochs) + " --threads 1 -o model.bl"),
                      folder_.file(""));
      if (wait_for_checkpoint(process)) process.send(SIGKILL);
      const int code = process.wait().code;
      if (code == -SIGKILL) return epochs;
      EXPECT_EQ(code, 0);
      std::filesystem::remove(folder_.file("model.bl"));
    }
  }
  // A run of many minutes that is sent Ctrl-C; again, later, where the signal came before the program
  // listened.
  Outcome interrupted_run(const std::string& arguments) const {
    for (int wait = 500;; wait *= 2) {
      Process process(words(arguments), folder_.file(""));
      std::this_thread::sleep_for(std::chrono::milliseconds(wait));
      process.send(SIGINT);
      Outcome outcome = process.wait();
      if (outcome.code != -SIGINT || wait >= 10000) return outcome;
    }
  }
  void expect_usable_model() const {
    const Outcome outcome = bl_command(folder_, words("evaluate model.bl data.csv --part test"));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("auc"));
  }

  const TemporaryFolder folder_;
};

TEST_F(InterruptTest, CtrlCKeepsTheBestModelSoFar) {
  Process process(fit("--epochs 10000000 -o model.bl"), folder_.file(""));
  ASSERT_TRUE(wait_for_checkpoint(process));
  EXPECT_FALSE(exists("model.bl"));
  process.send(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("saved     model.bl"));
  EXPECT_TRUE(exists("model.bl.checkpoint"));
  expect_usable_model();
}

// Starts run for long and leave no checkpoint.
TEST_F(InterruptTest, CtrlCEndsASearchForTheMinimum) {
  const Outcome outcome = interrupted_run(
      "fit data.csv --target choice --id id --layers 6 --identifiable --starts 2000 -o model.bl");
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("no standard errors: it was interrupted"));
  expect_usable_model();
}

TEST_F(InterruptTest, CtrlCEndsASummaryWithNothingWritten) {
  const Outcome fitted = bl_command(folder_, words("fit data.csv --target choice --id id --single --utility "
                                                   "identity --heads 1,0,0 --starts 1 --quiet -o model.bl"));
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  const Outcome outcome =
      interrupted_run("summary model.bl data.csv --bootstrap 1000000 --save saved.bl --output out.txt");
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_EQ(outcome.err, "bl: interrupted: nothing was written\n");
  EXPECT_FALSE(exists("saved.bl") || exists("out.txt"));
}

TEST_F(InterruptTest, CtrlCEndsASampleAndACheckWithNothingWritten) {
  const Outcome fitted = bl_command(folder_, words("fit data.csv --target choice --id id --single --utility "
                                                   "identity --heads 1,0,0 --starts 1 --quiet -o model.bl"));
  ASSERT_EQ(fitted.code, 0) << fitted.err;
  const Outcome number =
      bl_command(folder_, words("fit data.csv --target age --id id --epochs 1 --quiet -o age.bl"));
  ASSERT_EQ(number.code, 0) << number.err;
  for (const std::string command :
       {"sample age.bl data.csv --method hmc --warmup 1000000000 --output out.csv",
        "check model.bl data.csv --replications 1000000"}) {
    const Outcome outcome = interrupted_run(command);
    EXPECT_EQ(outcome.code, 130) << command;
    EXPECT_EQ(outcome.err, "bl: interrupted: nothing was written\n") << command;
    EXPECT_EQ(outcome.out, "") << command;
    EXPECT_FALSE(exists("out.csv"));
  }
}

TEST_F(InterruptTest, TheTimeLimitKeepsTheBestModelSoFar) {
  const Outcome outcome =
      Process(fit("--epochs 10000000 --time-limit 0.5 -o model.bl"), folder_.file("")).wait();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(outcome.out, HasSubstr("time limit"));
  EXPECT_FALSE(exists("model.bl.checkpoint"));
  expect_usable_model();
}

// The same bytes as a run that nobody disturbed, also with another number of threads; and from the
// checkpoint, for an altered one ends elsewhere.
TEST_F(InterruptTest, AKilledRunIsResumedToTheSameBytes) {
  const std::string length = "--epochs " + std::to_string(kill_after_checkpoint()) + " ";
  EXPECT_FALSE(exists("model.bl"));
  // Another run's checkpoint is refused, and stays.
  const Outcome other = Process(fit(length + "--seed 1 --resume -o model.bl"), folder_.file("")).wait();
  EXPECT_EQ(other.code, 4);
  EXPECT_THAT(other.err, HasSubstr("other settings"));
  std::filesystem::copy_file(folder_.file("model.bl.checkpoint"), folder_.file("altered.bl.checkpoint"));
  alter_checkpoint(folder_.file("altered.bl.checkpoint"));

  const Outcome resumed =
      Process(fit(length + "--threads 2 --resume --quiet -o model.bl"), folder_.file("")).wait();
  EXPECT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_FALSE(exists("model.bl.checkpoint"));
  const Outcome whole = Process(fit(length + "--quiet -o whole.bl"), folder_.file("")).wait();
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_TRUE(read_file(folder_.file("model.bl")) == read_file(folder_.file("whole.bl")));
  const Outcome altered = Process(fit(length + "--resume --quiet -o altered.bl"), folder_.file("")).wait();
  EXPECT_EQ(altered.code, 0) << altered.err;
  EXPECT_FALSE(read_file(folder_.file("altered.bl")) == read_file(folder_.file("whole.bl")));
}

}  // namespace
}  // namespace bl::test
