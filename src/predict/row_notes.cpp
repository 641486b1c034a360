#include "predict/row_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/rank_gather.hpp"
#include "predict/number_distribution.hpp"

namespace bl {

namespace {

// A standard deviation within which more than this share lies is made by the rest: a normal distribution has
// 68% there, an exponential one 86%, a log-normal one 95% where sigma is 1.5 and 98% where it is 2.
constexpr double kWithinOne = 0.98;

}  // namespace

void RowNotes::add_quadrature(double error, double tolerance) {
  const std::lock_guard lock(mutex_);
  ++rows_;
  tolerance_ = tolerance;
  if (error <= tolerance) return;
  ++missed_;
  if (!(error <= largest_error_)) largest_error_ = error;  // NaN stays
}

void RowNotes::add_mean(bool in_tail) {
  const std::lock_guard lock(mutex_);
  ++means_;
  if (in_tail) ++in_tail_;
}

void RowNotes::add_standard_deviation(double within) {
  const std::lock_guard lock(mutex_);
  ++deviations_;
  if (within > kWithinOne) ++made_by_tail_;
}

void RowNotes::add_log_density(double value) {
  const std::lock_guard lock(mutex_);
  ++densities_;
  if (value == -std::numeric_limits<double>::infinity()) ++impossible_;
}

void RowNotes::add_without_response(std::size_t rows) {
  const std::lock_guard lock(mutex_);
  without_response_ += rows;
}

void RowNotes::add_outcome(std::int32_t outcome, std::span<const double> log_probabilities) {
  double mean = 0, square = 0;  // of the log loss, by the probabilities themselves
  for (const double log_p : log_probabilities) {
    const double p = std::exp(log_p);
    if (p == 0) continue;
    mean -= p * log_p;
    square += p * log_p * log_p;
  }
  const std::lock_guard lock(mutex_);
  ++outcomes_;
  loss_ -= log_probabilities[static_cast<std::size_t>(outcome)];
  foreseen_loss_ += mean;
  foreseen_variance_ += std::max(0.0, square - mean * mean);
}

// Where probabilities are right their log loss is their entropy, up to chance.
std::optional<std::string> RowNotes::overconfidence() const {
  constexpr double kStandardErrors = 4, kFactor = 1.5, kNoticeable = 0.05;
  const auto rows = static_cast<double>(outcomes_);
  const double loss = loss_ / rows, foreseen = foreseen_loss_ / rows;
  const double error = std::sqrt(foreseen_variance_) / rows;
  if (!(loss > foreseen + kStandardErrors * error && loss > kFactor * foreseen + kNoticeable))
    return std::nullopt;
  return fmt::format(
      "the log loss of {} rows is {:.3g} where the probabilities themselves imply {:.3g}: the model is "
      "overconfident, "
      "so do not rely on probabilities near 0 and 1",
      outcomes_, loss, foreseen);
}

void RowNotes::add_response(double mean, double response, double weight) {
  const double difference = mean - response, square = weight * weight;
  const std::lock_guard lock(mutex_);
  ++responses_;
  PredictedMeans& sums = means_of_responses_;
  sums.weight += weight;
  sums.predicted += weight * mean;
  sums.observed += weight * response;
  sums.size += weight * std::abs(response);
  sums.squared_weight += square;
  sums.difference += square * difference;
  sums.squared_difference += square * difference * difference;
}

// Where means are right they are those of the responses, on average and up to chance.
std::optional<std::string> RowNotes::biased_means() const {
  constexpr double kStandardErrors = 4, kNoticeable = 0.1;
  const PredictedMeans& sums = means_of_responses_;
  const double predicted = sums.predicted / sums.weight, observed = sums.observed / sums.weight;
  const double bias = predicted - observed;
  const double error = std::sqrt(std::max(0.0, sums.squared_difference - 2 * bias * sums.difference +
                                                   bias * bias * sums.squared_weight)) /
                       sums.weight;
  if (!(std::abs(bias) > kStandardErrors * error && std::abs(bias) > kNoticeable * sums.size / sums.weight))
    return std::nullopt;
  return fmt::format(
      "the predicted means of {} rows are {:.3g} on average where the responses are {:.3g}: do not rely on "
      "them; where tails are long few rows teach a mean, and the median (`quantiles` 0.5) is safer",
      responses_, predicted, observed);
}

void RowNotes::join(Ranks& ranks) {
  const std::lock_guard lock(mutex_);
  for (std::size_t* count : {&rows_, &missed_, &means_, &in_tail_, &deviations_, &made_by_tail_, &densities_,
                             &impossible_, &without_response_, &outcomes_, &responses_}) {
    const auto counts = gather_one(ranks, *count);
    *count = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  }
  PredictedMeans& means = means_of_responses_;
  for (double* sum :
       {&loss_, &foreseen_loss_, &foreseen_variance_, &means.weight, &means.predicted, &means.observed,
        &means.size, &means.squared_weight, &means.difference, &means.squared_difference}) {
    const auto sums = gather_one(ranks, *sum);
    *sum = std::accumulate(sums.begin(), sums.end(), 0.0);
  }
  const auto errors = gather_one(ranks, largest_error_), tolerances = gather_one(ranks, tolerance_);
  for (const double error : errors)
    if (!(error <= largest_error_)) largest_error_ = error;  // NaN stays
  tolerance_ = *std::max_element(tolerances.begin(), tolerances.end());
}

std::vector<std::string> RowNotes::texts() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> texts;
  if (without_response_ > 0)
    texts.push_back(fmt::format("rows without a response are left out: {}", without_response_));
  if (missed_ > 0)
    texts.push_back(fmt::format(
        "quadrature missed its tolerance of {:.2g} in {} of {} distributions: their probabilities may be "
        "off by up to {:.2g}, means and densities likewise",
        tolerance_, missed_, rows_, largest_error_));
  if (in_tail_ > 0)
    texts.push_back(fmt::format(
        "the mean of {} of {} rows lies beyond {:.0f}% of its own distribution: the tail dominates "
        "it; the median (`quantiles` 0.5) and other quantiles are sound",
        in_tail_, means_, 100 * kOutInTheTail));
  if (made_by_tail_ > 0)
    texts.push_back(
        fmt::format("the tail dominates the standard deviation of {} of {} rows: more than {:.0f}% of the "
                    "distribution lies within "
                    "one standard deviation of the mean; quantiles and intervals (`interval` 0.9) are sound",
                    made_by_tail_, deviations_, 100 * kWithinOne));
  if (impossible_ > 0)
    texts.push_back(
        fmt::format("the response of {} of {} rows lies outside the support of the learned distribution, so "
                    "its log-density is minus infinity; fit with a wider `support`",
                    impossible_, densities_));
  if (const auto text = overconfidence()) texts.push_back(*text);
  if (const auto text = biased_means()) texts.push_back(*text);
  return texts;
}

}  // namespace bl
