// Data in temporary files give the model that data in memory give, to the byte.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/random.hpp"
#include "bl/data.hpp"
#include "bl/errors.hpp"
#include "bl/fit.hpp"
#include "bl/shared_data.hpp"
#include "support/read_file.hpp"

namespace bl {
namespace {

using test::read_file;

// Columns of more than a MiB, so that they do lie in files.
TEST(OutOfCore, TheModelIsTheSameToTheByte) {
  const auto folder = std::filesystem::temp_directory_path() / "bl_out_of_core_test";
  std::filesystem::create_directories(folder);
  const std::string csv = folder / "data.csv";
  {
    std::ofstream file(csv);
    file << "a,b,color,y\n";
    const RandomStream random(1, Purpose::test);
    for (std::uint64_t i = 0; i < 150000; ++i) {
      const double a = random.normal(i, 0), b = random.uniform(i, 2);
      file << a << ',' << b << ',' << (i % 3 == 0 ? "red" : "blue") << ',' << (a + b > 0.5 ? "yes" : "no")
           << '\n';
    }
  }
  Settings settings;
  settings.target = "y";
  settings.layers = "2";
  settings.epochs = 1;
  settings.batch_size = 4096;
  for (const bool out_of_core : {false, true}) {
    settings.out_of_core = out_of_core;
    const Data data = Data::read(csv, settings);
    const FitSummary summary = fit(data, settings);
    EXPECT_GT(summary.table_megabytes, 3);
    EXPECT_GT(summary.encoded_megabytes, 1);
    EXPECT_GT(summary.peak_megabytes, out_of_core ? 0 : summary.table_megabytes + summary.encoded_megabytes);
    summary.model.save(folder / (out_of_core ? "files.bl" : "memory.bl"));
  }
  EXPECT_EQ(read_file(folder / "files.bl"), read_file(folder / "memory.bl"));
  std::filesystem::remove_all(folder);
}

// Read with a model's types, too: where there is no folder for the files, reading fails.
TEST(OutOfCore, AModelReadsIntoFilesAsWell) {
  const auto folder = std::filesystem::temp_directory_path() / "bl_out_of_core_read_test";
  std::filesystem::create_directories(folder);
  const auto write = [&](const std::string& name, int rows) {
    std::ofstream file(folder / name);
    file << "a,y\n";
    for (int i = 0; i < rows; ++i) file << i % 97 << ',' << (i % 97 > 40 ? "yes" : "no") << '\n';
    return (folder / name).string();
  };
  Settings settings;
  settings.target = "y";
  settings.layers = "2";
  settings.epochs = 1;
  const Model model = fit(Data::read(write("small.csv", 200), settings), settings).model;
  const std::string large = write("large.csv", 150000);
  const char* before = std::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  setenv("TMPDIR", (folder / "absent").c_str(), 1);
  Settings reading;
  EXPECT_NO_THROW(model.read(large, reading));
  reading.out_of_core = true;
  EXPECT_THROW(model.read(large, reading), DataError);
  EXPECT_THROW(read_files(model, {large, large}, reading), DataError);
  EXPECT_THROW(SharedData::read(model, {large, large}, reading), DataError);
  static_cast<void>(kept.empty() ? unsetenv("TMPDIR") : setenv("TMPDIR", kept.c_str(), 1));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace bl
