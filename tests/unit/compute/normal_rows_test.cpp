#include "compute/normal_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace bl {
namespace {

// Both transforms round log, sqrt and sine within a few units of the last place of numbers below 10.
TEST(NormalRows, AreTheNumbersOfTheStream) {
  const NormalSource source{0x123456789ABCDEF0, Purpose::sampler_move, 77};
  const RandomStream stream(source.seed, source.purpose, source.epoch);
  for (const Index cols : {1, 2, 7, 8, 301}) {
    Matrix<double> wide(65, cols);
    Matrix<float> narrow(65, cols);
    fill_normal_rows(source, 1000, wide.view());
    fill_normal_rows(source, 1000, narrow.view());
    for (Index i = 0; i < 65; ++i)
      for (Index j = 0; j < cols; ++j) {
        const double truth =
            stream.normal(static_cast<std::uint64_t>(1000 + i), static_cast<std::uint64_t>(j));
        ASSERT_NEAR(wide(i, j), truth, 1e-13) << cols;
        ASSERT_EQ(narrow(i, j), static_cast<float>(wide(i, j)));
      }
  }
}

TEST(NormalRows, DoNotDependOnHowRowsAreGrouped) {
  const NormalSource source{5, Purpose::sampler_move, 3};
  Matrix<double> all(130, 5), part(64, 5);
  fill_normal_rows(source, 0, all.view());
  fill_normal_rows(source, 64, part.view());
  for (Index i = 0; i < 64; ++i)
    for (Index j = 0; j < 5; ++j) ASSERT_EQ(part(i, j), all(64 + i, j));
}

TEST(NormalRows, OfAnyRowsInAnyOrder) {
  const NormalSource source{5, Purpose::score_noise, 3};
  const std::vector<std::int64_t> rows = {7, 0, 3, 3, 12, 9, 1, 100, 64, 5, 2, 11, 4, 90, 91, 92, 93, 8, 6};
  Matrix<double> all(101, 3), some(static_cast<Index>(rows.size()), 3);
  fill_normal_rows(source, 0, all.view());
  fill_normal_rows(source, rows, some.view());
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (Index j = 0; j < 3; ++j) ASSERT_EQ(some(static_cast<Index>(i), j), all(rows[i], j));
}

}  // namespace
}  // namespace bl
