#include "evidence/slopes.hpp"

#include <algorithm>
#include <cmath>

#include "base/unknown.hpp"

namespace bl {

namespace {

struct LogMoments {
  double mean = 0, variance = 0;

  explicit LogMoments(std::span<const double> values) {
    const auto n = static_cast<double>(values.size());
    for (const double value : values) mean += std::log(value) / n;
    for (const double value : values) variance += std::pow(std::log(value) - mean, 2) / (n - 1);
  }
};

}  // namespace

Slope slope_of_means(std::span<const SizedErrors> sizes) {
  double x_mean = 0;
  for (const SizedErrors& size : sizes) x_mean += std::log(size.rows) / static_cast<double>(sizes.size());
  double xx = 0, xy = 0, variance = 0;
  for (const SizedErrors& size : sizes) {
    const double x = std::log(size.rows) - x_mean;
    const LogMoments logs(size.errors);
    xx += x * x;
    xy += x * logs.mean;
    variance += x * x * logs.variance / static_cast<double>(size.errors.size());
  }
  if (!(xx > 0)) return {kUnknown, kUnknown};
  return {xy / xx, std::sqrt(variance) / xx};
}

Slope slope_of_replications(std::span<const SizedErrors> sizes) {
  double n = 0, x_mean = 0, y_mean = 0;
  for (const SizedErrors& size : sizes) {
    const auto count = static_cast<double>(size.errors.size());
    n += count;
    x_mean += count * std::log(size.rows);
    y_mean += count * LogMoments(size.errors).mean;
  }
  x_mean /= n;
  y_mean /= n;
  double xx = 0, xy = 0, yy = 0;
  for (const SizedErrors& size : sizes)
    for (const double error : size.errors) {
      const double x = std::log(size.rows) - x_mean, y = std::log(error) - y_mean;
      xx += x * x;
      xy += x * y;
      yy += y * y;
    }
  if (!(xx > 0)) return {kUnknown, kUnknown};
  const double residuals = std::max(0.0, yy - xy * xy / xx) / (n - 2);
  return {xy / xx, std::sqrt(residuals / xx)};
}

}  // namespace bl
