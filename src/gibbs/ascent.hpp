// The two climbers behind find_mode.
#pragma once

#include <span>
#include <vector>

#include "base/random.hpp"
#include "gibbs/box.hpp"
#include "gibbs/log_density.hpp"

namespace bl::gibbs {

struct AscentPoint {
  std::vector<double> y;
  std::vector<double> gradient;
  double value = 0;
};

// Values, and gradients where asked, of any number of points of one distribution.
void evaluate_all(const LogDensity<double>& distribution, MatrixView<const double> points,
                  std::span<double> value, MatrixView<double> gradient);

// Largest component of clamp(y + gradient) - y.
double projected_gradient(const Box& box, const AscentPoint& at);

// Projected L-BFGS as a partner in lock-step: propose a trial, be told its value and gradient, and so on.
class SmoothClimber {
 public:
  SmoothClimber(const Box& box, AscentPoint start, double gradient_tolerance);
  bool done() const { return done_; }
  void propose(std::span<double> trial);
  void consider(double value, std::span<const double> gradient);
  const AscentPoint& at() const { return at_; }

 private:
  void choose_direction();
  const Box& box_;
  AscentPoint at_;
  double tolerance_;
  bool done_ = false;
  bool plain_ = true;  // the direction is the gradient itself
  double step_ = 1;
  std::vector<double> direction_, trial_;
  std::vector<std::vector<double>> moves_, falls_;  // L-BFGS pairs, the newest last
};

// Shortest convex combination of the rows, and its length.
std::vector<double> shortest_combination(MatrixView<const double> rows);
// Gradient sampling from radius `first` down to `last` (shares of `scale`), moving `at` upwards.
void climb_kinks(const LogDensity<double>& distribution, const Box& box, std::span<const double> scale,
                 double last, const RandomStream& stream, AscentPoint& at);
// The same direction at one radius, projected at the walls.
std::vector<double> sampled_direction(const LogDensity<double>& distribution, const Box& box,
                                      std::span<const double> reach, const RandomStream& stream,
                                      std::uint64_t round, const AscentPoint& at);

}  // namespace bl::gibbs
