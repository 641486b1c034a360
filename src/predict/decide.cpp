#include "bl/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "data/read_table.hpp"
#include "fitted/fitted_model.hpp"
#include "metrics/decision.hpp"
#include "predict/evaluation.hpp"
#include "predict/predicting.hpp"
#include "predict/prediction.hpp"

namespace bl {

namespace {

const FittedModel& of_classes(const Model& model) {
  const FittedModel& fitted = of_table(model, "a decision");
  if (fitted.space.classes() == 0 || fitted.space.values() > 0)
    throw UsageError("decisions are for models that predict a class alone");
  return fitted;
}

Matrix<double> cost_matrix(const Decision& decision, std::size_t classes) {
  const bool square = decision.costs.size() == classes &&
                      std::all_of(decision.costs.begin(), decision.costs.end(),
                                  [&](const std::vector<double>& row) { return row.size() == classes; });
  if (!square) throw UsageError(fmt::format("costs: expected {} rows of {} numbers", classes, classes));
  Matrix<double> out(static_cast<Index>(classes), static_cast<Index>(classes));
  for (std::size_t i = 0; i < classes; ++i)
    for (std::size_t j = 0; j < classes; ++j) {
      if (!std::isfinite(decision.costs[i][j])) throw UsageError("costs: a cost is not a finite number");
      out(static_cast<Index>(i), static_cast<Index>(j)) = decision.costs[i][j];
    }
  return out;
}

std::vector<double> macro_f1_weights(const FittedModel& model) {
  const auto& information = model.stored.information;
  const auto found = information.find("decide");
  if (found == information.end() || !found->is_object() || !found->contains("macro_f1"))
    throw UsageError(
        "the model has no weights for macro_f1: they are found at the fit, on validation rows, and this fit "
        "had "
        "none or was made by an earlier version");
  const auto& weights = (*found)["macro_f1"];
  std::vector<double> out;
  if (weights.is_array())
    for (const auto& one : weights)
      if (one.is_number()) out.push_back(one.get<double>());
  if (out.size() != static_cast<std::size_t>(model.space.classes()))
    throw ModelFileError("decide.macro_f1: expected a number for every class");
  return out;
}

std::vector<std::int32_t> decide(const FittedModel& model, const Decision& decision,
                                 const Matrix<double>& p) {
  if (decision.aim == Aim::cost)
    return metrics::cheapest_class(p.view(),
                                   cost_matrix(decision, static_cast<std::size_t>(p.cols())).view());
  if (decision.aim == Aim::accuracy) return metrics::top_class(p.view());
  Matrix<double> log_p(p.rows(), p.cols());
  std::transform(p.flat().begin(), p.flat().end(), log_p.flat().begin(),
                 [](double one) { return std::log(one); });
  return metrics::weighted_class(log_p.view(), macro_f1_weights(model));
}

Matrix<double> probabilities_of(const FittedModel& model, const OutputTable& predictions) {
  Matrix<double> p(static_cast<Index>(predictions.rows), model.space.classes());
  for (Index k = 0; k < p.cols(); ++k) {
    const std::string name = "p(" + model.space.class_labels[static_cast<std::size_t>(k)] + ")";
    const auto column = std::find_if(predictions.columns.begin(), predictions.columns.end(),
                                     [&](const OutputColumn& one) { return one.name == name; });
    for (std::size_t i = 0; i < predictions.rows; ++i) p(static_cast<Index>(i), k) = column->numbers[i];
  }
  return p;
}

}  // namespace

Aim aim_from_name(const std::string& name) {
  if (name == "accuracy") return Aim::accuracy;
  if (name == "macro_f1") return Aim::macro_f1;
  if (name == "cost") return Aim::cost;
  throw UsageError(fmt::format("`decide` = {}: expected accuracy, macro_f1 or cost", in_quotes(name)));
}

Decision decision_by_costs(const Model& model, const std::string& path) {
  const std::vector<std::string>& labels = of_classes(model).space.class_labels;
  const Table table = read_table(path, {});
  Decision out{.aim = Aim::cost};
  for (const std::string& truth : labels) {
    const Column& names = table.columns.front();
    Index line = 0;
    while (line < table.rows && names.cell_text(line) != truth) ++line;
    if (line == table.rows)
      throw DataError(fmt::format("{}: no line begins with the class {}", path, in_quotes(truth)));
    std::vector<double> row;
    for (const std::string& choice : labels) {
      const auto column = std::find_if(table.columns.begin() + 1, table.columns.end(),
                                       [&](const Column& one) { return one.name == choice; });
      if (column == table.columns.end())
        throw DataError(fmt::format("{}: there is no column for the class {}", path, in_quotes(choice)));
      if (column->raw != RawType::numeric || column->missing(line))
        throw DataError(fmt::format("{}: the cost of deciding {} where {} is true is not a number", path,
                                    in_quotes(choice), in_quotes(truth)));
      row.push_back(column->numbers[static_cast<std::size_t>(line)]);
    }
    out.costs.push_back(std::move(row));
  }
  return out;
}

OutputTable decided(const Model& model, const Decision& decision, OutputTable predictions) {
  const FittedModel& fitted = of_classes(model);
  const std::vector<std::int32_t> classes = decide(fitted, decision, probabilities_of(fitted, predictions));
  const auto column =
      std::find_if(predictions.columns.begin(), predictions.columns.end(),
                   [&](const OutputColumn& one) { return one.name == fitted.space.class_name; });
  for (std::size_t i = 0; i < classes.size(); ++i)
    column->texts[i] = fitted.space.class_labels[static_cast<std::size_t>(classes[i])];
  return predictions;
}

Evaluation evaluate_decisions(const Model& model, const Data& data, Part part, const Decision& decision,
                              const PredictOptions& options) {
  const FittedModel& fitted = of_classes(model);
  require_metric_options(options);
  const Table& table = data.impl().table;
  const Context job(options.threads);
  HeardNotes heard(options.on_note);
  const std::vector<Index> judged = judged_rows(fitted, table, part, heard.notes());
  const PredictedRows encoded(encoder_for(fitted, part, options), table, nullptr, judged);
  const auto& weights = encoded.encoded().weights;
  const auto [truth, log_p] = judged_classes(fitted, encoded, table, judged,
                                             utility_at(fitted, options.temperature), job, heard.notes());
  heard.tell();
  std::vector<Metric> metrics = class_metrics(truth, log_p, weights);
  Matrix<double> p(log_p.rows(), log_p.cols());
  std::transform(log_p.flat().begin(), log_p.flat().end(), p.flat().begin(),
                 [](double one) { return std::exp(one); });
  const std::vector<std::int32_t> classes = decide(fitted, decision, p);
  for (Metric& metric : metrics) {
    if (metric.name == "accuracy") metric.value = metrics::accuracy(truth, classes, weights);
    if (metric.name == "macro_f1") metric.value = metrics::macro_f1(truth, classes, p.cols(), weights);
  }
  if (decision.aim == Aim::cost) {
    const metrics::RowWeights average(weights, truth.size());
    metrics.push_back(
        {"mean_cost", average.mean([&, &truth = truth](std::size_t i) {
           return decision.costs[static_cast<std::size_t>(truth[i])][static_cast<std::size_t>(classes[i])];
         })});
  }
  return {judged.size(), std::move(metrics)};
}

}  // namespace bl
