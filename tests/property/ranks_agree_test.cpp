// Every kind of model, with weights and groups: fitted, fitted in two parts, and summarised by 2, 3, 4 and 8
// ranks it is that of one process, to the byte.
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <thread>

#include "base/random.hpp"
#include "bl/inference.hpp"
#include "bl/shared_data.hpp"
#include "support/read_file.hpp"
#include "support/thread_ranks.hpp"

namespace bl {
namespace {

constexpr std::size_t kSizes[] = {2, 3, 4, 8};

struct Kind {
  std::string name, target, objective = "auto";
  std::string choice = {};  // the utility of choices, in TOML
};

void PrintTo(const Kind& kind, std::ostream* out) {
  *out << kind.name;
}

class RanksAgree : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("bl_ranks_agree_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
    const RandomStream random(5, Purpose::test);
    std::ofstream rows(folder_ / "rows.csv"), trips(folder_ / "trips.csv");
    rows << "a,b,town,w,person,buys,spent\n";
    trips << "who,w,income,mode,car_time,bus_time,car_cost,bus_cost\n";
    for (std::uint64_t i = 0; i < 360; ++i) {
      const double a = random.normal(i, 0), b = random.normal(i, 2), noise = random.normal(i, 4);
      rows << a << ',' << b << ',' << (i % 3 == 0 ? "north" : "south") << ',' << 1 + i % 3 << ",p" << i / 6
           << ',' << (a - b + noise > 0 ? "yes" : "no") << ',' << 10 + 2 * a + 0.5 * noise << '\n';
      const double income = 1 + static_cast<double>(i % 3), taste = i / 6 % 2 == 0 ? 0.3 : 1.2;
      const double car = 5 + 30 * random.uniform(i, 6), bus = 5 + 30 * random.uniform(i, 7);
      const double dear = 1 + 8 * random.uniform(i, 8), cheap = 1 + 8 * random.uniform(i, 9);
      const double better = 0.1 * (bus - car) + taste * (cheap - dear) / income + noise;
      trips << 'p' << i / 6 << ',' << 1 + i / 6 % 2 << ',' << income << ',' << (better > 0 ? "car" : "bus")
            << ',' << car << ',' << bus << ',' << dear << ',' << cheap << '\n';
    }
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  bool choices() const { return !GetParam().choice.empty(); }
  std::string file(const std::string& name) const { return folder_ / name; }

  Settings settings() const {
    Settings s;
    s.threads = 1;
    if (choices()) return s;
    s.target = GetParam().target;
    s.ignore = GetParam().target == "buys" ? "spent" : "buys";
    s.objective = GetParam().objective;
    s.weight = "w";
    s.group = "person";
    return s;
  }
  // By steps, so that it can be stopped and go on.
  Settings by_steps() const {
    Settings s = settings();
    s.layers = "4,2";
    s.members = 1;
    s.epochs = 5;
    s.batch_size = 64;
    if (!choices()) s.curves = "none";
    return s;
  }
  // To the minimum, so that it has standard errors.
  Settings to_minimum() const {
    Settings s = settings();
    if (choices()) return s;
    s.single = true;
    s.heads = "1,0,0";
    s.utility = "identity";
    s.degree = 2;
    s.starts = 2;
    s.fractions = "1:0:0";
    return s;
  }

  FitSummary fitted(const Settings& s, const std::string& utility, const FitOptions& options = {}) const {
    if (!choices()) return fit(SharedData::read({file("rows.csv")}, s), s, options);
    const auto declaration = ChoiceDeclaration::parse(
        "[data]\nchoice = 'mode'\nweight = 'w'\nperson = 'who'\n"
        "[[alternatives]]\nname = 'car'\n[[alternatives]]\nname = 'bus'\n"
        "[attributes]\ntime = '{}_time'\ncost = '{}_cost'\n" +
            utility,
        "trips");
    return fit(Data::read(file("trips.csv"), s), declaration, s, options);
  }

  // A fit that rank 0 stops after its second epoch. Checkpoints are two seconds apart, so the first one takes
  // as long.
  void stop(const std::string& checkpoint, std::size_t rank) const {
    const auto stopped = std::make_shared<std::atomic<bool>>(false);
    FitOptions options;
    options.checkpoint = checkpoint;
    options.on_progress = [stopped, rank](const FitProgress& p) {
      if (p.epoch == 1 && rank == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2100));
      if (p.epoch >= 2) *stopped = true;
    };
    options.should_stop = [stopped, rank] { return rank == 0 && stopped->load(); };
    EXPECT_TRUE(fitted(by_steps(), kNetwork, options).interrupted);
  }
  FitSummary resumed(const std::string& checkpoint) const {
    FitOptions options;
    options.checkpoint = checkpoint;
    options.resume = true;
    return fitted(by_steps(), kNetwork, options);
  }

  std::string summary_text(const Model& model, bool bootstrap) const {
    InferenceOptions options;
    options.threads = 1;
    options.bootstrap = bootstrap ? 3 : 0;
    const Data data = model.read(file(choices() ? "trips.csv" : "rows.csv"), {});
    const Inference found = infer(model, data, options);
    return render(found.summary, SummaryFormat::json) + found.model.to_bytes();
  }

  static constexpr const char* kNetwork = "[utility]\nform = 'network'\ncontext = ['income']\n";
  std::filesystem::path folder_;
};

class RanksAgreeBySteps : public RanksAgree {};

TEST_P(RanksAgreeBySteps, OnAFitAndOneInTwoParts) {
  const std::string alone = fitted(by_steps(), kNetwork).model.to_bytes();
  for (const std::size_t size : kSizes)
    test::run_ranks(size, [&](std::size_t rank) {
      EXPECT_TRUE(fitted(by_steps(), kNetwork).model.to_bytes() == alone) << rank << " of " << size;
    });
  const std::string checkpoint = file("checkpoint");
  test::run_ranks(3, [&](std::size_t rank) { stop(checkpoint, rank); });
  const std::string kept = test::read_file(checkpoint);
  ASSERT_FALSE(kept.empty());
  EXPECT_TRUE(resumed(checkpoint).model.to_bytes() == alone) << "resumed alone";
  for (const std::size_t size : kSizes) {
    std::ofstream(checkpoint, std::ios::binary) << kept;
    test::run_ranks(size, [&](std::size_t rank) {
      EXPECT_TRUE(resumed(checkpoint).model.to_bytes() == alone) << "resumed, " << rank << " of " << size;
    });
  }
}

TEST_P(RanksAgree, OnASummary) {
  const bool bootstrap = !choices() || GetParam().name == "choices";
  const Model alone = fitted(to_minimum(), GetParam().choice).model;
  const std::string text = summary_text(alone, bootstrap);
  for (const std::size_t size : kSizes)
    test::run_ranks(size, [&](std::size_t rank) {
      const Model shared = fitted(to_minimum(), GetParam().choice).model;
      EXPECT_TRUE(shared.to_bytes() == alone.to_bytes()) << rank << " of " << size;
      EXPECT_TRUE(summary_text(shared, bootstrap) == text) << rank << " of " << size;
    });
}

const std::vector<Kind> kKinds = {
    {.name = "classes", .target = "buys"},
    {.name = "numbers", .target = "spent"},
    {.name = "score_matching", .target = "spent", .objective = "dsm"},
    {.name = "choices", .target = "", .choice = "[utility]\nform = 'linear'\n"}};
const std::vector<Kind> kBeyond = {
    {.name = "mixed_logit", .target = "", .choice = "[random]\ncost = 'normal'\n[draws]\ncount = 50\n"},
    {.name = "latent_classes", .target = "", .choice = "[latent]\nclasses = 2\n"}};

constexpr auto kName = [](const auto& info) { return info.param.name; };
INSTANTIATE_TEST_SUITE_P(Kinds, RanksAgreeBySteps, testing::ValuesIn(kKinds), kName);
INSTANTIATE_TEST_SUITE_P(Kinds, RanksAgree, testing::ValuesIn(kKinds), kName);
INSTANTIATE_TEST_SUITE_P(BeyondTheLogit, RanksAgree, testing::ValuesIn(kBeyond), kName);

}  // namespace
}  // namespace bl
