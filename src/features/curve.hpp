// Curves of one column: a straight part and bends, piecewise linear between knots. See Bends.
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

// The bends over these knots. z(x) = (pulled x - mean) / scale is the feature's straight part, already
// learned from the same values.
Bends fit_bends(std::vector<double> knots, bool straight_ends, const FeatureEncoding& feature,
                std::span<const double> values);

// The piece from knots[i] to the next at x: 0 before, 1 beyond. The outer ones go straight on where asked.
double piece_value(const Bends& bends, std::size_t piece, double x);
// Its slope; at a knot that of the right side.
double piece_slope(const Bends& bends, std::size_t piece, double x);

// The straight part and the bends of a continuous or ordinal feature at x, and their slopes by x.
double straight_part(const FeatureEncoding& feature, double x);
double bend_value(const FeatureEncoding& feature, std::size_t bend, double x, double straight);
double straight_slope(const FeatureEncoding& feature, double x);
double bend_slope(const FeatureEncoding& feature, std::size_t bend, double x);

}  // namespace bl
