// A distribution on a rectangle given by its unnormalised log-density, by adaptive quadrature (tensor
// Gauss-Kronrod cells).
#pragma once

#include <array>
#include <vector>

#include "gibbs/distribution_1d.hpp"
#include "gibbs/quadrature.hpp"

namespace bl::gibbs {

struct Peak2d {
  std::array<double, 2> y{};
  double value = 0;
};

struct Moments2d {
  std::array<double, 2> mean{};
  std::array<std::array<double, 2>, 2> covariance{};
};

struct Rectangle {
  std::array<double, 2> lower{};
  std::array<double, 2> upper{};
};

// Kinks along curves converge slowly in two dimensions: the default tolerance is looser than on an interval.
inline constexpr QuadratureOptions kDistribution2dOptions = {1e-6, 256, 20'000'000};

class Distribution2d {
 public:
  // Errors as for Distribution1d.
  Distribution2d(LogDensity2d log_density, const Rectangle& support,
                 const QuadratureOptions& options = kDistribution2dOptions);

  const Rectangle& support() const { return support_; }
  Estimate log_normalizer() const;
  double error() const { return error_; }  // of any probability below
  void log_density(MatrixView<const double> points,
                   std::span<double> out) const;  // normalised; -infinity outside
  Moments2d moments() const;
  std::vector<Peak2d> modes() const;  // local maxima, the highest first; value = normalised log-density
  // The distribution of coordinate `axis` alone, and that of `axis` given the other; both integrate afresh to
  // the tolerance.
  Distribution1d marginal(int axis) const;
  Distribution1d conditional(int axis, double other) const;

 private:
  static constexpr std::size_t kCellPoints = kRulePoints * kRulePoints;
  struct Cell {
    Rectangle place;
    std::array<double, kCellPoints> log_values{};  // node of axis 0 major
    double top = 0;                                // the largest of them
    double point(std::size_t axis, std::size_t node) const;
    double quarter_area() const;
    bool contains(const std::array<double, 2>& y) const;
  };
  struct Climber {
    double step = 0;  // share of the sides
    int failures = 0;
    std::array<double, 2> heading{};  // the last move
  };
  struct CellSums {
    double value = 0;
    double error = 0;
    std::size_t rough_axis = 0;  // along which the two rules differ more
  };

  void checked(MatrixView<const double> points, std::span<double> out);
  void evaluate(std::span<Cell> cells);
  void find_grid_peaks();
  void place_trials(const std::vector<Peak2d>& peaks, const std::vector<Climber>& climbers, int round,
                    Matrix<double>& points) const;
  void climb(std::vector<Peak2d>& peaks);
  void add_unseen_peak();
  void merge_peaks();
  void initial_cells();
  CellSums integral(const Cell& cell) const;
  bool misses_peak(const Cell& cell) const;
  bool split_once();

  LogDensity2d function_;
  Rectangle support_;
  QuadratureOptions options_;
  std::vector<Cell> cells_;
  std::vector<Peak2d> peaks_;
  double log_top_ = 0;
  double total_ = 0;
  double error_ = 0;
  Index points_ = 0;
};

}  // namespace bl::gibbs
