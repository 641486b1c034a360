// Far values pulled in, so that a few of them neither flatten the others nor become huge inputs.
#pragma once

#include <span>

#include "features/encoding.hpp"

namespace bl {

double pulled(const Pull& pull, double value);
// A value that is pulled to this; one of the outer points where it is pulled to an end.
double unpulled(const Pull& pull, double value);

// The spread of the bulk of the values as a standard deviation: the interquartile range, or a wider range of
// quantiles where that is zero, over what it is for a normal distribution. 0 where even the range is.
double robust_deviation(std::span<const double> sorted);

// The quantile by linear interpolation of the order statistics. It rounds otherwise than base/quantile.hpp:
// what models store of their columns is learned with it.
double sorted_quantile(std::span<const double> sorted, double share);

// Values up to 5 robust standard deviations from the median stay. Beyond, each doubling of the distance
// counts 2.5 of them, and from 40 on nothing changes any more. Nothing is pulled where no value is that far.
Pull compress_tails(std::span<const double> sorted);

// The range of the values without those few (0.2% or 3 rows on either side) that lie more than ten
// interquartile ranges from the median.
struct Range {
  double low = 0, high = 0;
};
Range range_without_outliers(std::span<const double> sorted);

}  // namespace bl
