// Data drawn from a planted problem, with the true distribution of every row.
//
// Everything is a pure function of (problem, seed, row): the first rows of a longer data set are those of a
// shorter one. Classes and alternatives are drawn exactly, by inversion. Continuous responses are drawn by
// inversion too: first a cell of the support from the cells' probabilities (Gauss-Legendre, 8 nodes a side),
// then, one dimension after the other, a position in the cell from its density taken linear between 65
// points. The distribution function drawn from is within 1e-4 of the planted one in one dimension and within
// 1e-3 in two.
#pragma once

#include <cstdint>
#include <vector>

#include "base/context.hpp"
#include "objective/dataset.hpp"
#include "simulation/distribution.hpp"

namespace bl::simulation {

template <class T>
struct SimulatedData {
  Index rows = 0;
  Matrix<T> context;  // rows x context
  Matrix<T> values;   // rows x values: the continuous response; or alternatives x attributes
  std::vector<std::int32_t>
      classes;             // rows: the class response; or alternatives: which one each is, if named
  std::vector<T> weights;  // rows; empty: all 1

  // Choices only.
  std::vector<std::int64_t> begin;      // rows + 1
  std::vector<std::uint8_t> available;  // alternatives
  std::vector<std::int32_t> chosen;     // rows

  // The truth. Probabilities: rows x classes (of a hybrid response: whatever the continuous part), or one per
  // alternative. Means: rows x values of a continuous response (of a hybrid one: whatever the class).
  std::vector<double> true_probabilities;
  Matrix<double> true_means;
  std::vector<double> true_log_likelihood;  // of the observed response

  DatasetView<T> view() const;
};

// Throws UsageError for fewer than one row.
SimulatedData<double> simulate(const PlantedProblem& problem, Index rows, std::uint64_t seed,
                               const Context& job);

// Responses drawn from the problem for contexts that are given: `data` has rows, context and weights alone.
// Not for alternatives.
SimulatedData<double> simulate_responses(const PlantedProblem& problem, SimulatedData<double> data,
                                         std::uint64_t seed, const Context& job);

// The candidates of one row of a choice: its available alternatives, in order.
void alternatives_of(const SimulatedData<double>& data, Index row, Candidates& out);

}  // namespace bl::simulation
