#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "predict/evaluation.hpp"
#include "report/chart.hpp"
#include "report/html.hpp"
#include "report/quality.hpp"

namespace bl::report {

namespace {

constexpr std::size_t kPredictedRows = 3000, kLevels = 19, kGroups = 10;

// Shares of rows whose response lies between neighbouring quantiles: 20 bins that are alike where the
// distributions are right. A response that equals several quantiles (a point mass) is shared among their
// bins.
std::vector<double> pit_shares(const NumberRows& r) {
  std::vector<double> shares(kLevels + 1, 0);
  for (std::size_t i = 0; i < r.truth.size(); ++i) {
    const double* q = r.quantiles.row(static_cast<Index>(i));
    const auto first = static_cast<std::size_t>(std::lower_bound(q, q + kLevels, r.truth[i]) - q);
    const auto last = static_cast<std::size_t>(std::upper_bound(q, q + kLevels, r.truth[i]) - q);
    for (std::size_t bin = first; bin <= last; ++bin)
      shares[bin] += 1 / static_cast<double>((last - first + 1) * r.truth.size());
  }
  return shares;
}

// How often central intervals of 10%, 20%, ... 90% hold the response.
Line coverage(const NumberRows& r) {
  Line line{"", {}, {}};
  for (std::size_t k = kLevels / 2; k-- > 0;) {
    double inside = 0;
    for (std::size_t i = 0; i < r.truth.size(); ++i) {
      const double* q = r.quantiles.row(static_cast<Index>(i));
      inside += r.truth[i] >= q[k] && r.truth[i] <= q[kLevels - 1 - k] ? 1 : 0;
    }
    const auto rows = static_cast<double>(r.truth.size());
    const double share = inside / rows, error = 2 * std::sqrt(share * (1 - share) / rows);
    line.x.push_back(1 - 0.1 * static_cast<double>(k + 1));
    line.y.push_back(share);
    line.lower.push_back(std::max(0.0, share - error));
    line.upper.push_back(std::min(1.0, share + error));
  }
  return line;
}

// Rows by their predicted mean, in tenths: mean of the predictions and of the responses. No single row is
// shown.
Line observed_by_predicted(const NumberRows& r) {
  std::vector<std::size_t> order(r.truth.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return r.mean[a] < r.mean[b]; });
  Line line{"", {}, {}};
  for (std::size_t g = 0; g < kGroups; ++g) {
    const std::size_t from = g * order.size() / kGroups, to = (g + 1) * order.size() / kGroups;
    if (from == to) continue;
    const auto rows = static_cast<double>(to - from);
    double mean = 0, truth = 0, square = 0;
    for (std::size_t i = from; i < to; ++i) {
      mean += r.mean[order[i]] / rows;
      truth += r.truth[order[i]] / rows;
    }
    for (std::size_t i = from; i < to; ++i) square += std::pow(r.truth[order[i]] - truth, 2);
    const double error = rows > 1 ? 2 * std::sqrt(square / (rows - 1) / rows) : 0;
    line.x.push_back(mean);
    line.y.push_back(truth);
    line.lower.push_back(truth - error);
    line.upper.push_back(truth + error);
  }
  return line;
}

}  // namespace

Quality number_quality(const TableSubject& s) {
  const std::vector<Index> rows = thinned_rows(s.judged.places, kPredictedRows);
  const ResponseEncoding& response =
      s.fitted.stored.encoder.responses()[s.fitted.space.continuous_responses[0]];
  const Encoded<double> encoded = s.encoder.encode<double>(s.table, rows);
  std::vector<double> truth, levels;
  const Column& column = s.table.column(response.name);
  for (const Index row : rows) truth.push_back(column.numbers[static_cast<std::size_t>(row)]);
  for (std::size_t k = 1; k <= kLevels; ++k) levels.push_back(0.05 * static_cast<double>(k));
  const NumberRows r =
      number_rows(s.fitted.utility, response, encoded.features, std::move(truth), levels, s.job);
  const std::vector<MetricWithError> metrics = resampled_errors(
      rows.size(), encoded.weights, {}, [&](std::span<const double> w) { return number_metrics(r, w); });
  LineChart inside{.title = "Coverage of central intervals",
                   .x_label = "mass of the interval",
                   .y_label = "responses inside",
                   .lines = {coverage(r)},
                   .y_low = 0,
                   .y_high = 1,
                   .diagonal = true};
  LineChart tenths{.title = "Observed against predicted means",
                   .x_label = "predicted mean of " + response.name,
                   .y_label = "observed mean",
                   .lines = {observed_by_predicted(r)},
                   .diagonal = true};
  std::string out =
      metrics_table(metrics, s.judged.text) + "<div class=\"figures\">" +
      figure(
          "<b>PIT.</b> Where in its predicted distribution each response fell. Flat is right; a hump says "
          "the distributions are too wide, high ends say too narrow.",
          histogram_chart("Histogram of the probability integral transform", "predicted probability below",
                          pit_shares(r), 0, 1)) +
      figure(
          "<b>Coverage.</b> On the dotted line intervals hold as many responses as they promise. With two "
          "standard errors.",
          line_chart(inside)) +
      figure(
          "<b>Observed by predicted.</b> Means of tenths of the rows, with two standard errors; the dotted "
          "line is right.",
          line_chart(tenths)) +
      "</div>\n";
  return {std::move(out), headline(metrics, {"r2", "coverage_90"}, s.judged.text)};
}

}  // namespace bl::report
