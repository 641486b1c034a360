// A distribution on an interval whose log-density is piecewise linear: everything in closed form.
//
// Between two breakpoints the density is exp(u_l + d t), t in [0, 1], so its mass is h exp(u_l) expm1(d)/d.
// Masses are relative to the highest breakpoint, and are summed from both ends, so that either tail keeps its
// accuracy.
#pragma once

#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace bl::piecewise {

struct Interval {
  double lower = 0;
  double upper = 0;
};

// log of the integral of the function that is exp(value) at each place and log-linear between them.
double log_integral(std::span<const double> places, std::span<const double> values);

class Density {
 public:
  // places ascend (equal ones may follow each other), the first is below the last; values are the
  // log-density up to a constant. NumericError where one is not finite.
  Density(std::vector<double> places, std::vector<double> values);

  double lower() const { return places_.front(); }
  double upper() const { return places_.back(); }
  const std::vector<double>& places() const { return places_; }
  double log_normalizer() const { return log_normalizer_; }

  double log_density(double y) const;  // -infinity outside
  double density(double y) const;
  double cdf(double y) const;
  double quantile(double p) const;
  double mean() const;
  double variance() const;
  // log of the mean of exp(tilt * y): means of responses that were learned by their logarithm.
  double log_mean_exponential(double tilt) const;
  double mode() const;
  Interval central_interval(double mass) const;
  // The shortest set of at least this mass.
  std::vector<Interval> highest_density_region(double mass) const;
  // Integral of (cdf(y) - [y >= observed])^2.
  double crps(double observed) const;
  // The same where y stands for raw(y), monotone and increasing, with derivative `slope`, whose logarithm
  // changes by at most `steepness` per unit of y.
  double crps(double observed, const std::function<double(double)>& raw,
              const std::function<double(double)>& slope, double steepness) const;
  double mass(double from, double to) const;
  // The mean of a function that is smooth between breakpoints.
  double mean_of(const std::function<double(double)>& function) const;
  // The same distribution with breakpoints at `cuts` too (ascending; those outside are passed over).
  Density cut_at(std::span<const double> cuts) const;
  // Points and their shares of the mass, which sum to 1: any mean under the distribution is a sum.
  std::vector<std::pair<double, double>> rule() const;

 private:
  std::size_t segments() const { return places_.size() - 1; }
  double width(std::size_t k) const { return places_[k + 1] - places_[k]; }
  double rise(std::size_t k) const { return values_[k + 1] - values_[k]; }
  std::size_t segment_at(double y) const;
  double share_in(std::size_t k, double y) const;  // of segment k's mass, to the left of y
  double mass_above_level(double level) const;

  std::vector<double> places_, values_;
  std::vector<double> mass_;           // of each segment
  std::vector<double> below_, above_;  // of each place
  double log_normalizer_ = 0;
};

}  // namespace bl::piecewise
