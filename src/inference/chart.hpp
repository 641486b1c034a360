// The free parameters of a canonical form: which entries are estimated, which are set by rule, and the
// directions in which the form can move.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "inference/canonical.hpp"

namespace bl::inference {

enum class ParameterState : std::uint8_t {
  free,
  fixed,     // by a rule of the canonical form: a lambda of 1, a reference
  scaled,    // the only weight of a block whose weights sum to 1: set by that rule, and nothing to estimate
  at_bound,  // a weight that may not be negative and is zero; what it multiplies is absent
  // A term that the distribution cannot see, that repeats another, or that belongs to a head without weight.
  absent,
};

struct Chart {
  std::vector<double> raw;             // the point
  std::vector<double> effective;       // the same in effective values
  std::vector<ParameterState> states;  // per entry of the layout
  std::vector<Index> positions;        // of the free entries
  // positions x coordinates, orthonormal: the moves of the free entries that keep every block's weights
  // summing to 1. The identity where no block is scaled.
  Eigen::MatrixXd tangent;

  Index size() const { return tangent.cols(); }
};

// `raw` must be a canonical form with this reference.
Chart make_chart(const Architecture& architecture, std::vector<double> raw, Index reference = 0);

// Entries as they are, all of them free and raw: for a point that is not a minimum of canonical form.
Chart plain_chart(const Architecture& architecture, std::vector<double> raw, std::vector<Index> positions);

// d raw / d effective and d^2 raw / d effective^2 of the free entries; 1 and 0 where they are the same.
Eigen::VectorXd raw_slopes(const ParameterLayout& layout, const Chart& chart);
Eigen::VectorXd raw_curvatures(const ParameterLayout& layout, const Chart& chart);

// Raw parameters after a move of the coordinates, `effective + tangent * move`.
std::vector<double> moved(const ParameterLayout& layout, const Chart& chart, const Eigen::VectorXd& move);

}  // namespace bl::inference
