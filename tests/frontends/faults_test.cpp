// System calls that fail and programs that are killed: whatever the moment, the old file or the new one is
// there, whole; nothing half-written; and the exit code says which.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "frontends/command.hpp"
#include "frontends/newcomer_data.hpp"

namespace bl::test {
namespace {

using ::testing::HasSubstr;

// Sets variables of the environment as long as it lives.
class Environment {
 public:
  Environment(std::initializer_list<std::pair<const char*, std::string>> variables) {
    for (const auto& [name, value] : variables) {
      ::setenv(name, value.c_str(), 1);
      names_.emplace_back(name);
    }
  }
  ~Environment() {
    for (const std::string& name : names_) ::unsetenv(name.c_str());
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  std::vector<std::string> names_;
};

constexpr const char* kFit = "fit data.csv --target choice --id id --single --epochs 2 --quiet -o out";

// A command that writes the file `out`, and that needs data.csv and model.bl.
class FaultsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("data.csv", class_table(200));
    ASSERT_EQ(bl_command(folder_, words(kFit)).code, 0);
    std::filesystem::rename(folder_.file("out"), folder_.file("model.bl"));
  }
  std::vector<std::string> leftovers() const {
    std::vector<std::string> names;
    for (const std::string& name : names_in(folder_.file("")))
      if (name.starts_with(".bl-")) names.push_back(name);
    return names;
  }

  // bl fit writes its model before its metrics are computed, and again with them.
  bool is_model(const std::string& name) const { return bl_command(folder_, {"inspect", name}).code == 0; }

  const TemporaryFolder folder_;
};

class FailingCallTest : public FaultsTest, public ::testing::WithParamInterface<const char*> {};

// Every call of every kind in turn, until the program is through before its turn comes.
TEST_P(FailingCallTest, LeavesTheOldFileOrTheNewOne) {
  const std::vector<std::string> arguments = words(GetParam());
  ASSERT_EQ(bl_command(folder_, arguments).code, 0);
  const std::string undisturbed = read_file(folder_.file("out"));
  for (const auto& [call, error] :
       {std::pair{"write", ENOSPC}, {"fsync", EIO}, {"rename", EACCES}, {"close", EDQUOT}}) {
    int failed = 0;
    for (int number = 1;; ++number) {
      ASSERT_LT(number, 100);
      folder_.write("out", "the old file");
      std::filesystem::remove(folder_.file("mark"));
      const Environment environment{
          {"LD_PRELOAD", BL_FAILING_CALLS},
          {"ASAN_OPTIONS", "verify_asan_link_order=0"},
          {"BL_FAULT", std::string(call) + ":" + std::to_string(number) + ":" + std::to_string(error)},
          {"BL_FAULT_MARK", folder_.file("mark")}};
      const Outcome outcome = bl_command(folder_, arguments);
      if (!std::filesystem::exists(folder_.file("mark"))) break;
      ++failed;
      const std::string left = read_file(folder_.file("out"));
      if (outcome.code == 0) {
        EXPECT_TRUE(left == undisturbed) << call << " " << number;
      } else {
        EXPECT_EQ(outcome.code, 3) << outcome.err;
        EXPECT_TRUE(left == "the old file" || is_model("out")) << call << " " << number;
        EXPECT_THAT(outcome.err, HasSubstr("cannot write 'out': " + std::string(std::strerror(error))));
      }
      EXPECT_THAT(leftovers(), testing::IsEmpty()) << call << " " << number;
    }
    EXPECT_GT(failed, 0) << call << " was never called";
  }
}

INSTANTIATE_TEST_SUITE_P(Commands, FailingCallTest,
                         ::testing::Values(kFit, "predict model.bl data.csv --output out",
                                           "explain model.bl --output out",
                                           "schema data.csv --target choice --output out"));

// A model that is replaced again and again while the program is killed at any moment.
TEST_F(FaultsTest, AKillAtAnyMomentLeavesAWholeModel) {
  const std::vector<std::string> arguments =
      words("fit data.csv --target choice --id id --single --epochs 2 --quiet -o model.bl");
  const std::string whole = read_file(folder_.file("model.bl"));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_EQ(bl_command(folder_, arguments).code, 0);
  const auto duration = std::chrono::steady_clock::now() - start;
  ASSERT_TRUE(read_file(folder_.file("model.bl")) == whole);
  int killed = 0;
  constexpr int kRuns = 40;
  for (int run = 0; run < kRuns; ++run) {
    Process process(arguments, folder_.file(""));
    std::this_thread::sleep_for(duration * run / kRuns);
    process.send(SIGKILL);
    killed += process.wait().code == -SIGKILL ? 1 : 0;
    ASSERT_TRUE(is_model("model.bl")) << run;
  }
  EXPECT_GT(killed, 0);
  // The next run that ends well sweeps what the killed ones left.
  ASSERT_EQ(bl_command(folder_, arguments).code, 0);
  EXPECT_THAT(leftovers(), testing::IsEmpty());
  EXPECT_TRUE(read_file(folder_.file("model.bl")) == whole);
}

}  // namespace
}  // namespace bl::test
