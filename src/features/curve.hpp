// Curves of one column: a straight part and bends. See Bends.
#pragma once

#include <span>
#include <vector>

#include "features/encoding.hpp"

namespace bl {

// Quantiles of the values and of the distinct values together, at most `most`; rounded to what the range
// shows, and no piece with fewer than 20 rows or 1% of them. The ends are those of the range without
// outliers. Fewer than three where the values do not bear a bend. `sorted` is ascending.
std::vector<double> curve_knots(std::span<const double> sorted, Index most);
// Of ordered levels, whose places are knots by themselves; thinned like the others.
std::vector<double> place_knots(std::span<const double> sorted, Index most);
// Of a periodic curve: evenly from 0 on; fewer where there are not 20 rows for each.
std::vector<double> period_knots(double period, std::size_t rows, Index most);

// How many bends a curve of this kind and these knots has.
std::size_t bend_count(const Bends& bends);
// A curve without bends but for its knots, kind and ends; cubic and periodic ones get their slopes.
Bends empty_bends(const CurveShape& shape, std::vector<double> knots, bool straight_ends);
// What its bends are. z(x) = (pulled x - mean) / scale is the feature's straight part, already learned from
// the same values. Without bends where the values do not bear any.
Bends fit_bends(Bends bends, const FeatureEncoding& feature, std::span<const double> values);
// Cubic and periodic: what knot_slopes has to be.
std::vector<double> spline_slopes(const Bends& bends);

// The function behind a bend, before its line is taken off.
double bend_function(const Bends& bends, std::size_t bend, double x);

// The straight part and the bends of a continuous or ordinal feature at x.
double straight_part(const FeatureEncoding& feature, double x);
double bend_value(const FeatureEncoding& feature, std::size_t bend, double x, double straight);
// Cubic and periodic: the slope of a bend inside the knots at one of them.
double bend_slope_at_knot(const FeatureEncoding& feature, std::size_t bend, std::size_t knot);

// age~30..45 of a piece, age~30 of a spline, age~>=30 of a step.
std::string bend_name(const FeatureEncoding& feature, std::size_t bend);

}  // namespace bl
