#include "gibbs/peaks.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bl::gibbs {
namespace {

// Two bumps: at -1 of height 0 and at 2 of height -0.5.
double two_bumps(double y) {
  return std::max(-(y + 1) * (y + 1), -0.5 - 3 * (y - 2) * (y - 2));
}

const LogDensity1d kTwoBumps = [](std::span<const double> y, std::span<double> out) {
  for (std::size_t i = 0; i < y.size(); ++i) out[i] = two_bumps(y[i]);
};

Profile profile_of(const LogDensity1d& function, double from, double to, std::size_t points) {
  Profile profile;
  for (std::size_t i = 0; i < points; ++i)
    profile.y.push_back(from + (to - from) * static_cast<double>(i) / static_cast<double>(points - 1));
  profile.value.resize(points);
  function(profile.y, profile.value);
  return profile;
}

TEST(Peaks, AreRefinedToThePlacesOfTheMaxima) {
  const auto peaks = find_peaks(kTwoBumps, profile_of(kTwoBumps, -4, 5, 41), {});
  ASSERT_EQ(peaks.size(), 2);
  // A place is known to the square root of the rounding of the values around it.
  EXPECT_NEAR(peaks[0].y, -1, 1e-7);
  EXPECT_NEAR(peaks[0].value, 0, 1e-14);
  EXPECT_NEAR(peaks[1].y, 2, 1e-7);
  EXPECT_NEAR(peaks[1].value, -0.5, 1e-14);
}

TEST(Peaks, AnEndCounts) {
  const LogDensity1d rising = [](std::span<const double> y, std::span<double> out) {
    for (std::size_t i = 0; i < y.size(); ++i) out[i] = 3 * y[i];
  };
  const auto peaks = find_peaks(rising, profile_of(rising, 0, 1, 11), {});
  ASSERT_EQ(peaks.size(), 1);
  EXPECT_NEAR(peaks[0].y, 1, 1e-12);
}

TEST(Peaks, MergeWhereNothingFallsBetween) {
  const Profile flat{.y = {0, 1, 2, 3, 4}, .value = {0, 1, 1, 1, 0}};
  EXPECT_EQ(prominent_peaks({{1, 1}, {3, 1}}, flat).size(), 1);
  const Profile dip{.y = {0, 1, 2, 3, 4}, .value = {0, 1, 0.5, 1, 0}};
  EXPECT_EQ(prominent_peaks({{1, 1}, {3, 1}}, dip).size(), 2);
}

}  // namespace
}  // namespace bl::gibbs
