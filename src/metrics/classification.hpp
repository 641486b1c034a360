// Metrics of predicted classes and class probabilities. Classes are 0 ... K - 1, probabilities rows x K.
// The values are scikit-learn's wherever it defines them; where it does not, the text here says what they
// are.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "metrics/rows.hpp"

namespace bl::metrics {

using Labels = std::span<const std::int32_t>;
using Probabilities = MatrixView<const double>;

// The most probable class of each row; the lowest index among equals.
std::vector<std::int32_t> top_class(Probabilities probabilities);

// Share of rows whose class is predicted.
double accuracy(Labels truth, Labels predicted, Weights weights = {});

// K x K, entry (i, j): weight of the rows of class i predicted as j.
Matrix<double> confusion_matrix(Labels truth, Labels predicted, Index classes, Weights weights = {});

// Mean over classes of F1 = 2 TP / (2 TP + FP + FN); a class that is neither present nor predicted does not
// count.
double macro_f1(Labels truth, Labels predicted, Index classes, Weights weights = {});

// Area under the ROC curve. With two classes: the chance that the second column is higher in a row of class 1
// than in one of class 0, ties counting one half. With more: mean over classes of the AUC of that class
// against all others, over the classes present; nothing where only one is.
std::optional<double> macro_auc(Labels truth, Probabilities probabilities, Weights weights = {});

// -mean log p(class). Nothing is clipped: infinite where a class that occurs was given probability zero. From
// logarithms: a probability below 1e-308 is no longer a number.
double log_loss(Labels truth, MatrixView<const double> log_probabilities, Weights weights = {});

// mean over rows of sum_k (p_k - [class = k])^2, in [0, 2]; with two classes half of that, which is the
// square of the one probability's error.
double brier_score(Labels truth, Probabilities probabilities, Weights weights = {});

// Expected calibration error: rows fall into 15 bins of equal width ((b - 1) / 15, b / 15] by the probability
// of their top class; the mean over rows of |accuracy - mean probability| of the bin.
double calibration_error(Labels truth, Probabilities probabilities, Weights weights = {});

}  // namespace bl::metrics
