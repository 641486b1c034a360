// Curves and products of two with their errors.
#pragma once

#include <Eigen/Core>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "bl/inference.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

// The problem with a band on every curve and errors of every product, by the covariance of the positions that
// the model stores.
explain::Problem problem_with_bands(const FittedModel& model, explain::Units units,
                                    const Eigen::MatrixXd& covariance);
// The same by the robust covariance that the model stores; without errors where it stores none.
explain::Problem problem_with_stored_bands(const FittedModel& model, explain::Units units);

void add_curves(const FittedModel& model, const Eigen::MatrixXd& covariance, const InferenceOptions& options,
                InferenceSummary& summary);

// As parts of a summary: lines of 80 columns, rows of a table in LaTeX and Markdown, JSON.
std::string curves_text(const InferenceSummary& summary);
std::string curves_latex(const InferenceSummary& summary);
std::string curves_markdown(const InferenceSummary& summary);
nlohmann::json curves_json(const InferenceSummary& summary);
std::string products_text(const InferenceSummary& summary);
std::string products_latex(const InferenceSummary& summary);
std::string products_markdown(const InferenceSummary& summary);
nlohmann::json products_json(const InferenceSummary& summary);

// "no effect: chi-squared 12.30, 9 degrees of freedom, p = 0.197", and its numbers.
std::string test_words(const char* hypothesis, double statistic, int degrees, double p);
nlohmann::json test_json(double statistic, int degrees, double p);

}  // namespace bl
