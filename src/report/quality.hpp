// How good a model is on rows whose responses are known: metrics with errors, and the pictures that show
// where it fails.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bl/model.hpp"
#include "features/choice_data.hpp"
#include "report/subject.hpp"

namespace bl::report {

struct MetricWithError {
  Metric metric;
  double error = 0;
};

// Standard errors by resampling rows (or whole groups, where codes are given): each resample is a set of row
// weights. `metrics_of` is called with the rows' own weights first.
using MetricsOfWeights = std::function<std::vector<Metric>(std::span<const double> weights)>;
std::vector<MetricWithError> resampled_errors(std::size_t rows, std::span<const double> weights,
                                              std::span<const std::int32_t> groups,
                                              const MetricsOfWeights& metrics_of);

// The metrics as a table, each with a sentence that says what it is.
std::string metrics_table(const std::vector<MetricWithError>& metrics, const std::string& rows);

struct Quality {
  std::string html;
  std::string headline;  // "accuracy 0.868 ± 0.003 and AUC 0.921 ± 0.003 on 9768 test rows, ..."
};
// The metrics of these names, in one phrase.
std::string headline(const std::vector<MetricWithError>& metrics, const std::vector<std::string>& names,
                     const std::string& rows);

Quality class_quality(const TableSubject& subject);
Quality number_quality(const TableSubject& subject);
// Responses that have metrics only.
Quality other_quality(const TableSubject& subject);
Quality choice_quality(const FittedModel& model, const ChoiceData& data, const std::string& rows,
                       const Context& job);

}  // namespace bl::report
