// A model learned by ranks that hold a share of the rows each is that of one process, to the byte of its
// file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/random.hpp"
#include "bl/data.hpp"
#include "bl/shared_data.hpp"
#include "support/read_file.hpp"
#include "support/thread_ranks.hpp"

namespace bl {
namespace {

using test::read_file;

class SharedFit : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("bl_shared_rows_" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // Numbers with gaps, levels that appear late, a duplicate, a constant; weights, groups; a class and a
  // number.
  std::string data(std::uint64_t rows) const {
    const std::string path = folder_ / "data.csv";
    std::ofstream file(path);
    file << "a,b,copy,same,town,grade,w,person,buys,spent\n";
    const RandomStream random(3, Purpose::test);
    for (std::uint64_t i = 0; i < rows; ++i) {
      const double a = std::round(100 * random.normal(i, 0)) / 100, b = random.uniform(i, 2);
      const char* town = i > rows * 9 / 10 && i % 7 == 0 ? "late"
                         : i % 3 == 0                    ? "north"
                         : i % 3 == 1                    ? "south"
                                                         : "";
      file << a << ',' << (i % 11 == 0 ? "" : std::to_string(b)) << ',' << a << ",5," << town << ',' << i % 4
           << ',' << 1 + i % 3 << ",p" << i / 6 << ',' << (a + b + random.normal(i, 4) > 0.5 ? "yes" : "no")
           << ',' << 10 + 2 * a + b + 0.5 * random.normal(i, 6) << '\n';
    }
    return path;
  }

  static Settings settings(const std::string& target, const std::string& ignored) {
    Settings s;
    s.target = target;
    s.ignore = ignored;
    s.nominal = "grade";
    s.epochs = 3;
    s.threads = 1;
    return s;
  }

  // `shared`: whether the rows can be.
  void expect_same_model(const std::string& path, const Settings& s, bool shared = true) const {
    const FitSummary alone = fit(Data::read(path, s), s);
    alone.model.save(folder_ / "one.bl");
    for (const std::size_t size :
         shared ? std::vector<std::size_t>{2, 3, 4, 8} : std::vector<std::size_t>{2}) {
      const std::string name = folder_ / "several.bl";
      test::run_ranks(size, [&](std::size_t rank) {
        const SharedData rows = SharedData::read({path}, s);
        EXPECT_EQ(rows.rows(), Data::read(path, s).rows());
        const FitSummary summary = fit(rows, s);
        const bool noted =
            testing::Value(summary.notes, testing::Contains(testing::HasSubstr("every rank holds all rows")));
        EXPECT_EQ(noted, !shared);
        if (shared) {
          EXPECT_LT(summary.encoded_megabytes, alone.encoded_megabytes);
        }
        if (rank == 0) summary.model.save(name);
        for (const std::string& note : alone.notes) EXPECT_THAT(summary.notes, testing::Contains(note));
      });
      EXPECT_EQ(read_file(name), read_file(folder_ / "one.bl")) << size << " ranks";
    }
  }

  std::filesystem::path folder_;
};

TEST_F(SharedFit, Classes) {
  expect_same_model(data(900), settings("buys", "spent,person,w"));
}

TEST_F(SharedFit, ClassesWithWeightsAndGroups) {
  Settings s = settings("buys", "spent");
  s.weight = "w";
  s.group = "person";
  s.class_weight = "balanced";
  s.layers = "5,3";
  s.curves = "none";
  s.batch_size = 64;
  expect_same_model(data(700), s);
}

TEST_F(SharedFit, ClassesByLbfgsInDoublePrecision) {
  Settings s = settings("buys", "spent,person,w");
  s.split = "stratified";
  s.layers = "5,3";
  s.curves = "none";
  s.optimizer = "lbfgs";
  s.precision = "float64";
  expect_same_model(data(500), s);
}

TEST_F(SharedFit, NumbersWithWeightsAndGroups) {
  Settings s = settings("spent", "buys");
  s.weight = "w";
  s.group = "person";
  s.epochs = 1;
  s.members = 1;
  s.layers = "4";
  expect_same_model(data(7300), s);
}

TEST_F(SharedFit, ScoreMatchingWithWeightsAndGroups) {
  Settings s = settings("spent", "buys");
  s.weight = "w";
  s.group = "person";
  s.epochs = 1;
  s.members = 1;
  s.layers = "4,2";
  s.objective = "dsm";
  expect_same_model(data(7300), s);
}

TEST_F(SharedFit, WhatCannotBeSharedIsSaid) {
  Settings s = settings("buys", "spent,person,w,copy");
  s.layers = "3";
  s.identifiable = true;
  s.starts = 2;
  expect_same_model(data(300), s, false);
  Settings number = settings("spent", "buys,person,w");
  number.members = 1;
  expect_same_model(data(300), number, false);
}

}  // namespace
}  // namespace bl
