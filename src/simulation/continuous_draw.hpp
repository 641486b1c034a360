// Draws of continuous responses by inversion of the distribution inside one cell of the support.
#pragma once

#include <cstdint>
#include <span>

#include "simulation/distribution.hpp"

namespace bl::simulation {

// One panel of the composite rule along each response dimension, and the class drawn with it.
struct Cell {
  std::vector<double> lower, upper;
  std::int32_t class_index = -1;  // -1 where the response has none
};

// The cell that holds candidate `node` of the problem's common candidates.
Cell cell_of(const PlantedProblem& problem, const Candidates& candidates, std::size_t node, int panels);

// The position of the `u`-quantile, as a share of the whole length, of a density that is linear between its
// values at equally spaced points.
double invert_piecewise_linear(std::span<const double> density, double u);

// A response drawn from the distribution restricted to the cell; one uniform per response dimension.
void draw_in_cell(const GibbsDistribution& distribution, std::span<const double> context, const Cell& cell,
                  std::span<const double> uniforms, std::span<double> out);

}  // namespace bl::simulation
