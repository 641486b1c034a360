#include "report/quality.hpp"

#include <cmath>
#include <map>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "report/html.hpp"

namespace bl::report {

namespace {

constexpr std::uint64_t kResamples = 100, kSeed = 1;

struct Reading {
  const char* name;
  const char* text;
};

const std::map<std::string, Reading>& readings() {
  static const std::map<std::string, Reading> all = {
      {"accuracy", {"Accuracy", "share of rows whose likeliest outcome is what happened"}},
      {"macro_f1", {"Macro F1", "harmonic mean of precision and recall, averaged over classes; 1 is best"}},
      {"auc", {"AUC", "chance that a row of the class scores above one that is not; 0.5 is guessing"}},
      {"log_loss", {"Log loss", "mean of −log probability given to what happened; 0 is best"}},
      {"brier", {"Brier score", "mean squared error of the probabilities; 0 is best"}},
      {"calibration_error",
       {"Calibration error", "mean distance between probabilities and how often they come true"}},
      {"rmse", {"RMSE", "root mean squared error of the predicted mean"}},
      {"mae", {"MAE", "mean absolute error of the predicted mean"}},
      {"r2", {"R²", "share of the variance explained by the predicted mean"}},
      {"log_likelihood", {"Log-likelihood", "log probability (density) of what happened; higher is better"}},
      {"crps", {"CRPS", "distance between the predicted distribution and what happened; 0 is best"}},
      {"coverage_90", {"Coverage of 90% intervals", "share of responses inside; 90% is right"}},
      {"interval_width_90", {"Width of 90% intervals", "on average, in units of the response"}},
      {"situations", {"Situations", "choices that were observed"}},
      {"null_log_likelihood", {"Null log-likelihood", "if all available alternatives were equally likely"}},
      {"rho_square", {"ρ²", "1 − log-likelihood / null log-likelihood; 0 is guessing"}},
      {"cross_entropy", {"Cross-entropy", "mean of −log probability of the chosen alternative; 0 is best"}}};
  return all;
}

// How often each row or group is drawn.
std::vector<double> drawn(const RandomStream& stream, std::uint64_t resample, std::size_t count) {
  std::vector<double> times(count, 0);
  for (std::size_t i = 0; i < count; ++i) times[stream.below(count, resample, i)] += 1;
  return times;
}

}  // namespace

std::vector<MetricWithError> resampled_errors(std::size_t rows, std::span<const double> weights,
                                              std::span<const std::int32_t> groups,
                                              const MetricsOfWeights& metrics_of) {
  std::vector<MetricWithError> out;
  for (Metric& metric : metrics_of(weights)) out.push_back({std::move(metric), std::nan("")});
  std::int32_t group_count = 0;
  for (const std::int32_t group : groups) group_count = std::max(group_count, group + 1);
  const std::size_t units = groups.empty() ? rows : static_cast<std::size_t>(group_count);
  if (units < 2) return out;
  const RandomStream stream(kSeed, Purpose::bootstrap);
  std::map<std::string, std::vector<double>> values;
  std::vector<double> resampled(rows);
  for (std::uint64_t r = 0; r < kResamples; ++r) {
    const std::vector<double> times = drawn(stream, r, units);
    for (std::size_t i = 0; i < rows; ++i)
      resampled[i] = (weights.empty() ? 1 : weights[i]) *
                     times[groups.empty() ? i : static_cast<std::size_t>(groups[i])];
    try {
      for (const Metric& metric : metrics_of(resampled)) values[metric.name].push_back(metric.value);
    } catch (const DataError&) {
      continue;  // all rows that were drawn have no weight
    }
  }
  for (MetricWithError& one : out) {
    const std::vector<double>& found = values[one.metric.name];
    double mean = 0, square = 0;
    for (const double value : found) mean += value / static_cast<double>(found.size());
    for (const double value : found) square += (value - mean) * (value - mean);
    if (found.size() > 1) one.error = std::sqrt(square / static_cast<double>(found.size() - 1));
  }
  return out;
}

std::string metrics_table(const std::vector<MetricWithError>& metrics, const std::string& rows) {
  HtmlTable out{.caption = "On " + escaped(rows) + ". After ± one standard error, by resampling these rows.",
                .columns = {"metric", "value", "what it is"},
                .rows = {}};
  for (const auto& [metric, error] : metrics) {
    const auto found = readings().find(metric.name);
    out.rows.push_back({found == readings().end() ? escaped(metric.name) : found->second.name,
                        with_error(metric.value, error),
                        found == readings().end() ? "" : found->second.text});
  }
  return table(out);
}

std::string headline(const std::vector<MetricWithError>& metrics, const std::vector<std::string>& names,
                     const std::string& rows) {
  std::string out;
  for (const std::string& name : names)
    for (const auto& [metric, error] : metrics)
      if (metric.name == name)
        out += std::string(out.empty() ? "" : " and ") + readings().at(name).name + " " +
               with_error(metric.value, error);
  return out.empty() ? out : out + " on " + escaped(rows);
}

}  // namespace bl::report
