// Where the normaliser of a single number has nodes of its own, in training and in what is computed from the
// same rows later: both must minimise the same objective.
#pragma once

#include <vector>

#include "plan/plan.hpp"

namespace bl {

// The values that training rows repeat. Smooth heads of an identifiable model make no peaks there: none.
inline std::vector<double> normaliser_nodes(const Settings& settings, const Matrix<double>& train_values) {
  return settings.identifiable ? std::vector<double>{} : repeated_values(train_values);
}

}  // namespace bl
