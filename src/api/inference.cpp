#include "bl/inference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "api/inference_model.hpp"
#include "api/inference_summary.hpp"
#include "api/inference_watch.hpp"
#include "api/model_rows.hpp"
#include "api/number_plan.hpp"
#include "api/part_data.hpp"
#include "api/plan.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "explain/read_problem.hpp"
#include "features/levels.hpp"
#include "inference/hypothesis.hpp"

namespace bl {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

Index reference_of(const Model::Impl& model, const std::string& label) {
  if (label.empty()) return 0;
  const auto& labels = model.space.class_labels;
  const auto found = std::find(labels.begin(), labels.end(), label);
  if (found == labels.end())
    throw UsageError(fmt::format("reference {} is no class of the response{}", in_quotes(label),
                                 did_you_mean(label, labels)));
  return static_cast<Index>(found - labels.begin());
}

// Numbers of the clusters of these rows.
std::vector<std::int32_t> cluster_numbers(const Table& table, const std::string& name,
                                          const std::vector<Index>& rows) {
  const std::vector<std::int32_t> codes = category_codes(table, table.column(name));
  std::vector<std::int32_t> out;
  for (const Index row : rows) out.push_back(codes[static_cast<std::size_t>(row)]);
  return out;
}

void name_columns(const Encoder& encoder, InferenceSummary& out) {
  for (const ResponseEncoding& one : encoder.responses())
    out.response += (out.response.empty() ? "" : ", ") + one.name;
  for (const FeatureEncoding& one : encoder.features()) out.columns.push_back(one.name);
}

// Refuses what shows that no likelihood ratio can be taken. That one model is a case of the other is not
// shown by what remains.
void require_nested(const InferenceSummary& small, const InferenceSummary& large) {
  const std::string test = "a likelihood-ratio test needs ";
  if (small.objective != "likelihood" || large.objective != "likelihood")
    throw UsageError(test + "two models learned by likelihood");
  if (small.choice.has_value() != large.choice.has_value())
    throw UsageError(test + "two models of the same rows, not one of choices and one of a table");
  if (small.response != large.response)
    throw UsageError(fmt::format("{}two models of the same response, not of {} and {}", test,
                                 in_quotes(small.response), in_quotes(large.response)));
  if (small.rows != large.rows || small.digest != large.digest)
    throw UsageError(fmt::format(
        "{}two models of the same rows, and {}", test,
        small.rows != large.rows ? fmt::format("these were estimated from {} and {}", small.rows, large.rows)
                                 : "these were estimated from different data"));
  if (!small.response_digest.empty() && !large.response_digest.empty() &&
      small.response_digest != large.response_digest)
    throw UsageError(test +
                     "two models of the same rows, and these took other parts of the data, or weighted them "
                     "otherwise; fit both with the same seed, fractions and weights");
  for (const std::string& name : small.columns)
    if (std::find(large.columns.begin(), large.columns.end(), name) == large.columns.end())
      throw UsageError(fmt::format(
          "{}one model nested in the other: the smaller one, of {} parameters, reads the column {}, which "
          "the larger one, of {}, does not",
          test, small.parameters, in_quotes(name), large.parameters));
}

// The rows of the fit where they are known, else all.
std::vector<Index> inference_rows(const Model::Impl& model, const Table& table) {
  return rows_of_part(model, table, is_fit_data(model, table) ? Part::train : Part::all);
}

// The rows of an estimate and what is minimised over them.
struct InferenceRows {
  Settings settings;  // of the fit
  std::vector<Index> rows;
  PartData<double> part;
  Network<double> network;
  Objective<double> objective;

  InferenceRows(const Model::Impl& m, const Table& table)
      : settings(fit_settings(m)),
        rows(inference_rows(m, table)),
        part(balanced_part(m, table, rows, settings)),
        network(m.stored.architecture),
        objective(network, objective_spec(m, settings), part.view()) {}
  InferenceRows(const InferenceRows&) = delete;
  InferenceRows& operator=(const InferenceRows&) = delete;

 private:
  static PartData<double> balanced_part(const Model::Impl& m, const Table& table,
                                        const std::vector<Index>& rows, const Settings& settings) {
    PartData<double> part(m.stored.encoder.with_unseen(UnseenPolicy::missing), m.space, table, rows,
                          settings.out_of_core);
    if (settings.class_weight == "balanced") balance_classes(part, m.space.classes());
    return part;
  }
  static ObjectiveSpec objective_spec(const Model::Impl& m, Settings settings) {
    settings.temperature = m.stored.temperature;
    ObjectiveSpec spec = plan_objective(settings, m.space, m.stored.support);
    use_exact_normaliser(settings, m.stored.architecture, m.stored.encoder, m.stored.support, spec);
    return spec;
  }
};

inference::EstimateSpec estimate_spec(const Model::Impl& m, const Table& table, const InferenceRows& from,
                                      const InferenceOptions& options) {
  inference::EstimateSpec spec;
  spec.minimiser.starts = options.starts;
  spec.minimiser.given = {m.stored.parameters};
  spec.minimiser.seed = static_cast<std::uint64_t>(from.settings.seed);
  spec.minimiser.reference = reference_of(m, options.reference);
  spec.covariance.kind = options.cluster.empty() ? inference::covariance_from_name(options.covariance)
                                                 : inference::CovarianceKind::cluster;
  for (const std::string& name : options.cluster)
    spec.covariance.clusters.push_back(cluster_numbers(table, name, from.rows));
  return spec;
}

std::optional<inference::Bootstrap> resampled_of(const Objective<double>& objective,
                                                 const inference::Estimate& e,
                                                 const inference::EstimateSpec& spec,
                                                 const InferenceOptions& options, ThreadPool& pool) {
  if (options.bootstrap == 0) return std::nullopt;
  const auto& clusters = spec.covariance.clusters;
  return inference::bootstrap(objective, e, spec,
                              {.resamples = options.bootstrap,
                               .seed = options.seed,
                               .clusters = clusters.empty() ? std::vector<std::int32_t>() : clusters[0]},
                              pool);
}

// The model at the estimate, with its covariances.
StoredModel with_estimate(const Model::Impl& m, const inference::Estimate& e,
                          const Objective<double>& objective, Index reference, const std::string& digest) {
  StoredModel stored = m.stored;
  stored.parameters = e.chart.raw;
  stored.single_precision = false;
  stored.inference = stored_of(e, objective, reference);
  stored.inference->facts["digest"] = digest;
  return stored;
}

}  // namespace

NamedModel named_model(const Model::Impl& model) {
  NamedModel named;
  named.architecture = model.stored.architecture;
  const explain::Problem problem = explain::read_problem(
      model.stored, {model.space.class_name, model.space.class_labels}, explain::Units::original);
  named.inputs.assign(problem.variables.begin(), problem.variables.begin() + named.architecture.input.size());
  if (named.architecture.form == Form::vector) named.outputs = model.space.class_labels;
  return named;
}

bool has_inference(const Model& model) {
  return model.impl().stored.inference.has_value();
}

InferenceSummary stored_inference(const Model& model, const InferenceOptions& options) {
  check_options(options);
  const Model::Impl& m = model.impl();
  if (!m.stored.inference)
    throw UsageError("this model stores no standard errors; give the data: bl summary MODEL DATA");
  if (!options.cluster.empty() || options.bootstrap > 0)
    throw UsageError("clusters and bootstraps are computed from rows; give the data: bl summary MODEL DATA");
  const NamedModel named = named_model(m);
  InferenceSummary out =
      make_summary({.model = &named,
                    .parameters = &m.stored.parameters,
                    .stored = &*m.stored.inference,
                    .covariance = stored_covariance(*m.stored.inference, options.covariance)},
                   options);
  describe_stored_covariance(*m.stored.inference, options.covariance, out);
  name_columns(m.stored.encoder, out);
  return out;
}

Inference infer(const Model& model, const Data& data, const InferenceOptions& options) {
  check_options(options);
  const Model::Impl& m = model.impl();
  const Table& table = data.impl().table;
  const InferenceRows from(m, table);
  inference::EstimateSpec spec = estimate_spec(m, table, from, options);
  InferenceWatch watch(options);
  watch.attach(spec);
  ThreadPool pool(options.threads);
  const inference::Estimate e = inference::estimate(from.objective, spec, pool);
  watch.require_going();
  const NamedModel named = named_model(m);
  require_minimum(e, named);

  StoredModel stored = with_estimate(m, e, from.objective, spec.minimiser.reference, table_digest(table));
  const auto resampled = resampled_of(from.objective, e, spec, options, pool);
  const inference::Bootstrap* bootstrap = resampled ? &*resampled : nullptr;
  InferenceSummary out = make_summary({.model = &named,
                                       .parameters = &stored.parameters,
                                       .stored = &*stored.inference,
                                       .covariance = e.entries,
                                       .bootstrap = bootstrap},
                                      options);
  describe_covariance(
      {.estimate = &e, .kind = spec.covariance.kind, .columns = options.cluster, .bootstrap = bootstrap},
      out);
  name_columns(m.stored.encoder, out);
  return {Model(std::make_shared<const Model::Impl>(std::move(stored))), std::move(out)};
}

HypothesisTest wald_test(const InferenceSummary& summary, const std::string& hypothesis) {
  std::vector<std::string> names;
  const auto size = static_cast<Index>(summary.estimates.size());
  Eigen::VectorXd estimates(size);
  Eigen::MatrixXd covariance(size, size);
  for (Index i = 0; i < size; ++i) {
    names.push_back(summary.estimates[static_cast<std::size_t>(i)].name);
    estimates(i) = summary.estimates[static_cast<std::size_t>(i)].estimate;
    for (Index j = 0; j < size; ++j)
      covariance(i, j) = summary.covariance_matrix[static_cast<std::size_t>(i * size + j)];
  }
  const inference::TestResult result =
      inference::wald(inference::parse_hypothesis(hypothesis, names), estimates, covariance);
  return {"Wald", hypothesis, result.statistic, result.degrees, result.p};
}

HypothesisTest likelihood_ratio_test(const InferenceSummary& a, const InferenceSummary& b) {
  const InferenceSummary& small = a.parameters <= b.parameters ? a : b;
  const InferenceSummary& large = a.parameters <= b.parameters ? b : a;
  require_nested(small, large);
  const inference::TestResult result = inference::likelihood_ratio(small.log_likelihood, small.parameters,
                                                                   large.log_likelihood, large.parameters);
  return {"likelihood ratio",
          fmt::format("the smaller model ({} of {} parameters)", small.parameters, large.parameters),
          result.statistic, result.degrees, result.p};
}

std::vector<Quantity> delta_method(const Model& model,
                                   const std::function<std::vector<double>(const Model&)>& quantities,
                                   const std::string& covariance) {
  const StoredModel& stored = model.impl().stored;
  if (!stored.inference)
    throw UsageError("this model stores no standard errors; run bl summary MODEL DATA --save");
  const Eigen::MatrixXd v = stored_covariance(*stored.inference, covariance);
  const inference::ParameterMap map(stored.architecture);
  const std::vector<double> effective = map.effective(stored.parameters);
  const auto at = [&](Index position, double change) {
    std::vector<double> values = effective;
    values[static_cast<std::size_t>(position)] += change;
    StoredModel moved = stored;
    moved.parameters = map.raw(values);
    return quantities(Model(std::make_shared<const Model::Impl>(std::move(moved))));
  };
  const std::vector<double> value = quantities(model);
  const auto count = static_cast<Index>(value.size()),
             size = static_cast<Index>(stored.inference->positions.size());
  Eigen::MatrixXd gradient(count, size);
  for (Index k = 0; k < size; ++k) {
    const Index position = stored.inference->positions[static_cast<std::size_t>(k)];
    const double size_of = std::abs(effective[static_cast<std::size_t>(position)]);
    // A thousandth of the error, where there is one; a weight that may not be negative stays positive.
    double step = std::isnan(v(k, k)) || v(k, k) == 0 ? 1e-4 * (1 + size_of) : 1e-3 * std::sqrt(v(k, k));
    if (map.tensor_at(position).sign == Sign::non_negative) step = std::min(step, 0.5 * size_of);
    const std::vector<double> up = at(position, step), down = at(position, -step);
    for (Index q = 0; q < count; ++q)
      gradient(q, k) = (up[static_cast<std::size_t>(q)] - down[static_cast<std::size_t>(q)]) / (2 * step);
  }
  std::vector<Quantity> out;
  for (Index q = 0; q < count; ++q) {
    const double largest = gradient.row(q).cwiseAbs().maxCoeff();
    double variance = 0;
    for (Index i = 0; i < size; ++i)
      for (Index j = 0; j < size; ++j) {
        const bool counts = std::min(std::abs(gradient(q, i)), std::abs(gradient(q, j))) > 1e-9 * largest;
        if (counts) variance += gradient(q, i) * v(i, j) * gradient(q, j);
      }
    out.push_back({value[static_cast<std::size_t>(q)], variance < 0 ? kUnknown : std::sqrt(variance)});
  }
  return out;
}

OutputTable economics_with_errors(const Model& model, const Data& data, const std::string& numeraire,
                                  const InferenceOptions& options) {
  const EconomicsOptions wanted{.numeraire = numeraire};
  const OutputTable table = economics(model, data, wanted);
  InferenceWatch watch(options);
  const inference::OnStep on_step = watch.on_step();
  // Of the estimate itself, and on both sides of it in every parameter.
  const Index evaluations =
      has_inference(model) ? 1 + 2 * static_cast<Index>(model.impl().stored.inference->positions.size()) : 0;
  Index done = 0;
  const auto numbers = [&](const Model& moved) {
    std::vector<double> out;
    for (const OutputColumn& column : economics(moved, data, wanted).columns)
      if (column.texts.empty()) out.insert(out.end(), column.numbers.begin(), column.numbers.end());
    on_step("derivatives of economics", ++done, evaluations);
    return out;
  };
  const std::vector<Quantity> quantities = delta_method(model, numbers, options.covariance);
  OutputTable out{.rows = table.rows, .columns = {}};
  std::size_t at = 0;
  for (const OutputColumn& column : table.columns) {
    out.columns.push_back(column);
    if (!column.texts.empty()) continue;
    OutputColumn errors{column.name + " s.e.", {}, {}};
    for (std::size_t i = 0; i < column.numbers.size(); ++i)
      errors.numbers.push_back(quantities[at++].standard_error);
    // What does not depend on the parameters (a column's mean) has no error to show.
    const bool exact =
        std::all_of(errors.numbers.begin(), errors.numbers.end(), [](double e) { return e == 0; });
    if (!exact) out.columns.push_back(std::move(errors));
  }
  return out;
}

Canonical canonical(const Model& model, const std::string& reference) {
  const Model::Impl& m = model.impl();
  inference::CanonicalForm form = inference::canonical_form(m.stored.architecture, m.stored.parameters,
                                                            {.reference = reference_of(m, reference)});
  StoredModel stored = m.stored;
  stored.parameters = std::move(form.parameters);
  stored.single_precision = false;
  stored.inference.reset();
  return {Model(std::make_shared<const Model::Impl>(std::move(stored))), std::move(form.notes)};
}

}  // namespace bl
