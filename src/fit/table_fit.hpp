// From a table to a model of its responses.
#pragma once

#include "bl/fit.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

// What another model says about the rows: probabilities of the classes in its training part, in their order.
// Of every row's weight, `share` is spread over the classes by them and the rest stays with its own class.
struct Lesson {
  const Matrix<double>* log_probabilities;
  double share = 0.5;
};

// `lesson` is for a class response alone and may be null.
FitSummary fit_table(const Table& table, const Settings& settings, const FitOptions& options,
                     const Lesson* lesson = nullptr);

}  // namespace bl
