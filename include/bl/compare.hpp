// Models side by side: estimates in columns, errors below them, and how well each fits.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bl/inference.hpp"

namespace bl {

struct Comparison {
  struct Cell {
    double estimate = 0, standard_error = 0;  // NaN: the model has no such parameter, or it has no error
    bool present = false;
    std::string state = {};  // as in EstimatedParameter
  };
  struct Column {
    std::string name;   // of the model
    std::string model;  // what kind
    std::string covariance;
    std::size_t rows = 0;
    int parameters = 0;
    double log_likelihood = 0, aic = 0, bic = 0;
    double rho_square = 0, adjusted_rho_square = 0;  // of choices; else NaN
    // Likelihood-ratio test against the first model; NaN where there is none, and why.
    double lr_statistic = 0, lr_p = 0;
    int lr_degrees = 0;
    std::string lr_refused = {};
  };
  std::vector<std::string> parameters;   // in the order of their first appearance
  std::vector<Column> columns;           // models
  std::vector<std::vector<Cell>> cells;  // parameters x models
  std::vector<std::string> notes;        // what should be known before the columns are compared
};

// UsageError for fewer than two models.
Comparison compare(const std::vector<std::pair<std::string, InferenceSummary>>& models);

// Text of 80 columns, Markdown, LaTeX, JSON, CSV (a line per parameter and model).
std::string render(const Comparison& comparison, SummaryFormat format);

}  // namespace bl
