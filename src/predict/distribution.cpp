#include "bl/distribution.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bl/errors.hpp"
#include "fitted/fitted_model.hpp"
#include "predict/evaluation.hpp"
#include "predict/log_density.hpp"
#include "predict/number_distribution.hpp"
#include "predict/row_quadrature.hpp"

namespace bl {

namespace {

constexpr double kLogDensityTolerance = 1e-8;
constexpr Index kMostDimensions = 2;  // whose normaliser quadrature can find

// Rows of data as the utility reads them.
struct GivenRows {
  Encoded<double> encoded;
  std::vector<std::int32_t> classes;
  gibbs::Utility utility;

  GivenRows(const FittedModel& model, const Table& table, std::span<const Index> rows,
            const DistributionOptions& options)
      : encoded(encoder_of(model, options).encode<double>(table, rows)),
        classes(model.space.combine(encoded.classes)),
        utility(options.temperature == 0 ? model.utility
                                         : model.utility.at_temperature(options.temperature)) {}

  static Encoder encoder_of(const FittedModel& model, const DistributionOptions& options) {
    const Encoder encoder = model.stored.encoder.without_weight();
    return options.treat_unseen_as_missing ? encoder.with_unseen(UnseenPolicy::missing) : encoder;
  }

  std::size_t rows() const { return static_cast<std::size_t>(encoded.features.rows()); }
  const double* context_row(Index row) const {
    return encoded.features.cols() ? encoded.features.row(row) : nullptr;
  }
  MatrixView<const double> context(Index row) const {
    return {context_row(row), 1, encoded.features.cols(), encoded.features.cols()};
  }
  MatrixView<const double> values(Index row) const {
    return {encoded.continuous.cols() ? encoded.continuous.row(row) : nullptr, 1, encoded.continuous.cols(),
            encoded.continuous.cols()};
  }
  Index class_of(std::size_t row) const { return classes.empty() ? 0 : classes[row]; }
};

// log p(v | x) of the continuous part, encoded units, of `count` rows that share the features of the first.
void continuous_log_density(const GivenRows& given, Index row, Index count, RowNotes* notes,
                            std::span<double> out) {
  const MatrixView<const double> values = given.encoded.continuous.view().row_range(row, count);
  if (given.utility.values() == 2)
    return row_distribution_2d(given.utility, given.context_row(row), gibbs::kAllClasses, notes)
        .log_density(values, out);
  row_distribution_1d(given.utility, given.context_row(row), gibbs::kAllClasses, kLogDensityTolerance, notes)
      .log_density({values.data, static_cast<std::size_t>(count)}, out);
}

}  // namespace

std::vector<double> log_density(const Model& model, const Data& data, const DistributionOptions& options) {
  const Table& table = data.impl().table;
  return log_density(model, table, all_rows(table.rows), options, Context(options.threads));
}

std::vector<double> log_density(const Model& model, const Table& table, std::span<const Index> rows,
                                const DistributionOptions& options, const Context& job) {
  const FittedModel& impl = of_table(model, "the density of a response");
  if (impl.space.values() > kMostDimensions)
    throw UsageError(fmt::format(
        "the density of {} continuous responses together is known up to a constant only; use the utility, "
        "whose differences over the temperature are differences of log-densities",
        impl.space.values()));
  const GivenRows given(impl, table, rows, options);
  HeardNotes heard(options.on_note);
  std::vector<double> out(given.rows(), 0);
  const Index classes = impl.space.classes();
  if (impl.space.values() == 0) {
    const Matrix<double> log_p = class_log_probabilities(impl, given.utility, given.encoded.features, job);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = log_p(static_cast<Index>(i), given.class_of(i));
    return out;
  }
  if (impl.space.single_continuous()) {
    const ResponseEncoding& response = impl.stored.encoder.responses()[impl.space.continuous_responses[0]];
    const Column& column = table.column(response.name);
    for_each_distribution(
        given.utility, response, given.encoded.features, kLogDensityTolerance, job, heard.notes(),
        [&](std::size_t row) { return table.place(rows[row]); },
        [&](std::size_t row, const NumberDistribution& distribution) {
          out[row] = distribution.log_density(column.numbers[static_cast<std::size_t>(rows[row])]);
          if (heard.notes()) heard.notes()->add_log_density(out[row]);
        });
    heard.tell();
    return out;
  }
  double log_scale = 0;
  for (const std::size_t k : impl.space.continuous_responses)
    log_scale += std::log(impl.stored.encoder.responses()[k].scale);
  const bool alike = given.encoded.features.cols() == 0 && !out.empty();
  if (alike) continuous_log_density(given, 0, static_cast<Index>(out.size()), heard.notes(), out);
  job.run(out.size(), [&](std::size_t i) {
    const auto row = static_cast<Index>(i);
    if (!alike) continuous_log_density(given, row, 1, heard.notes(), std::span(&out[i], 1));
    if (heard.notes()) heard.notes()->add_log_density(out[i]);
    out[i] -= log_scale;
    if (classes == 0) return;
    Matrix<double> log_p(1, classes);  // of each class given x and v
    given.utility.class_log_probabilities(given.context(row), given.values(row), log_p.view());
    out[i] += log_p(0, given.class_of(i));
  });
  heard.tell();
  return out;
}

std::vector<double> utility(const Model& model, const Data& data, const DistributionOptions& options) {
  const Table& table = data.impl().table;
  const GivenRows given(of_table(model, "the utility of a response"), table, all_rows(table.rows), options);
  const Context job(options.threads);
  std::vector<double> out(given.rows());
  job.run(out.size(), [&](std::size_t i) {
    const auto row = static_cast<Index>(i);
    Matrix<double> by_class(1, std::max<Index>(1, given.utility.classes()));
    given.utility.utilities(given.context(row), given.values(row), by_class.view());
    out[i] = by_class(0, given.class_of(i));
  });
  return out;
}

}  // namespace bl
