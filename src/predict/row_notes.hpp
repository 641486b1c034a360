// What is to be known about many rows together, gathered from several threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bl/ranks.hpp"

namespace bl {

// Sums over rows of a weight, what it weighs, and what the error of the means needs.
struct PredictedMeans {
  double weight = 0, predicted = 0, observed = 0, size = 0;
  double squared_weight = 0, difference = 0, squared_difference = 0;  // by the square of the weight
};

class RowNotes {
 public:
  // The quadrature of a row: the error of its probabilities, and the one that was asked for.
  void add_quadrature(double error, double tolerance);
  // The mean of a row: whether it lies out in a tail of the row's own distribution.
  void add_mean(bool in_tail);
  // The standard deviation of a row: the probability that the row's own distribution has within one of the
  // mean.
  void add_standard_deviation(double within);
  // The mean that was predicted for a row, the response it turned out to have, and the row's weight.
  void add_response(double mean, double response, double weight);
  // How likely the response of a row is.
  void add_log_density(double value);
  // So many rows have no response and are not judged.
  void add_without_response(std::size_t rows);
  // The class that a row turned out to have, and what was foreseen of all classes.
  void add_outcome(std::int32_t outcome, std::span<const double> log_probabilities);

  // Those of all ranks, for each of them. All call it at the same time.
  void join(Ranks& ranks);

  std::vector<std::string> texts() const;

 private:
  std::optional<std::string> overconfidence() const;
  std::optional<std::string> biased_means() const;

  mutable std::mutex mutex_;
  std::size_t rows_ = 0, missed_ = 0;
  double largest_error_ = 0, tolerance_ = 0;
  std::size_t means_ = 0, in_tail_ = 0;
  std::size_t deviations_ = 0, made_by_tail_ = 0;
  std::size_t densities_ = 0, impossible_ = 0;
  std::size_t without_response_ = 0;
  std::size_t outcomes_ = 0;
  double loss_ = 0, foreseen_loss_ = 0, foreseen_variance_ = 0;  // sums of the outcomes'
  std::size_t responses_ = 0;
  PredictedMeans means_of_responses_;
};

// Notes that `on_note` is told at the end; where nobody listens there are none to take.
class HeardNotes {
 public:
  explicit HeardNotes(const std::function<void(const std::string&)>& on_note) : on_note_(on_note) {}
  RowNotes* notes() { return on_note_ ? &notes_ : nullptr; }
  void tell() const {
    if (!on_note_) return;
    for (const std::string& text : notes_.texts()) on_note_(text);
  }

 private:
  std::function<void(const std::string&)> on_note_;
  RowNotes notes_;
};

}  // namespace bl
