#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "metrics/classification.hpp"
#include "predict/evaluation.hpp"
#include "report/chart.hpp"
#include "report/html.hpp"
#include "report/quality.hpp"

namespace bl::report {

namespace {

constexpr std::size_t kClassifiedRows = 20'000, kMostClasses = 6, kConfusionClasses = 24;
constexpr std::size_t kBins = 10, kCurvePoints = 120;

// Rows of one class against all others, by falling probability of it.
struct Ranked {
  std::vector<double> score, is_class, weight;
};

Ranked ranked(const Matrix<double>& p, const std::vector<std::int32_t>& truth,
              std::span<const double> weights, Index k) {
  std::vector<std::size_t> order(truth.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return p(static_cast<Index>(a), k) > p(static_cast<Index>(b), k);
  });
  Ranked out;
  for (const std::size_t i : order) {
    out.score.push_back(p(static_cast<Index>(i), k));
    out.is_class.push_back(truth[i] == k ? 1 : 0);
    out.weight.push_back(weights.empty() ? 1 : weights[i]);
  }
  return out;
}

struct Curves {
  Line roc, precision_recall;
};

// One point per distinct score, thinned to what a picture shows.
Curves curves_of(const Ranked& r, const std::string& label) {
  double positives = 0, negatives = 0, hits = 0, alarms = 0;
  for (std::size_t i = 0; i < r.score.size(); ++i) (r.is_class[i] > 0 ? positives : negatives) += r.weight[i];
  Curves out{{label, {0}, {0}}, {label, {}, {}}};
  if (!(positives > 0) || !(negatives > 0)) return out;
  const std::size_t step = std::max<std::size_t>(1, r.score.size() / kCurvePoints);
  for (std::size_t i = 0; i < r.score.size(); ++i) {
    (r.is_class[i] > 0 ? hits : alarms) += r.weight[i];
    const bool last = i + 1 == r.score.size();
    if (!last && (r.score[i + 1] == r.score[i] || i % step != 0)) continue;
    out.roc.x.push_back(alarms / negatives);
    out.roc.y.push_back(hits / positives);
    out.precision_recall.x.push_back(hits / positives);
    out.precision_recall.y.push_back(hits / (hits + alarms));
  }
  return out;
}

// Mean probability and share that came true, of tenths of the rows, with two standard errors of the share.
Line reliability(const Ranked& r, const std::string& label) {
  Line line{label, {}, {}};
  for (std::size_t bin = kBins; bin-- > 0;) {
    const std::size_t from = bin * r.score.size() / kBins, to = (bin + 1) * r.score.size() / kBins;
    double weight = 0, score = 0, share = 0;
    for (std::size_t i = from; i < to; ++i) {
      weight += r.weight[i];
      score += r.weight[i] * r.score[i];
      share += r.weight[i] * r.is_class[i];
    }
    if (!(weight > 0)) continue;
    share /= weight;
    const double error =
        2 * std::sqrt(share * (1 - share) / static_cast<double>(std::max<std::size_t>(1, to - from)));
    line.x.push_back(score / weight);
    line.y.push_back(share);
    line.lower.push_back(std::max(0.0, share - error));
    line.upper.push_back(std::min(1.0, share + error));
  }
  return line;
}

std::string confusion_table(const FittedModel& model, const Matrix<double>& counts) {
  const std::vector<std::string>& labels = model.space.class_labels;
  HtmlTable out{
      .caption = "Confusion: what happened in rows, what was likeliest in columns; share of the row",
      .columns = {"happened"},
      .rows = {}};
  for (const std::string& label : labels) out.columns.push_back(escaped(label));
  out.columns.emplace_back("rows");
  for (Index i = 0; i < counts.rows(); ++i) {
    const double sum = std::accumulate(counts.row(i), counts.row(i) + counts.cols(), 0.0);
    std::vector<std::string> row = {escaped(labels[static_cast<std::size_t>(i)])};
    for (Index j = 0; j < counts.cols(); ++j) {
      const double share = sum > 0 ? counts(i, j) / sum : 0;
      row.push_back(fmt::format("<span class=\"shade\" style=\"background-size:{:.0f}% 100%\">{}</span>",
                                100 * share, sum > 0 ? percent(share) : "–"));
    }
    row.push_back(number(sum));
    out.rows.push_back(std::move(row));
  }
  return table(out);
}

// Calibration, ROC and precision of the first classes; of two, of the second alone.
std::string probability_charts(const TableSubject& s, const Matrix<double>& p,
                               const std::vector<std::int32_t>& truth, const std::vector<double>& weights) {
  const bool two = p.cols() == 2;
  LineChart calibration{.title = "Calibration",
                        .x_label = "probability",
                        .y_label = "came true",
                        .lines = {},
                        .y_low = 0,
                        .y_high = 1,
                        .diagonal = true};
  LineChart roc{.title = "ROC",
                .x_label = "false alarms",
                .y_label = "hits",
                .lines = {},
                .y_low = 0,
                .y_high = 1,
                .diagonal = true};
  LineChart recall{.title = "Precision and recall",
                   .x_label = "recall",
                   .y_label = "precision",
                   .lines = {},
                   .y_low = 0,
                   .y_high = 1};
  std::vector<std::string> labels;
  for (Index k = two ? 1 : 0; k < std::min<Index>(p.cols(), kMostClasses); ++k) {
    labels.push_back(s.fitted.space.class_labels[static_cast<std::size_t>(k)]);
    const Ranked order = ranked(p, truth, weights, k);
    calibration.lines.push_back(reliability(order, labels.back()));
    if (!two) calibration.lines.back().lower.clear();
    Curves curves = curves_of(order, labels.back());
    roc.lines.push_back(std::move(curves.roc));
    recall.lines.push_back(std::move(curves.precision_recall));
  }
  return legend(labels) + "<div class=\"figures\">" +
         figure(
             "<b>Calibration.</b> On the dotted line probabilities mean what they say. Tenths of the rows, "
             "with two standard errors.",
             line_chart(calibration)) +
         figure(
             "<b>ROC.</b> The higher above the dotted line, the better rows of a class are told from others.",
             line_chart(roc)) +
         figure(
             "<b>Precision and recall.</b> Of the rows called so, how many are; of those that are, how many "
             "are called so.",
             line_chart(recall)) +
         "</div>\n";
}

}  // namespace

Quality class_quality(const TableSubject& s) {
  const std::vector<Index> rows = thinned_rows(s.judged.places, kClassifiedRows);
  const Encoded<double> encoded = s.encoder.encode<double>(s.table, rows);
  const auto truth = s.fitted.space.combine(encoded.classes);
  const Matrix<double> log_p = class_log_probabilities(s.fitted, s.fitted.utility, encoded.features, s.job);
  Matrix<double> p(log_p.rows(), log_p.cols());
  std::transform(log_p.flat().begin(), log_p.flat().end(), p.flat().begin(),
                 [](double l) { return std::exp(l); });
  const std::vector<MetricWithError> metrics =
      resampled_errors(rows.size(), encoded.weights, {},
                       [&](std::span<const double> w) { return class_metrics(truth, log_p, w); });
  std::string out = metrics_table(metrics, s.judged.text);
  out += probability_charts(s, p, truth, encoded.weights);
  if (p.cols() <= static_cast<Index>(kConfusionClasses))
    out += confusion_table(
        s.fitted, metrics::confusion_matrix(truth, metrics::top_class(p.view()), p.cols(), encoded.weights));
  return {std::move(out), headline(metrics, {"accuracy", "auc"}, s.judged.text)};
}

Quality other_quality(const TableSubject& s) {
  std::vector<MetricWithError> metrics;
  for (Metric& metric : evaluate_rows(s.fitted, s.encoder, s.table, thinned_rows(s.judged.places, 500),
                                      s.fitted.utility, s.job))
    metrics.push_back({std::move(metric), kNone});
  return {metrics_table(metrics, s.judged.text), ""};
}

}  // namespace bl::report
