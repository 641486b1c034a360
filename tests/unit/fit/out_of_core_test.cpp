// Data in temporary files give the model that data in memory give, to the byte.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/random.hpp"
#include "bl/data.hpp"
#include "bl/fit.hpp"
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

}  // namespace
}  // namespace bl
