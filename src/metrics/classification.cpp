#include "metrics/classification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bl/errors.hpp"

namespace bl::metrics {
namespace {

void check_classes(const char* what, Labels labels, Index classes) {
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] < 0 || labels[i] >= classes)
      throw DataError(
          fmt::format("row {}: {} {} is not one of 0 to {}", i + 1, what, labels[i], classes - 1));
}

std::size_t row_count(Probabilities probabilities) {
  return static_cast<std::size_t>(probabilities.rows);
}

// Entries must lie in [low, high]; NaN does not.
void check_entries(Labels truth, MatrixView<const double> entries, double low, double high) {
  check_same_length("probabilities", row_count(entries), truth.size());
  check_classes("class", truth, entries.cols);
  for (Index i = 0; i < entries.rows; ++i)
    for (Index k = 0; k < entries.cols; ++k)
      if (const double p = entries(i, k); !(p >= low && p <= high))
        throw NumericError(fmt::format("row {}: {} is not a probability of class {}", i + 1, p, k));
}

void check_probabilities(Labels truth, Probabilities probabilities) {
  check_entries(truth, probabilities, 0.0, 1.0);
}

double entry_of_class(MatrixView<const double> entries, Labels truth, std::size_t row) {
  return entries(static_cast<Index>(row), truth[row]);
}

struct ScoredRow {
  double score;
  double weight;
  bool positive;
};

// Sorts the rows. Pairs of one row of each kind, weighted; those of equal score count one half.
std::optional<double> auc_of(std::span<ScoredRow> rows) {
  std::sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.score < b.score; });
  double won = 0.0;
  double positives = 0.0;
  double negatives = 0.0;
  for (std::size_t i = 0; i < rows.size();) {
    double tied_positives = 0.0;
    double tied_negatives = 0.0;
    const double score = rows[i].score;
    for (; i < rows.size() && rows[i].score == score; ++i)
      (rows[i].positive ? tied_positives : tied_negatives) += rows[i].weight;
    won += tied_positives * (negatives + 0.5 * tied_negatives);
    positives += tied_positives;
    negatives += tied_negatives;
  }
  if (positives == 0.0 || negatives == 0.0) return std::nullopt;
  return won / (positives * negatives);
}

}  // namespace

std::vector<std::int32_t> top_class(Probabilities probabilities) {
  std::vector<std::int32_t> top;
  top.reserve(row_count(probabilities));
  for (Index i = 0; i < probabilities.rows; ++i) {
    const double* row = probabilities.row(i);
    top.push_back(static_cast<std::int32_t>(std::max_element(row, row + probabilities.cols) - row));
  }
  return top;
}

double accuracy(Labels truth, Labels predicted, Weights weights) {
  check_same_length("predicted classes", predicted.size(), truth.size());
  return RowWeights(weights, truth.size()).mean([&](std::size_t i) {
    return truth[i] == predicted[i] ? 1.0 : 0.0;
  });
}

Matrix<double> confusion_matrix(Labels truth, Labels predicted, Index classes, Weights weights) {
  check_same_length("predicted classes", predicted.size(), truth.size());
  check_classes("class", truth, classes);
  check_classes("predicted class", predicted, classes);
  const RowWeights w(weights, truth.size());
  Matrix<double> counts(classes, classes);
  std::fill(counts.flat().begin(), counts.flat().end(), 0.0);
  for (std::size_t i = 0; i < truth.size(); ++i) counts(truth[i], predicted[i]) += w[i];
  return counts;
}

double macro_f1(Labels truth, Labels predicted, Index classes, Weights weights) {
  const Matrix<double> counts = confusion_matrix(truth, predicted, classes, weights);
  double sum = 0.0;
  Index seen = 0;
  for (Index k = 0; k < classes; ++k) {
    double row_and_column = 0.0;  // 2 TP + FP + FN
    for (Index j = 0; j < classes; ++j) row_and_column += counts(k, j) + counts(j, k);
    if (row_and_column == 0.0) continue;
    sum += 2.0 * counts(k, k) / row_and_column;
    ++seen;
  }
  return sum / static_cast<double>(seen);
}

std::optional<double> macro_auc(Labels truth, Probabilities probabilities, Weights weights) {
  check_probabilities(truth, probabilities);
  const RowWeights w(weights, truth.size());
  std::vector<ScoredRow> rows(truth.size());
  double sum = 0.0;
  int defined = 0;
  for (Index k = probabilities.cols == 2 ? 1 : 0; k < probabilities.cols; ++k) {
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i] = {probabilities(static_cast<Index>(i), k), w[i], truth[i] == k};
    if (const auto auc = auc_of(rows)) {
      sum += *auc;
      ++defined;
    }
  }
  if (defined == 0) return std::nullopt;
  return sum / defined;
}

double log_loss(Labels truth, MatrixView<const double> log_probabilities, Weights weights) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  check_entries(truth, log_probabilities, -kInfinity, std::numeric_limits<double>::max());
  return -RowWeights(weights, truth.size()).mean([&](std::size_t i) {
    return entry_of_class(log_probabilities, truth, i);
  });
}

double brier_score(Labels truth, Probabilities probabilities, Weights weights) {
  check_probabilities(truth, probabilities);
  const double sum = RowWeights(weights, truth.size()).mean([&](std::size_t i) {
    double squares = 0.0;
    for (Index k = 0; k < probabilities.cols; ++k) {
      const double error = probabilities(static_cast<Index>(i), k) - (truth[i] == k ? 1.0 : 0.0);
      squares += error * error;
    }
    return squares;
  });
  return probabilities.cols == 2 ? 0.5 * sum : sum;
}

double calibration_error(Labels truth, Probabilities probabilities, Weights weights) {
  constexpr int kBins = 15;
  check_probabilities(truth, probabilities);
  const RowWeights w(weights, truth.size());
  const std::vector<std::int32_t> top = top_class(probabilities);
  std::array<double, kBins> gaps{};  // sum over the bin's rows of weight * (right - probability)
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double confidence = entry_of_class(probabilities, top, i);
    const int bin = std::clamp(static_cast<int>(std::ceil(confidence * kBins)) - 1, 0, kBins - 1);
    gaps[static_cast<std::size_t>(bin)] += w[i] * ((truth[i] == top[i] ? 1.0 : 0.0) - confidence);
  }
  double sum = 0.0;
  for (const double gap : gaps) sum += std::abs(gap);
  return sum / w.total();
}

}  // namespace bl::metrics
