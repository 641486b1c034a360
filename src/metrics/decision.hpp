// A class for every row from its probabilities, by an aim. Probabilities are rows x K.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "metrics/classification.hpp"

namespace bl::metrics {

// The class with the largest log p + log weight; the lowest index among equals.
std::vector<std::int32_t> weighted_class(MatrixView<const double> log_probabilities,
                                         std::span<const double> log_weights);

// The class whose expected cost is least; costs(i, j): of deciding j where i is true. The lowest index among
// equals.
std::vector<std::int32_t> cheapest_class(Probabilities probabilities, MatrixView<const double> costs);

// The macro F1 that is expected of these decisions if the probabilities are right: sums of probabilities take
// the places of counts.
double expected_macro_f1(Probabilities probabilities, std::span<const std::int32_t> decided,
                         Weights weights = {});

// Log-weights of the classes for weighted_class: from equal ones, one class after the other takes the weight
// with the highest expected macro F1 until no class gains. Their largest is 0.
std::vector<double> macro_f1_log_weights(MatrixView<const double> log_probabilities, Weights weights = {});

}  // namespace bl::metrics
