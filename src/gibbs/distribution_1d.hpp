// A distribution on an interval given by its unnormalised log-density: everything by adaptive quadrature, to
// a stated error.
//
// The interval is cut into panels until Gauss's and Kronrod's rules agree on each; between the nodes the
// density is the polynomial through them. Peaks are searched first and become ends of panels, so narrow ones
// are not missed as long as the grid sees a slope towards them; kinks and jumps are closed in by bisection.
#pragma once

#include <utility>
#include <vector>

#include "gibbs/gauss_kronrod.hpp"
#include "gibbs/peaks.hpp"
#include "gibbs/quadrature.hpp"

namespace bl::gibbs {

class Distribution1d {
 public:
  // UsageError unless lower < upper are finite; NumericError naming the point where the log-density is not
  // finite. Where max_points do not reach the tolerance, error() is above it.
  Distribution1d(LogDensity1d log_density, double lower, double upper, const QuadratureOptions& options = {});

  double lower() const { return lower_; }
  double upper() const { return upper_; }
  Estimate log_normalizer() const;
  double error() const { return error_; }  // of any probability below

  void log_density(std::span<const double> y, std::span<double> out) const;  // normalised; -infinity outside
  double density(double y) const;
  double cdf(double y) const;
  double quantile(double p) const;  // cdf(quantile(p)) = p for p in [0, 1]
  Estimate mean() const;
  Estimate variance() const;
  // Mean of a function given at many points at once, by the same panels halved where its kinks need it.
  Estimate expectation(const LogDensity1d& function) const;
  // Points and their shares of the mass, which sum to 1: any mean under the distribution, without refining
  // further.
  std::vector<std::pair<double, double>> rule() const;
  std::vector<Peak> modes() const;  // local maxima, the highest first; value = normalised log-density
  Interval central_interval(double mass) const;
  std::vector<Interval> highest_density_region(double mass) const;  // shortest set of (at least) that mass
  double crps(double observed) const;  // integral of (cdf(y) - [y >= observed])^2

 private:
  struct Panel {
    double lower = 0, upper = 0;
    RuleValues log_values{};              // at the nodes
    double log_lower = 0, log_upper = 0;  // at the ends
    RulePolynomial density;               // relative to exp(log_top_)
    double below = 0;                     // mass of the panels to the left, relative
    double centre() const { return (lower + upper) / 2; }
    double half() const { return (upper - lower) / 2; }
    double place(double y) const { return (y - centre()) / half(); }
    RuleValues relative(double log_top) const;
  };

  void checked(std::span<const double> y, std::span<double> out);
  void evaluate(std::span<Panel> panels);
  std::vector<Panel> initial_panels(const std::vector<Peak>& peaks, Index count);
  Estimate integral(const Panel& panel) const;
  bool misses_peak(const Panel& panel) const;
  bool split_once();
  void split(const std::vector<std::size_t>& chosen, std::vector<double> cuts);
  void refine();
  Profile profile() const;
  void add_unseen_peaks();
  void finish();
  const Panel& panel_at(double y) const;
  double mass_below(const Panel& panel, double y) const;
  Estimate moment(const std::function<double(double)>& function) const;
  std::vector<Interval> region_above(double level) const;
  double squared_area(const Panel& panel, double from, double to, bool above) const;

  LogDensity1d function_;
  double lower_, upper_;
  QuadratureOptions options_;
  std::vector<Panel> panels_;
  std::vector<Peak> peaks_;
  double log_top_ = 0;  // largest log-density seen
  double total_ = 0;    // integral relative to exp(log_top_)
  double error_ = 0;
  Index points_ = 0;
};

}  // namespace bl::gibbs
