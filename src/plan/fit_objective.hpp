// What a fit minimises. Training, and what is computed from the same rows later, take it from here: a summary
// or a check by another normaliser would be that of another model.
#pragma once

#include "plan/plan.hpp"

namespace bl {

struct FitObjective {
  ObjectiveSpec training;
  ObjectiveSpec judging;  // the same loss by another rule, for rows that were held out
};

// The normaliser of continuous responses is exact where it can be, else carried by random candidates, or by a
// rule with nodes at the values that the rows repeat. train_values: encoded, inside the support.
FitObjective plan_fit_objective(const Settings& settings, const ResponseSpace& space, const Encoder& encoder,
                                const Architecture& architecture, const Support& support,
                                const Matrix<double>& train_values);

}  // namespace bl
