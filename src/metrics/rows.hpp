// What all metrics share: optional row weights, and checks of the rows they are given.
//
// Every metric is a pure function. It throws UsageError where two inputs differ in length; DataError where
// there are no rows, the weights are negative, not finite or all zero, or a response is not what it should
// be; NumericError where a prediction is. Messages count rows from 1.
#pragma once

#include <cstddef>
#include <span>

namespace bl::metrics {

using Weights = std::span<const double>;  // empty: every row counts once

// Checked weights of a number of rows; at least one is positive.
class RowWeights {
 public:
  RowWeights(Weights weights, std::size_t rows);

  double operator[](std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }
  double total() const { return total_; }
  std::size_t rows() const { return rows_; }

  // sum of weight * value(row) over the sum of weights. A row of weight zero is not looked at, so that an
  // infinite value there does no harm.
  template <class Value>
  double mean(Value value) const {
    double sum = 0.0;
    for (std::size_t i = 0; i < rows_; ++i)
      if (const double w = (*this)[i]; w > 0.0) sum += w * value(i);
    return sum / total_;
  }

 private:
  Weights weights_;
  std::size_t rows_;
  double total_ = 0.0;
};

void check_same_length(const char* what, std::size_t rows, std::size_t expected);
void check_responses(std::span<const double> responses);                        // finite, else DataError
void check_predictions(const char* what, std::span<const double> predictions);  // finite, else NumericError

}  // namespace bl::metrics
