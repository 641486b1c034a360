#include "predict/evaluation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/slices.hpp"
#include "bl/errors.hpp"
#include "compute/log_sum_exp.hpp"
#include "metrics/classification.hpp"
#include "metrics/distribution.hpp"
#include "metrics/regression.hpp"
#include "predict/number_distribution.hpp"
#include "predict/predicted_rows.hpp"
#include "predict/predicting.hpp"
#include "predict/row_quadrature.hpp"
#include "predict/row_sampler.hpp"

namespace bl {

namespace {

constexpr double kIntervalMass = 0.9;

MatrixView<const double> rows_of(const Matrix<double>& m, Index from, Index count) {
  if (m.cols() == 0) return {nullptr, count, 0, 0};
  return m.view().row_range(from, count);
}

// Log-normaliser of the continuous part given one class.
double log_normaliser(const gibbs::Utility& utility, const double* context, std::int32_t class_index,
                      RowNotes* notes) {
  constexpr double kTolerance = 1e-8;
  return utility.values() == 1
             ? row_distribution_1d(utility, context, class_index, kTolerance, notes).log_normalizer().value
             : row_distribution_2d(utility, context, class_index, notes).log_normalizer().value;
}

std::vector<Metric> point_metrics(const std::string& name, const std::vector<double>& truth,
                                  const std::vector<double>& mean, std::span<const double> weights) {
  return {{"rmse." + name, metrics::root_mean_squared_error(truth, mean, weights)},
          {"mae." + name, metrics::mean_absolute_error(truth, mean, weights)},
          {"r2." + name, metrics::r_squared(truth, mean, weights)}};
}

// Several continuous responses: means by quadrature in two dimensions (and the joint log-likelihood), by
// draws beyond.
std::vector<Metric> many_response_metrics(const FittedModel& model, const gibbs::Utility& utility,
                                          const Matrix<double>& context, const Matrix<double>& values,
                                          std::span<const double> weights, const Context& job,
                                          RowNotes* notes) {
  // Enough for a mean over rows. It bounds the error of the coarser of two rules; the finer one is used.
  constexpr double kTolerance = 1e-3;
  const Index rows = values.rows(), dims = values.cols();
  Matrix<double> mean(rows, dims);
  std::vector<Metric> out;
  if (dims == 2) {
    std::vector<double> log_density(static_cast<std::size_t>(rows));
    double log_scale = 0;
    for (const std::size_t k : model.space.continuous_responses)
      log_scale += std::log(model.stored.encoder.responses()[k].scale);
    const auto put = [&](Index from, Index count, const gibbs::Distribution2d& distribution) {
      const auto moments = distribution.moments();
      const std::span<double> out_rows =
          std::span(log_density).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(count));
      distribution.log_density(values.view().row_range(from, count), out_rows);
      for (Index i = from; i < from + count; ++i) {
        std::copy_n(moments.mean.begin(), 2, mean.row(i));
        log_density[static_cast<std::size_t>(i)] -= log_scale;
        if (notes) notes->add_log_density(log_density[static_cast<std::size_t>(i)]);
      }
    };
    if (context.cols() == 0)
      put(0, rows, row_distribution_2d(utility, nullptr, gibbs::kAllClasses, notes));  // all rows have one
    else
      job.run(static_cast<std::size_t>(rows), [&](std::size_t at) {
        const auto i = static_cast<Index>(at);
        put(i, 1, row_distribution_2d(utility, context.row(i), gibbs::kAllClasses, notes, kTolerance));
      });
    out.push_back({"log_likelihood", metrics::mean_log_likelihood(log_density, weights)});
  } else {
    RowSamplerOptions options;
    options.draws = 400;
    const RowSamples samples = sample_rows(utility, context, options, job);
    for (Index i = 0; i < rows; ++i)
      for (Index k = 0; k < dims; ++k) {
        double sum = 0;
        for (Index d = 0; d < options.draws; ++d) sum += samples.values(i * options.draws + d, k);
        mean(i, k) = sum / static_cast<double>(options.draws);
      }
  }
  for (Index k = 0; k < dims; ++k) {
    const ResponseEncoding& response =
        model.stored.encoder.responses()[model.space.continuous_responses[static_cast<std::size_t>(k)]];
    std::vector<double> truth, predicted;
    for (Index i = 0; i < rows; ++i) {
      truth.push_back(values(i, k) * response.scale + response.mean);
      predicted.push_back(mean(i, k) * response.scale + response.mean);
    }
    for (Metric& metric : point_metrics(response.name, truth, predicted, weights))
      out.push_back(std::move(metric));
  }
  return out;
}

}  // namespace

std::vector<Metric> class_metrics(std::span<const std::int32_t> truth,
                                  const Matrix<double>& log_probabilities, std::span<const double> weights) {
  Matrix<double> p(log_probabilities.rows(), log_probabilities.cols());
  std::transform(log_probabilities.flat().begin(), log_probabilities.flat().end(), p.flat().begin(),
                 [](double l) { return std::exp(l); });
  const auto predicted = metrics::top_class(p.view());
  std::vector<Metric> out;
  out.push_back({"accuracy", metrics::accuracy(truth, predicted, weights)});
  out.push_back({"macro_f1", metrics::macro_f1(truth, predicted, p.cols(), weights)});
  if (const auto auc = metrics::macro_auc(truth, p.view(), weights)) out.push_back({"auc", *auc});
  out.push_back({"log_loss", metrics::log_loss(truth, log_probabilities.view(), weights)});
  out.push_back({"brier", metrics::brier_score(truth, p.view(), weights)});
  out.push_back({"calibration_error", metrics::calibration_error(truth, p.view(), weights)});
  return out;
}

NumberRows number_rows(const gibbs::Utility& utility, const ResponseEncoding& response,
                       const Matrix<double>& context, std::vector<double> truth,
                       const std::vector<double>& levels, const Context& job, RowNotes* notes) {
  const std::size_t rows = truth.size();
  NumberRows r;
  r.truth = std::move(truth);
  for (std::vector<double>* numbers : {&r.mean, &r.log_density, &r.crps, &r.lower, &r.upper})
    numbers->resize(rows);
  r.quantiles.resize(static_cast<Index>(rows), static_cast<Index>(levels.size()));
  for_each_distribution(
      utility, response, context, PredictOptions().tolerance, job, notes,
      [](std::size_t row) { return fmt::format("row {}", row + 1); },
      [&](std::size_t at, const NumberDistribution& distribution) {
        const double y = r.truth[at];
        const auto interval = distribution.central_interval(kIntervalMass);
        r.mean[at] = distribution.mean();
        if (notes && distribution.transformed()) notes->add_mean(distribution.mean_in_tail(r.mean[at]));
        r.log_density[at] = distribution.log_density(y);
        if (notes) notes->add_log_density(r.log_density[at]);
        r.crps[at] = distribution.crps(y);
        r.lower[at] = interval.lower;
        r.upper[at] = interval.upper;
        for (std::size_t k = 0; k < levels.size(); ++k)
          r.quantiles(static_cast<Index>(at), static_cast<Index>(k)) = distribution.quantile(levels[k]);
      });
  return r;
}

std::vector<Metric> number_metrics(const NumberRows& r, std::span<const double> weights) {
  const auto intervals = metrics::interval_summary(r.truth, r.lower, r.upper, weights);
  const metrics::RowWeights average(weights, r.truth.size());
  return {{"rmse", metrics::root_mean_squared_error(r.truth, r.mean, weights)},
          {"mae", metrics::mean_absolute_error(r.truth, r.mean, weights)},
          {"r2", metrics::r_squared(r.truth, r.mean, weights)},
          {"log_likelihood", metrics::mean_log_likelihood(r.log_density, weights)},
          {"crps", average.mean([&](std::size_t i) { return r.crps[i]; })},
          {"coverage_90", intervals.coverage},
          {"interval_width_90", intervals.mean_width}};
}

Matrix<double> class_log_probabilities(const FittedModel& model, const gibbs::Utility& utility,
                                       const Matrix<double>& context, const Context& job, RowNotes* notes) {
  const Index rows = context.rows(), classes = model.space.classes();
  Matrix<double> out(rows, classes);
  if (utility.values() == 0) {
    for_row_blocks(job, rows, kPredictedBlock, [&](Index from, Index count) {
      utility.class_log_probabilities(rows_of(context, from, count), {nullptr, count, 0, 0},
                                      out.view().row_range(from, count));
    });
    return out;
  }
  if (utility.values() >
      2) {  // shares of draws, each class counted half a draw more so that none is impossible
    RowSamplerOptions options;
    options.draws = 400;
    const RowSamples samples = sample_rows(utility, context, options, job);
    for (Index i = 0; i < rows; ++i) {
      std::fill_n(out.row(i), classes, 0.5);
      for (Index d = 0; d < options.draws; ++d)
        out(i, samples.classes[static_cast<std::size_t>(i * options.draws + d)]) += 1;
      for (Index c = 0; c < classes; ++c)
        out(i, c) =
            std::log(out(i, c) / (static_cast<double>(options.draws) + 0.5 * static_cast<double>(classes)));
    }
    return out;
  }
  job.run(static_cast<std::size_t>(rows), [&](std::size_t at) {
    job.require_going();
    const auto i = static_cast<Index>(at);
    const std::span<double> row(out.row(i), static_cast<std::size_t>(classes));
    for (Index c = 0; c < classes; ++c)
      row[static_cast<std::size_t>(c)] = log_normaliser(utility, context.cols() ? context.row(i) : nullptr,
                                                        static_cast<std::int32_t>(c), notes);
    log_softmax(row);
  });
  return out;
}

namespace {

// Each row's numbers, of all rows.
NumberRows all_number_rows(const PredictedRows& part, const gibbs::Utility& utility,
                           const ResponseEncoding& response, const std::vector<double>& truth,
                           const Context& job, RowNotes* notes) {
  const auto first = truth.begin() + part.first();
  NumberRows out;
  part.predict([&] {
    out = number_rows(utility, response, part.encoded().features, {first, first + part.count()}, {}, job,
                      notes);
  });
  for (std::vector<double>* numbers : {&out.mean, &out.log_density, &out.crps, &out.lower, &out.upper})
    part.gather(*numbers);
  out.truth = truth;
  return out;
}

void note_responses(const NumberRows& numbers, std::span<const double> weights, const PredictedRows& part,
                    RowNotes& notes) {
  const auto first = static_cast<std::size_t>(part.first()), count = static_cast<std::size_t>(part.count());
  for (std::size_t i = first; i < first + count; ++i)
    notes.add_response(numbers.mean[i], numbers.truth[i], weights.empty() ? 1.0 : weights[i]);
}

}  // namespace

Matrix<double> class_log_probabilities(const FittedModel& model, const gibbs::Utility& utility,
                                       const PredictedRows& part, const Context& job, RowNotes* notes) {
  Matrix<double> log_p;
  part.predict([&] { log_p = class_log_probabilities(model, utility, part.encoded().features, job, notes); });
  part.gather(log_p);
  return log_p;
}

JudgedClasses judged_classes(const FittedModel& model, const PredictedRows& part, const Table& table,
                             std::span<const Index> rows, const gibbs::Utility& utility, const Context& job,
                             RowNotes* notes) {
  JudgedClasses out{model.space.combine(part.encoded().classes),
                    class_log_probabilities(model, utility, part, job, notes)};
  const Matrix<double>& log_p = out.log_probability;
  for (Index i = 0; i < log_p.rows(); ++i)
    if (std::isnan(log_p(i, 0)))
      throw NumericError(
          fmt::format("{}: the probabilities are not finite numbers; the model's parameters or "
                      "the row's values are too large",
                      table.place(rows[static_cast<std::size_t>(i)])));
  for (Index i = part.first(); notes && i < part.first() + part.count(); ++i)
    notes->add_outcome(out.truth[static_cast<std::size_t>(i)],
                       {log_p.row(i), static_cast<std::size_t>(log_p.cols())});
  return out;
}

std::vector<Metric> evaluate_rows(const FittedModel& model, const Encoder& encoder, const Table& table,
                                  std::span<const Index> rows, const gibbs::Utility& utility,
                                  const Context& job, RowNotes* notes, const SharedTable* shared) {
  return evaluate_rows(model, PredictedRows(encoder, table, shared, rows), table, rows, utility, job, notes);
}

std::vector<Metric> evaluate_rows(const FittedModel& model, const PredictedRows& part, const Table& table,
                                  std::span<const Index> rows, const gibbs::Utility& utility,
                                  const Context& job, RowNotes* notes) {
  const Encoded<double>& encoded = part.encoded();
  std::vector<Metric> out;
  if (model.space.classes() > 0) {
    const JudgedClasses judged = judged_classes(model, part, table, rows, utility, job, notes);
    out = class_metrics(judged.truth, judged.log_probability, encoded.weights);
  }
  std::vector<Metric> more;
  if (model.space.values() == 1) {
    const ResponseEncoding& response = model.stored.encoder.responses()[model.space.continuous_responses[0]];
    const Column& column = table.column(response.name);
    std::vector<double> truth;
    for (const Index row : rows) truth.push_back(column.numbers[static_cast<std::size_t>(row)]);
    const NumberRows numbers = all_number_rows(part, utility, response, truth, job, notes);
    if (notes) note_responses(numbers, encoded.weights, part, *notes);
    more = number_metrics(numbers, encoded.weights);
  }
  if (model.space.values() > 1)
    more = many_response_metrics(model, utility, encoded.features, encoded.continuous, encoded.weights, job,
                                 notes);
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

std::vector<Index> judged_rows(const FittedModel& model, const Table& table, Part part, RowNotes* notes,
                               const SharedTable* shared) {
  std::vector<Index> rows = rows_to_judge(model, table, part, shared);
  if (notes != nullptr && part == Part::all && (shared == nullptr || shared->ranks->rank() == 0))
    notes->add_without_response(static_cast<std::size_t>(table.rows) - rows.size());
  return rows;
}

Evaluation evaluate_table(const FittedModel& model, const Table& table, Part part,
                          const PredictOptions& options, const Context& job, const SharedTable* shared) {
  require_metric_options(options);
  HeardNotes heard(options.on_note);
  const std::vector<Index> rows = judged_rows(model, table, part, heard.notes(), shared);
  Evaluation out{rows.size(),
                 evaluate_rows(model, encoder_for(model, part, options), table, rows,
                               utility_at(model, options.temperature), job, heard.notes(), shared)};
  if (RowNotes* notes = heard.notes(); notes != nullptr && shared != nullptr) notes->join(*shared->ranks);
  heard.tell();
  return out;
}

}  // namespace bl
