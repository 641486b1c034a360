#include "bl/inference.hpp"
#include "base/context.hpp"

#include <fmt/format.h>

#include <utility>

#include "bl/errors.hpp"
#include "choice/beyond.hpp"
#include "choice/estimation.hpp"
#include "economics/delta.hpp"
#include "features/beyond_names.hpp"
#include "features/linear_terms.hpp"
#include "model/parameters.hpp"
#include "summary/curve_estimates.hpp"
#include "summary/estimation.hpp"
#include "summary/inference_summary.hpp"
#include "summary/stored_estimate.hpp"

namespace bl {

namespace {

void check(const FittedModel& model, const InferenceOptions& options) {
  check_options(options);
  if (const ChoiceResponse* choice = model.stored.choice()) check_for_choice(*choice, options);
}

void name_columns(const FittedModel& model, InferenceSummary& out) {
  out.response = response_name(model);
  if (const ChoiceResponse* choice = model.stored.choice()) {
    if (choice->schema.linear)
      out.terms = term_definitions(choice->schema, choice->alternatives);
    else
      out.columns = choice->schema.attributes;
    out.columns.insert(out.columns.end(), choice->schema.context.begin(), choice->schema.context.end());
    return;
  }
  for (const FeatureEncoding& one : model.stored.encoder.features()) out.columns.push_back(one.name);
}

// The information has a row and a column for every parameter.
void refuse_large(const FittedModel& model) {
  constexpr Index kMostParameters = 2000;
  const Index count = ParameterLayout(model.stored.architecture).free_count();
  if (count > kMostParameters)
    throw UsageError(fmt::format(
        "the model has {} parameters, and standard errors are computed for at most "
        "{}; fit one block of few heads (`single`, `heads` = 1,0,0 or 1,1,0), or fewer blocks (`layers`){}",
        count, kMostParameters,
        model.stored.choice() != nullptr ? ""
                                         : ", or let `simplify` find a problem that can be read in full"));
}

// Those that a summary is about.
const std::vector<double>& parameters_of(const StoredModel& stored) {
  const ChoiceResponse* choice = stored.choice();
  return choice != nullptr && choice->schema.beyond_logit() ? choice->beyond : stored.parameters;
}

// The model at the estimate, with its covariances.
StoredModel with_estimate(const FittedModel& m, Estimation& found, const Table& table) {
  StoredModel stored = m.stored;
  if (stored.choice() != nullptr && stored.choice()->schema.beyond_logit())
    set_beyond(stored, found.estimate.chart.raw);
  else
    stored.parameters = found.estimate.chart.raw;
  stored.single_precision = false;
  stored.inference = std::move(found.stored);
  stored.inference->facts["digest"] = table_digest(table);
  return stored;
}

}  // namespace

bool has_inference(const Model& model) {
  const auto& inference = model.impl().stored.inference;
  return inference && inference->has_summary();
}

InferenceSummary stored_inference(const Model& model, const InferenceOptions& options) {
  const FittedModel& m = model.impl();
  check(m, options);
  if (!has_inference(model)) throw NeedsData("this model stores no standard errors; give the data");
  const std::pair<const char*, bool> of_rows[] = {{"cluster", !options.cluster.empty()},
                                                  {"bootstrap", options.bootstrap > 0},
                                                  {"starts", options.starts > 0},
                                                  {"reference", !options.reference.empty()},
                                                  {"device", options.device != "cpu"}};
  for (const auto& [name, is_given] : of_rows)
    if (is_given) throw NeedsData(fmt::format("`{}` is for estimates from rows; give the data", name));
  const StoredInference& stored = *m.stored.inference;
  const NamedModel named = named_model(m);
  InferenceSummary out = make_summary({.model = &named,
                                       .parameters = &parameters_of(m.stored),
                                       .stored = &stored,
                                       .covariance = stored_covariance(stored, options.covariance)},
                                      options);
  add_curves(m, stored_covariance(stored, options.covariance), options, out);
  describe_stored_covariance(stored, options.covariance, out);
  name_columns(m, out);
  return out;
}

Inference infer(const Model& model, const Data& data, const InferenceOptions& options) {
  const FittedModel& m = model.impl();
  check(m, options);
  refuse_large(m);
  const Table& table = data.impl().table;
  const Context job(options.threads,
                    {.should_stop = options.should_stop, .on_progress = options.on_progress});
  Estimation found = (model.is_choice() ? estimate_choice : estimate_table)(m, table, options, job);
  job.require_going();
  const NamedModel named = named_model(m);
  require_minimum(found.estimate, named);
  StoredModel stored = with_estimate(m, found, table);
  const inference::Bootstrap* resampled = found.resampled ? &*found.resampled : nullptr;
  InferenceSummary out = make_summary({.model = &named,
                                       .parameters = &parameters_of(stored),
                                       .stored = &*stored.inference,
                                       .covariance = found.estimate.entries,
                                       .bootstrap = resampled},
                                      options);
  describe_covariance(
      {.estimate = &found.estimate, .kind = found.kind, .columns = found.columns, .bootstrap = resampled},
      out);
  if (!found.device_note.empty()) out.notes.push_back(found.device_note);
  name_columns(m, out);
  Model estimated = model_of(std::move(stored));
  add_curves(estimated.impl(), found.estimate.entries, options, out);
  return {std::move(estimated), std::move(out), row_major(found.estimate.entries)};
}

std::vector<Quantity> delta_method(const Model& model,
                                   const std::function<std::vector<double>(const Model&)>& quantities,
                                   const std::string& covariance) {
  const std::vector<double> values = quantities(model);
  const std::vector<double> errors =
      delta_errors(model, covariance_for(model, covariance), values.size(), quantities);
  std::vector<Quantity> out;
  for (std::size_t q = 0; q < values.size(); ++q) out.push_back({values[q], errors[q]});
  return out;
}

Canonical canonical(const Model& model, const std::string& reference) {
  const FittedModel& m = model.impl();
  const ChoiceResponse* choice = m.stored.choice();
  if (choice != nullptr && (choice->schema.linear || choice->schema.beyond_logit()))
    throw UsageError((choice->schema.linear ? "a linear utility of choices" : beyond_words(choice->schema)) +
                     std::string(" has no other form; canonical forms are for networks"));
  inference::CanonicalForm form = inference::canonical_form(m.stored.architecture, m.stored.parameters,
                                                            {.reference = class_of(m, reference)});
  StoredModel stored = m.stored;
  stored.parameters = std::move(form.parameters);
  stored.single_precision = false;
  stored.inference.reset();
  return {model_of(std::move(stored)), std::move(form.notes)};
}

}  // namespace bl
