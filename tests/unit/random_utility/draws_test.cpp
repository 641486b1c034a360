#include "random_utility/draws.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bl/errors.hpp"
#include "inference/distributions.hpp"

namespace bl::random_utility {
namespace {

TEST(Halton, IsTheRadicalInverse) {
  const Matrix<double> u = uniform_draws({.count = 3, .sequence = Sequence::halton}, 2, 2);
  const double two[] = {1.0 / 2, 1.0 / 4, 3.0 / 4, 1.0 / 8, 5.0 / 8, 3.0 / 8};
  const double three[] = {1.0 / 3, 2.0 / 3, 1.0 / 9, 4.0 / 9, 7.0 / 9, 2.0 / 9};
  for (Index r = 0; r < 6; ++r) {
    EXPECT_NEAR(u(2 * (r / 3), r % 3), two[r], 1e-15);
    EXPECT_NEAR(u(2 * (r / 3) + 1, r % 3), three[r], 1e-15);
  }
  const Matrix<double> later =
      uniform_draws({.count = 2, .sequence = Sequence::halton, .dropped = 4, .primes = {3}}, 1, 1);
  EXPECT_NEAR(later(0, 0), three[4], 1e-15);
}

TEST(Halton, ScrambledKeepsEveryCellOfAPrimesPower) {
  const Matrix<double> u =
      uniform_draws({.count = 125, .sequence = Sequence::scrambled_halton, .primes = {5}}, 1, 1);
  const Matrix<double> plain =
      uniform_draws({.count = 125, .sequence = Sequence::halton, .primes = {5}}, 1, 1);
  std::set<int> cells;
  double moved = 0;
  for (Index r = 0; r < 125; ++r) {
    cells.insert(static_cast<int>(std::floor(u(0, r) * 25 + 1e-9)));
    moved = std::max(moved, std::abs(u(0, r) - plain(0, r)));
  }
  EXPECT_EQ(cells.size(), 25U);
  EXPECT_GT(moved, 0.1);
}

// Without its shift, point i is point i of scipy.stats.qmc.Sobol(21, scramble=False), here times 2^10.
TEST(Sobol, HasThePointsOfJoeAndKuo) {
  const Matrix<double> u = uniform_draws({.count = 1024}, 1, kSobolDimensions);
  const auto word = [&](Index d, Index r) { return static_cast<std::uint64_t>(u(d, r) * 0x1p32); };
  const std::uint64_t at_777[] = {709, 959, 167, 281, 651, 365, 195, 781, 357, 331, 763,
                                  713, 393, 485, 583, 527, 413, 885, 379, 771, 243};
  const std::uint64_t at_500[] = {450, 66,  354, 418, 554, 962, 58,  794, 546, 142, 670,
                                  530, 254, 774, 570, 598, 126, 326, 350, 710, 358};
  for (Index d = 0; d < kSobolDimensions; ++d) {
    EXPECT_EQ((word(d, 777) ^ word(d, 0)) >> 22, at_777[d]) << d;
    EXPECT_EQ((word(d, 500) ^ word(d, 0)) >> 22, at_500[d]) << d;
  }
}

TEST(Draws, AnotherSeedIsAnotherSequenceWhereItIsRandom) {
  for (const Sequence sequence : {Sequence::scrambled_halton, Sequence::sobol, Sequence::pseudo_random}) {
    const Matrix<double> a =
        uniform_draws({.count = 8, .sequence = sequence, .primes = {7}, .seed = 1}, 1, 1);
    const Matrix<double> b =
        uniform_draws({.count = 8, .sequence = sequence, .primes = {7}, .seed = 2}, 1, 1);
    EXPECT_FALSE(std::equal(a.flat().begin(), a.flat().end(), b.flat().begin()))
        << static_cast<int>(sequence);
  }
}

TEST(Draws, TooManyDimensionsAreRefused) {
  EXPECT_THROW(uniform_draws({.count = 8}, 1, kSobolDimensions + 1), UsageError);
}

TEST(Draws, NormalQuantileIsThatOfInference) {
  for (const double u :
       {1e-300, 1e-20, 1e-12, 1e-4, 0.07, 0.0751, 0.3, 0.5, 0.8, 0.925, 0.9251, 0.999, 1 - 1e-9})
    EXPECT_NEAR(normal_draw(u), inference::normal_quantile(u), 1e-12 * (1 + std::abs(normal_draw(u)))) << u;
}

TEST(Draws, TriangularQuantileInvertsTheDistribution) {
  for (const double u : {0.02, 0.3, 0.5, 0.77}) {
    const double x = triangular_quantile(u);
    EXPECT_NEAR(x < 0 ? 0.5 * (1 + x) * (1 + x) : 1 - 0.5 * (1 - x) * (1 - x), u, 1e-14);
  }
}

}  // namespace
}  // namespace bl::random_utility
