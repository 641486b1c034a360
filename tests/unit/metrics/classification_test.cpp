#include "metrics/classification.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "bl/errors.hpp"

namespace bl::metrics {
namespace {

using testing::ElementsAre;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kTolerance = 1e-14;  // eight rows of numbers of order one

// The cases of the constants below (scikit-learn 1.9.1, numpy):
//   y = [0, 1, 2, 2, 1, 0, 2, 1]; w = [1, 2, .5, 1, 3, 1, .25, 2]; P as kP; pred = P.argmax(1)
//   accuracy_score(y, pred), f1_score(y, pred, average="macro"), confusion_matrix(y, pred),
//   roc_auc_score(y, P, multi_class="ovr", average="macro"), log_loss(y, P), brier_score_loss(y, P),
//   each also with sample_weight=w; binary: y > 0 with the scores P[:, 1].
//   Calibration: b = np.digitize(P.max(1), np.linspace(0, 1, 16), right=True), then over the bins the sum of
//   w[b == k].sum() / w.sum() * abs(np.average(right[b == k] - P.max(1)[b == k], weights=w[b == k]))
const std::vector<std::int32_t> kY{0, 1, 2, 2, 1, 0, 2, 1};
const std::vector<double> kW{1, 2, 0.5, 1, 3, 1, 0.25, 2};
const std::vector<double> kP{.7, .2, .1, .1,  .6, .3,  .2, .2, .6, .1, .5, .4,
                             .3, .4, .3, .25, .5, .25, .1, .1, .8, .3, .3, .4};

Probabilities matrix(const std::vector<double>& values, Index cols) {
  return {values.data(), static_cast<Index>(values.size()) / cols, cols, cols};
}
const Probabilities kProbabilities = matrix(kP, 3);

double log_loss_from(Labels truth, Probabilities probabilities, Weights weights = {}) {
  std::vector<double> logs;
  for (Index i = 0; i < probabilities.rows; ++i)
    for (Index k = 0; k < probabilities.cols; ++k) logs.push_back(std::log(probabilities(i, k)));
  return log_loss(truth, matrix(logs, probabilities.cols), weights);
}

// Class 0 against the rest, scored by the middle column; as scores and as two columns.
std::vector<std::int32_t> binary_truth() {
  std::vector<std::int32_t> truth;
  for (const auto y : kY) truth.push_back(y > 0 ? 1 : 0);
  return truth;
}
std::vector<double> binary_scores() {
  std::vector<double> scores;
  for (std::size_t i = 0; i < kY.size(); ++i) scores.push_back(kP[3 * i + 1]);
  return scores;
}
std::vector<double> binary_columns() {
  std::vector<double> columns;
  for (const double p : binary_scores()) columns.insert(columns.end(), {1.0 - p, p});
  return columns;
}

TEST(Classification, ClassesAgreeWithScikitLearn) {
  const auto predicted = top_class(kProbabilities);
  EXPECT_THAT(predicted, ElementsAre(0, 1, 2, 1, 1, 1, 2, 2));
  EXPECT_NEAR(accuracy(kY, predicted), 0.625, kTolerance);
  EXPECT_NEAR(accuracy(kY, predicted, kW), 0.627906976744186, kTolerance);
  EXPECT_NEAR(macro_f1(kY, predicted, 3), 0.6349206349206349, kTolerance);
  EXPECT_NEAR(macro_f1(kY, predicted, 3, kW), 0.5714285714285714, kTolerance);
  EXPECT_THAT(confusion_matrix(kY, predicted, 3).flat(), ElementsAre(1, 1, 0, 0, 2, 1, 0, 1, 2));
  EXPECT_THAT(confusion_matrix(kY, predicted, 3, kW).flat(), ElementsAre(1, 1, 0, 0, 5, 2, 0, 1, .75));
}

TEST(Classification, ProbabilitiesAgreeWithScikitLearn) {
  EXPECT_NEAR(macro_auc(kY, kProbabilities).value(), 0.8444444444444444, kTolerance);
  EXPECT_NEAR(macro_auc(kY, kProbabilities, kW).value(), 0.7566137566137566, kTolerance);
  EXPECT_NEAR(log_loss_from(kY, kProbabilities), 0.7530397964973825, kTolerance);
  EXPECT_NEAR(log_loss_from(kY, kProbabilities, kW), 0.851063050088432, kTolerance);
  EXPECT_NEAR(brier_score(kY, kProbabilities), 0.434375, kTolerance);
  EXPECT_NEAR(brier_score(kY, kProbabilities, kW), 0.5013953488372092, kTolerance);
  EXPECT_NEAR(calibration_error(kY, kProbabilities), 0.3125, kTolerance);
  EXPECT_NEAR(calibration_error(kY, kProbabilities, kW), 0.3116279069767442, kTolerance);
}

TEST(Classification, TwoClassesAgreeWithScikitLearn) {
  const auto truth = binary_truth();
  const auto columns = binary_columns();
  const Probabilities two = matrix(columns, 2);
  EXPECT_NEAR(macro_auc(truth, two).value(), 0.5, kTolerance);
  EXPECT_NEAR(macro_auc(truth, two, kW).value(), 0.6142857142857143, kTolerance);
  EXPECT_NEAR(brier_score(truth, two), 0.375, kTolerance);
  EXPECT_NEAR(brier_score(truth, two, kW), 0.32023255813953494, kTolerance);
  EXPECT_NEAR(log_loss_from(truth, two), 1.019068759728541, kTolerance);
  EXPECT_NEAR(log_loss_from(truth, two, kW), 0.852862529647068, kTolerance);
}

TEST(Classification, LogLossFromLogarithmsNeedsNoClipping) {
  std::vector<double> logs;
  for (const double p : kP) logs.push_back(std::log(p));
  EXPECT_NEAR(log_loss(kY, matrix(logs, 3), kW), 0.851063050088432, kTolerance);

  const std::vector<std::int32_t> truth{0, 1};
  const std::vector<double> far{-1000.0, 0.0, 0.0, -3000.0};
  EXPECT_EQ(log_loss(truth, matrix(far, 2)), 2000.0);
  const std::vector<double> impossible{0.0, 1.0, 0.5, 0.5};
  EXPECT_EQ(log_loss_from(truth, matrix(impossible, 2)), kInfinity);
  const std::vector<double> second_only{0.0, 1.0};
  EXPECT_EQ(log_loss_from(truth, matrix(impossible, 2), second_only), std::log(2.0));
}

TEST(Classification, AucCountsPairsAndHalvesTies) {
  constexpr std::size_t kRows = 60;
  const RandomStream random(5, Purpose::test);
  std::vector<std::int32_t> truth;
  std::vector<double> scores;
  std::vector<double> weights;
  for (std::size_t i = 0; i < kRows; ++i) {
    truth.push_back(static_cast<std::int32_t>(random.below(2, i, 0)));
    scores.push_back(static_cast<double>(random.below(10, i, 1)));  // many ties
    weights.push_back(static_cast<double>(random.below(4, i, 2)));  // some zero
  }
  double won = 0.0;
  double pairs = 0.0;
  for (std::size_t i = 0; i < kRows; ++i)
    for (std::size_t j = 0; j < kRows; ++j)
      if (truth[i] == 1 && truth[j] == 0) {
        const double w = weights[i] * weights[j];
        won += w * (scores[i] > scores[j] ? 1.0 : scores[i] == scores[j] ? 0.5 : 0.0);
        pairs += w;
      }
  std::vector<double> columns;
  for (const double score : scores) columns.insert(columns.end(), {1 - score / 16, score / 16});
  EXPECT_EQ(macro_auc(truth, matrix(columns, 2), weights).value(),
            won / pairs);  // sums of whole and half numbers: exact
}

TEST(Classification, AnAbsentClassIsLeftOutOfTheMeans) {
  const std::vector<std::int32_t> truth{0, 0, 2};
  const std::vector<std::int32_t> predicted{0, 2, 2};
  EXPECT_NEAR(macro_f1(truth, predicted, 3), 2.0 / 3.0,
              kTolerance);  // f1_score([0,0,2], [0,2,2], average="macro")
  const std::vector<std::int32_t> zeros{0, 0, 0};
  const std::vector<std::int32_t> mostly_one{0, 1, 1};
  EXPECT_NEAR(macro_f1(zeros, mostly_one, 4), 0.25,
              kTolerance);  // f1_score([0,0,0], [0,1,1], average="macro")

  // Class 1 absent: classes 0 and 2 have AUC 0.5 and 1.
  const std::vector<double> p{.5, .3, .2, .1, .6, .3, .3, .2, .5};
  EXPECT_NEAR(macro_auc(truth, matrix(p, 3)).value(), 0.75, kTolerance);
}

TEST(Classification, TheSecondColumnTellsSmallProbabilitiesApart) {
  const std::vector<std::int32_t> truth{0, 1};
  const std::vector<double> rounded{1.0, 1e-20, 1.0, 2e-20};  // the first column is tied
  EXPECT_EQ(macro_auc(truth, matrix(rounded, 2)), 1.0);
}

TEST(Classification, OneClassHasNoAuc) {
  const std::vector<std::int32_t> ones{1, 1};
  const std::vector<double> p{.2, .8, .4, .6};
  EXPECT_FALSE(macro_auc(ones, matrix(p, 2)));
  const std::vector<double> p3{.2, .7, .1, .4, .5, .1};
  EXPECT_FALSE(macro_auc(ones, matrix(p3, 3)));
  const std::vector<std::int32_t> both{0, 1};
  const std::vector<double> second_only{0, 1};
  EXPECT_FALSE(macro_auc(both, matrix(p, 2), second_only));
}

TEST(Classification, CalibrationBinsAreClosedAbove) {
  // Right at 0.55 and wrong at 0.6 = 9 / 15: one bin, where the two gaps partly cancel.
  const std::vector<std::int32_t> truth{0, 1};
  const std::vector<double> same_bin{0.55, 0.45, 0.6, 0.4};
  EXPECT_NEAR(calibration_error(truth, matrix(same_bin, 2)), (0.6 - 0.45) / 2, kTolerance);
  const std::vector<double> next_bin{0.55, 0.45, 0.61, 0.39};
  EXPECT_NEAR(calibration_error(truth, matrix(next_bin, 2)), (0.61 + 0.45) / 2, kTolerance);
  const std::vector<double> certain{1.0, 0.0, 1.0, 0.0};
  EXPECT_NEAR(calibration_error(truth, matrix(certain, 2)), 0.5, kTolerance);
}

TEST(Classification, BadInputIsNamed) {
  const std::vector<std::int32_t> truth{0, 1};
  const std::vector<std::int32_t> none;
  const std::vector<std::int32_t> three{0, 1, 2};
  const std::vector<std::int32_t> negative{0, -1};
  const std::vector<double> nan{.5, .5, kNan, .5};
  const std::vector<double> above_one{.5, .5, -0.5, 1.5};
  const std::vector<double> good{.5, .5, .5, .5};
  EXPECT_THROW(accuracy(none, none), DataError);
  EXPECT_THROW(accuracy(truth, three), UsageError);
  EXPECT_THROW(confusion_matrix(three, three, 2), DataError);
  EXPECT_THROW(confusion_matrix(truth, negative, 2), DataError);
  EXPECT_THROW(brier_score(truth, matrix(nan, 2)), NumericError);
  EXPECT_THROW(brier_score(truth, matrix(above_one, 2)), NumericError);
  EXPECT_THROW(calibration_error(three, matrix(good, 2)), UsageError);
  EXPECT_THROW(log_loss(truth, matrix(nan, 2)), NumericError);
  try {
    macro_auc(truth, matrix(nan, 2));
    FAIL();
  } catch (const NumericError& e) {
    EXPECT_STREQ(e.what(), "row 2: nan is not a probability of class 0");
  }
}

TEST(Classification, BadWeightsAreNamed) {
  const std::vector<std::int32_t> truth{0, 1};
  const auto weighted = [&](const std::vector<double>& weights) { return accuracy(truth, truth, weights); };
  EXPECT_EQ(weighted({0.0, 3.0}), 1.0);
  EXPECT_THROW(weighted({1.0}), UsageError);
  EXPECT_THROW(weighted({1.0, -1.0}), DataError);
  EXPECT_THROW(weighted({1.0, kNan}), DataError);
  EXPECT_THROW(weighted({1.0, kInfinity}), DataError);
  EXPECT_THROW(weighted({0.0, 0.0}), DataError);
}

}  // namespace
}  // namespace bl::metrics
