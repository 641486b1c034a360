// Distributions of a row by quadrature. One that misses its tolerance goes on with what it reached where
// notes are taken of that, and is an error where nobody would hear of it.
#pragma once

#include "gibbs/utility.hpp"
#include "predict/row_notes.hpp"

namespace bl {

gibbs::Distribution1d row_distribution_1d(const gibbs::Utility& utility, const double* context,
                                          std::int32_t class_index, double tolerance, RowNotes* notes);
gibbs::Distribution2d row_distribution_2d(const gibbs::Utility& utility, const double* context,
                                          std::int32_t class_index, RowNotes* notes,
                                          double tolerance = gibbs::kRowDistribution2dOptions.tolerance);

// NumericError where the error of probabilities is above `worst`.
void require_error_below(double error, double worst);

}  // namespace bl
