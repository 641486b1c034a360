// The distribution of one number given a row, in the data's own units: exact where the utility is piecewise
// linear in it, by adaptive quadrature otherwise. Transforms and point masses of the response are undone
// here.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/context.hpp"
#include "features/encoding.hpp"
#include "gibbs/utility.hpp"
#include "predict/row_notes.hpp"

namespace bl {

inline constexpr double kOutInTheTail = 0.95;

class NumberDistribution {
 public:
  // Distribution and response outlive this. Only exact distributions may have a transform or point masses.
  NumberDistribution(piecewise::Density density, const ResponseEncoding& response);
  NumberDistribution(const gibbs::Distribution1d& distribution, const ResponseEncoding& response);

  double mean() const;
  double standard_deviation() const;
  double quantile(double p) const;
  // Whether a transform makes the mean one of exponentials, and the probability of what lies below a value.
  bool transformed() const;
  double probability_below(double y) const;
  // Whether a tail makes this mean: nearly all of the distribution (kOutInTheTail) lies on one side of it,
  // and farther away than a tenth of what responses differ by. Beside a point mass that has nearly all of it,
  // a mean is near.
  bool mean_in_tail(double mean) const;
  piecewise::Interval central_interval(double mass) const;
  // The shortest set of at least this mass. With a transform to a two-thousandth of the support.
  std::vector<piecewise::Interval> highest_density_region(double mass) const;
  double mode() const;  // where the utility is highest
  // Of a response: the log of its density, or of its probability where it is a point mass; minus infinity
  // outside the support.
  double log_density(double y) const;
  double crps(double y) const;

 private:
  // Mean and mean square of the response's distance from its location, without point masses.
  std::pair<double, double> transformed_moments() const;
  double decoded(double encoded) const { return response_->decode(encoded); }

  const ResponseEncoding* response_;
  std::vector<Slot> slots_;                    // encoded
  std::optional<piecewise::Density> density_;  // with breakpoints at the ends of slots
  const gibbs::Distribution1d* distribution_ = nullptr;
};

// Hands over the distribution of every row of context, from several threads at once. Quadrature that misses
// the tolerance goes into the notes, where there are some; another error of the arithmetic begins with
// name(row).
void for_each_distribution(const gibbs::Utility& utility, const ResponseEncoding& response,
                           const Matrix<double>& context, double tolerance, const Context& job,
                           RowNotes* notes, const std::function<std::string(std::size_t row)>& name,
                           const std::function<void(std::size_t row, const NumberDistribution&)>& visit);

}  // namespace bl
