// From a stored model to the problem it poses.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "artifact/model_file.hpp"
#include "explain/curve_terms.hpp"
#include "explain/problem.hpp"

namespace bl::explain {

// The combined class response: its name and the labels of its levels; empty where no response is a class.
struct ClassNames {
  std::string name;
  std::vector<std::string> labels;
  // Values of the response that the encoder does not know of, with mean and scale: attributes of
  // alternatives.
  std::vector<Variable> values = {};
};

// How the curves and products of a first-layer head follow from its weights: for each part (CurvePart) the
// terms of the basis whose weights it sums, with their factors.
using CurveParts = std::vector<std::vector<std::pair<std::size_t, double>>>;
using CurveMaps = std::map<CurvedTerm, CurveParts>;
CurveMaps curve_maps(const StoredModel& model, const ClassNames& classes, Units units);

// Original units: the standardisation of every column is substituted into every term and multiplied out, so
// that the formula on raw values gives the model's utility. What is lost is a matter of the data: where a
// mean is m standard deviations from zero, a degree-d formula cancels about m^d, in anybody's arithmetic.
// Powers of indicators and products of exclusive ones are simplified in both units. UsageError where the
// model reads other inputs than its encoder's columns, responses and these classes.
Problem read_problem(const StoredModel& model, const ClassNames& classes, Units units);

// The inputs of one encoded row in the problem's units and order. class_index is ignored where the problem
// has no class indicators (none, or the vector form).
std::vector<double> problem_inputs(const Problem& problem, const double* features, const double* values,
                                   std::int32_t class_index);

}  // namespace bl::explain
