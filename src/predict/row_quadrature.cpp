#include "predict/row_quadrature.hpp"

#include <fmt/format.h>

#include "bl/errors.hpp"

namespace bl {

namespace {

// A row of a table is not worth more: kinked utilities take some 12,000 evaluations at 1e-8, in two
// dimensions some 100,000 at 1e-4.
constexpr Index kMostPoints = 400'000, kMostPoints2d = 2'000'000;

// Rounding at kinks may keep an error a little above a narrow tolerance.
constexpr double kStillGood = 10;

void judge(double error, double tolerance, RowNotes* notes) {
  if (notes) return notes->add_quadrature(error, tolerance);
  require_error_below(error, kStillGood * tolerance);
}

}  // namespace

void require_error_below(double error, double worst) {
  if (error > worst)
    throw NumericError(
        fmt::format("quadrature reaches an error of {:.2g}, not {:.2g}: the learned distribution has peaks "
                    "that are too narrow",
                    error, worst));
}

gibbs::Distribution1d row_distribution_1d(const gibbs::Utility& utility, const double* context,
                                          std::int32_t class_index, double tolerance, RowNotes* notes) {
  gibbs::Distribution1d distribution = utility.distribution_1d(
      context, class_index, {.tolerance = tolerance, .grid = 256, .max_points = kMostPoints});
  judge(distribution.error(), tolerance, notes);
  return distribution;
}

gibbs::Distribution2d row_distribution_2d(const gibbs::Utility& utility, const double* context,
                                          std::int32_t class_index, RowNotes* notes, double tolerance) {
  gibbs::QuadratureOptions options = gibbs::kRowDistribution2dOptions;
  options.tolerance = tolerance;
  options.max_points = kMostPoints2d;
  gibbs::Distribution2d distribution = utility.distribution_2d(context, class_index, options);
  judge(distribution.error(), options.tolerance, notes);
  return distribution;
}

}  // namespace bl
