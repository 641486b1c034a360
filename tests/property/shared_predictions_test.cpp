// Predictions and metrics of ranks that read a part of the rows each are those of one process, to the byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>
#include <filesystem>
#include <fstream>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "bl/output.hpp"
#include "bl/shared_data.hpp"
#include "support/thread_ranks.hpp"

namespace bl {
namespace {

class SharedPredictions : public testing::Test {
 protected:
  static constexpr std::uint64_t kRows = 9000;  // three blocks of rows, the last one not full

  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() / ("bl_shared_predictions_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Some cells are quoted where asked for, one of them with a line end inside.
  std::string data(const std::string& name, std::uint64_t rows, bool quoted = false) const {
    const std::string path = folder_ / name;
    std::ofstream file(path);
    file << "id,a,b,town,w,buys,spent\n";
    const RandomStream random(3, Purpose::test);
    for (std::uint64_t i = 0; i < rows; ++i) {
      const double a = random.normal(i, 0), b = random.uniform(i, 2);
      file << (quoted && i % 5 == 0 ? "\"row\n" + std::to_string(i) + "\"" : std::to_string(i)) << ',' << a
           << ',' << (i % 11 == 0 ? "" : std::to_string(b)) << ',' << (i % 3 == 0 ? "north" : "south") << ','
           << 1 + i % 3 << ',' << (a + b + random.normal(i, 4) > 0.5 ? "yes" : "no") << ','
           << 10 + 2 * a + b + 0.5 * random.normal(i, 6) << '\n';
    }
    return path;
  }

  static Model learned(const std::string& path, const std::string& target, const std::string& ignored) {
    Settings s;
    s.target = target;
    s.ignore = "id," + ignored;
    s.weight = "w";
    s.layers = "3";
    s.members = 1;
    s.epochs = 2;
    s.threads = 1;
    s.refit = "none";
    return fit(Data::read(path, s), s).model;
  }

  struct Said {
    std::string text;
    std::vector<std::string> notes;
    bool operator==(const Said&) const = default;
  };
  static Said predicted(const Model& model, const std::vector<std::string>& files, PredictOptions options) {
    Said said;
    options.threads = 1;
    options.on_note = [&](const std::string& note) { said.notes.push_back(note); };
    predict_files(
        model, files, {}, options,
        [](const OutputTable& table, bool first) { return format_table(table, TableFormat::csv, first); },
        [&](std::string_view text) { said.text += text; });
    return said;
  }

  static void expect_same(const Model& model, const std::vector<std::string>& files,
                          const PredictOptions& options = {}) {
    const Said alone = predicted(model, files, options);
    for (const std::size_t size : {2U, 3U, 4U, 8U})
      test::run_ranks(size, [&](std::size_t rank) {
        const Said shared = predicted(model, files, options);
        EXPECT_EQ(shared.notes, alone.notes);
        EXPECT_TRUE(shared.text == (rank == 0 ? alone.text : "")) << "rank " << rank << " of " << size;
      });
  }

  std::filesystem::path folder_;
};

TEST_F(SharedPredictions, OfClasses) {
  const std::string rows = data("rows.csv", kRows);
  const Model model = learned(rows, "buys", "spent");
  expect_same(model, {rows}, {.utilities = true, .carry = {"id"}});
  expect_same(model, {data("few.csv", 5)});
}

TEST_F(SharedPredictions, OfNumbers) {
  const std::string rows = data("rows.csv", kRows);
  expect_same(learned(rows, "spent", "buys"), {data("some.csv", 4500)}, {.quantiles = {0.1, 0.9}});
}

TEST_F(SharedPredictions, OfSeveralFilesAndQuotedCells) {
  const Model model = learned(data("rows.csv", 600), "buys", "spent");
  const std::vector<std::string> files = {data("part-1.csv", 5000), data("part-2.csv", 3, true),
                                          data("part-3.csv", 4300)};
  expect_same(model, files, {.carry = {"id"}});
  EXPECT_EQ(predicted(model, files, {}), predicted(model, {folder_ / "part-*.csv"}, {}));
}

TEST_F(SharedPredictions, AnErrorOfOneRankIsThrownByAllAsByOneProcess) {
  const Model model = learned(data("rows.csv", 600), "buys", "spent");
  const std::string bad = data("bad.csv", kRows);
  std::ofstream(bad, std::ios::app) << "1,word,2,north,1,yes,3\n";
  const auto message = [&] {
    try {
      predicted(model, {bad}, {});
    } catch (const DataError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string alone = message();
  EXPECT_THAT(alone, testing::HasSubstr("bad.csv:9002: column 'a'"));
  for (const std::size_t size : {2U, 8U})
    test::run_ranks(size, [&](std::size_t) { EXPECT_EQ(message(), alone); });
}

TEST_F(SharedPredictions, Metrics) {
  const std::string rows = data("rows.csv", kRows), other = data("other.csv", 700);
  for (const bool number : {false, true}) {
    const Model model = number ? learned(rows, "spent", "buys") : learned(rows, "buys", "spent");
    for (const Part part : {Part::all, Part::test}) {
      const std::string& file = part == Part::all ? other : rows;
      const auto expected = model.evaluate(model.read(file, {}), part, {.threads = 1});
      for (const std::size_t size : {2U, 3U, 4U, 8U})
        test::run_ranks(size, [&](std::size_t) {
          const SharedData data = SharedData::read(model, {file}, {});
          const auto found = evaluate(model, data, part, {.threads = 1});
          ASSERT_EQ(found.metrics.size(), expected.size());
          for (std::size_t i = 0; i < expected.size(); ++i)
            EXPECT_EQ(std::bit_cast<std::uint64_t>(found.metrics[i].value),
                      std::bit_cast<std::uint64_t>(expected[i].value))
                << expected[i].name << ", " << size << " ranks";
          EXPECT_EQ(found.rows, model.part_rows(data.whole(), part));
        });
    }
  }
}

}  // namespace
}  // namespace bl
