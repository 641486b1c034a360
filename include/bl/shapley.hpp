// Shapley values: how much each column moves a prediction away from the mean prediction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bl/model.hpp"

namespace bl {

struct ShapleyOptions {
  std::size_t background = 100;  // rows that predictions are compared with, drawn by the seed; 0: all
  std::size_t rounds = 0;        // orders of columns drawn per background row; 0: exact, or 1 of many columns
  bool treat_unseen_as_missing = false;
  std::uint64_t seed = 0;
  std::size_t threads = 0;
  std::function<void(double, const std::string&)> on_progress = {};  // seconds so far and a line of text
  std::function<bool()> should_stop = {};                            // true: Interrupted
};

// Of the game whose players are columns: v(S) is the mean prediction where the columns of S have the row's
// values and the others those of a background row (interventional, as in SHAP). For each row and outcome the
// values of all columns sum to its prediction less the base.
struct ShapleyValues {
  std::vector<std::string> columns;   // that the model reads
  std::vector<std::string> outcomes;  // "E[y]" of a number, "p(level)" of every class
  std::size_t rows = 0;
  std::size_t background = 0;  // rows that were used
  bool exact = true;           // over all subsets of columns; false: over drawn orders
  std::vector<double> base;    // by outcome: the mean prediction of the background
  std::vector<double> values;  // [row][column][outcome]
  std::vector<double> errors;  // the same; standard errors of drawing orders, 0 where exact

  double value(std::size_t row, std::size_t column, std::size_t outcome) const {
    return values[(row * columns.size() + column) * outcomes.size() + outcome];
  }
};

// UsageError for choices and for several continuous responses.
ShapleyValues shapley_values(const Model& model, const Data& data, const Data& background,
                             const ShapleyOptions& options = {});

// A row for every row, column and outcome.
OutputTable shapley_table(const ShapleyValues& values);

}  // namespace bl
