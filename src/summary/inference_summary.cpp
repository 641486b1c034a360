#include "summary/inference_summary.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/joined.hpp"
#include "base/text.hpp"
#include "base/unknown.hpp"
#include "bl/errors.hpp"
#include "features/linear_terms.hpp"
#include "fitted/choice_utility.hpp"
#include "inference/covariance.hpp"
#include "inference/distributions.hpp"
#include "plan/device_plan.hpp"
#include "summary/stored_estimate.hpp"

namespace bl {

namespace {

using nlohmann::json;

// Every number of the model by name.
std::vector<explain::Coefficient> coefficients_of(const NamedModel& model, bool standardised) {
  if (model.linear.empty())
    return explain::coefficients(model.architecture, model.inputs, model.outputs,
                                 standardised ? explain::Units::standardised : explain::Units::original);
  std::vector<explain::Coefficient> out;
  const Index weight =
      model.beyond.empty() ? ParameterLayout(model.architecture).tensor("layers/0/U/weight").offset : 0;
  for (std::size_t k = 0; k < model.linear.size(); ++k) {
    out.push_back({.name = model.linear[k]});
    out.back().parts.emplace_back(weight + static_cast<Index>(k), 1.0);
  }
  return out;
}

// States and effective values of all parameters.
inference::Chart chart_of(const NamedModel& model, const std::vector<double>& parameters, const json& facts) {
  if (model.linear.empty())
    return inference::make_chart(model.architecture, parameters, facts.value("reference", Index{0}));
  if (!model.beyond.empty()) {
    inference::Chart chart;
    chart.raw = chart.effective = parameters;
    chart.states.assign(parameters.size(), inference::ParameterState::free);
    return chart;
  }
  inference::Chart chart = inference::plain_chart(model.architecture, parameters, {});
  for (const json& position : facts.value("at_bound", json::array()))
    if (const auto at = position.get<std::size_t>(); at < chart.states.size())
      chart.states[at] = inference::ParameterState::at_bound;
  return chart;
}

// Of a model beyond the logit, which has no heads.
std::vector<std::string> beyond_words(const NamedModel& model,
                                      const std::vector<inference::Direction>& directions) {
  std::vector<std::string> out;
  for (const inference::Direction& direction : directions) {
    std::string text;
    for (const auto& [position, weight] : direction.entries)
      if (static_cast<std::size_t>(position) < model.linear.size())
        text +=
            fmt::format("{}{:.3g} {}", text.empty() ? (weight < 0 ? "-" : "") : (weight < 0 ? " - " : " + "),
                        std::abs(weight), model.linear[static_cast<std::size_t>(position)]);
    out.push_back("moving along " + text + " does not change the likelihood of these rows");
  }
  return out;
}

std::vector<std::string> words(const NamedModel& model, const std::vector<inference::Direction>& directions) {
  if (!model.beyond.empty()) return beyond_words(model, directions);
  const auto names = position_names(model);
  return inference::direction_words(inference::ParameterMap(model.architecture), directions, [&](Index i) {
    const auto found = names.find(i);
    return found == names.end() ? fmt::format("parameter {}", i) : found->second;
  });
}

std::vector<inference::Direction> stored_directions(const json& facts) {
  std::vector<inference::Direction> directions;
  for (const json& one : facts.value("directions", json::array())) {
    inference::Direction direction;
    for (const json& entry : one)
      direction.entries.emplace_back(entry.at(0).get<Index>(), entry.at(1).get<double>());
    directions.push_back(std::move(direction));
  }
  return directions;
}

// Coefficients that are held, with the reason, by position.
std::map<Index, std::string> held_reasons(const json& facts) {
  std::map<Index, std::string> out;
  for (const json& one : facts.value("held", json::array()))
    out.emplace(one.at(0).get<Index>(), one.at(1).get<std::string>());
  return out;
}

// Weights that run away, and what stands in their heads.
std::set<Index> positions_on_ridges(const NamedModel& model, const StoredInference& stored) {
  std::set<Index> out;
  for (const json& one : stored.facts.value("on_ridge", json::array())) out.insert(one.get<Index>());
  if (!model.beyond.empty()) return out;
  const inference::ParameterMap map(model.architecture);
  for (const json& one : stored.facts.value("runs_away", json::array())) {
    const auto lambda = one.get<Index>();
    out.insert(lambda);
    const inference::HeadPlace* head = map.head_at(lambda);
    for (Index k = 0; head != nullptr && k < head->columns; ++k) out.insert(head->weights + k);
    if (head != nullptr && head->bias >= 0) out.insert(head->bias);
  }
  return out;
}

std::string model_words(const NamedModel& model) {
  const Architecture& a = model.architecture;
  if (!model.beyond.empty()) return model.beyond;
  if (!model.linear.empty()) return "linear utility";
  if (!a.readout.present) return fmt::format("single block, degree {}", a.degree());
  const std::string widths =
      joined(a.layers, ",", [](const LayerSpec& layer) { return std::to_string(layer.blocks); });
  return fmt::format("{} form, layers [{}]", a.form == Form::scalar ? "scalar" : "vector", widths);
}

// What a normalised distribution cannot see in a utility that is added up to the output.
bool invisible(const explain::Coefficient& one, const Architecture& a) {
  return one.of_utility && !one.of_response && inference::linear_to_output(a, one.layer);
}

// The estimate, its error and what follows from them.
EstimatedParameter row_of(const std::string& name, double value, double variance, double level) {
  EstimatedParameter out;
  out.name = name;
  out.estimate = value;
  out.standard_error = std::sqrt(variance);
  out.z = value / out.standard_error;
  out.p = inference::normal_two_sided(out.z);
  const double width = inference::normal_quantile(0.5 + 0.5 * level) * out.standard_error;
  out.lower = value - width;
  out.upper = value + width;
  out.bootstrap_error = kUnknown;
  if (std::isnan(variance)) {
    out.z = out.p = kUnknown;
    out.state = "not identified";
  }
  return out;
}

void fill_facts(const StoredInference& stored, InferenceSummary& out) {
  const json& f = stored.facts;
  out.rows = f.at("rows").get<std::size_t>();
  out.objective = f.at("objective").get<std::string>();
  out.loss = f.at("loss").get<double>();
  out.gradient = f.at("gradient").get<double>();
  out.starts = f.at("starts").get<int>();
  out.parameters = f.at("parameters").get<int>();
  out.condition = f.at("condition").get<double>();
  out.smallest_eigenvalue = f.at("smallest_eigenvalue").get<double>();
  for (const json& one : f.at("optima"))
    out.optima.push_back(
        {one.at("loss").get<double>(), one.at("gradient").get<double>(), one.at("starts").get<int>()});
  for (const json& note : f.at("notes")) out.notes.push_back(note.get<std::string>());
  out.digest = f.value("digest", "");
  out.response_digest = f.value("response_digest", "");
  out.log_likelihood = out.aic = out.bic = kUnknown;
  if (out.objective == "likelihood") {
    out.log_likelihood = -out.loss * f.at("total_weight").get<double>();
    out.aic = 2 * out.parameters - 2 * out.log_likelihood;
    out.bic = out.parameters * std::log(static_cast<double>(out.rows)) - 2 * out.log_likelihood;
  }
  if (!f.contains("choice")) return;
  const json& c = f.at("choice");
  const double null = c.at("null_log_likelihood").get<double>();
  out.choice = {.alternatives = c.at("alternatives").get<std::size_t>(),
                .persons = c.at("persons").get<std::size_t>(),
                .null_log_likelihood = null,
                .rho_square = 1 - out.log_likelihood / null,
                .adjusted_rho_square = 1 - (out.log_likelihood - out.parameters) / null};
}

}  // namespace

NamedModel named_model(const FittedModel& model) {
  NamedModel named;
  named.architecture = model.stored.architecture;
  const explain::Problem problem = problem_of(model, explain::Units::original);
  named.inputs = explain::network_inputs(problem);
  if (named.architecture.form == Form::vector) named.outputs = model.space.class_labels;
  const ChoiceResponse* choice = model.stored.choice();
  if (choice != nullptr && choice->schema.beyond_logit()) {
    named.linear = beyond_names(choice->schema, utility_parameters(model.stored));
    named.beyond = beyond_words(choice->schema);
  } else if (choice != nullptr && choice->schema.linear)
    for (const LinearTerm& term : linear_terms(choice->schema, choice->alternatives))
      named.linear.push_back(term.name);
  return named;
}

std::vector<std::string> ridge_words(const NamedModel& model, const StoredInference& stored) {
  std::vector<std::string> out;
  const std::map<Index, std::string> names = position_names(model);
  const auto add = [&](const char* fact, const char* how) {
    for (const json& one : stored.facts.value(fact, json::array())) {
      const auto found = names.find(one.get<Index>());
      out.push_back(fmt::format(
          "{} {}, with all else at its best, the likelihood is as high, so neither it nor the coefficients "
          "of "
          "its head have errors. Differences of utility are determined there, and with them shares, "
          "elasticities "
          "and marginal utilities, which `economics` gives with errors; a simpler utility may say the same",
          found == names.end() ? "a weight" : found->second, how));
    }
  };
  add("runs_away", "runs away: at ten times its value");
  add("kinks",
      "falls to 0 while the coefficients of its head grow, so that the head becomes a kink: at a tenth of "
      "it");
  return out;
}

void check_options(const InferenceOptions& options) {
  if (!(options.level > 0 && options.level < 1))
    throw UsageError(fmt::format("`level` = {}: expected a number between 0 and 1", options.level));
  if (options.cluster.size() > 2) throw UsageError("errors can be clustered in one or two ways, not more");
  if (!options.cluster.empty() && options.covariance == "classical")
    throw UsageError("`cluster` stands for `covariance` = cluster; leave out classical");
  for (const auto& [name, count] :
       {std::pair("starts", options.starts), std::pair("bootstrap", options.bootstrap)})
    if (count < 0) throw UsageError(fmt::format("`{}` = {}: expected 0 or more", name, count));
  require_device_name(options.device);
}

std::map<Index, std::string> position_names(const NamedModel& model) {
  std::map<Index, std::string> names;
  for (const explain::Coefficient& one : coefficients_of(model, true))
    for (const auto& [position, factor] : one.parts) names.try_emplace(position, one.name);
  return names;
}

void describe_covariance(const CovarianceWords& words, InferenceSummary& out) {
  const inference::Covariance& found = words.estimate->covariance;
  out.covariance = name(words.kind);
  out.factor = found.factor;
  for (std::size_t k = 0; k < words.columns.size(); ++k)
    out.clusters.emplace_back(words.columns[k], found.cluster_counts[k]);
  if (found.repaired)
    out.notes.emplace_back("two-way clusters left a negative variance, which was set to zero");
  if (words.bootstrap && words.bootstrap->failed > 0)
    out.notes.push_back(fmt::format("{} of {} resamples reached no minimum", words.bootstrap->failed,
                                    words.bootstrap->failed + words.bootstrap->draws.rows()));
}

void describe_stored_covariance(const StoredInference& stored, const std::string& kind,
                                InferenceSummary& out) {
  out.covariance = kind;
  out.factor = "none";
  if (kind != "cluster") return;
  const json& cluster = stored.facts.at("cluster");
  out.factor = cluster.at("factor").get<std::string>();
  out.clusters.emplace_back(cluster.at("column").get<std::string>(), cluster.at("count").get<std::int64_t>());
}

Eigen::MatrixXd stored_covariance(const StoredInference& stored, const std::string& kind) {
  const bool cluster = inference::covariance_from_name(kind) == inference::CovarianceKind::cluster;
  if (cluster && stored.cluster.empty()) throw NeedsData("clusters are computed from rows; give the data");
  const std::vector<double>& values = cluster            ? stored.cluster
                                      : kind == "robust" ? stored.robust
                                                         : stored.classical;
  if (values.empty())
    throw UsageError("classical errors need a likelihood; with score matching use robust ones");
  return square_matrix(values);
}

void require_minimum(const inference::Estimate& e, const NamedModel& model) {
  if (e.converged) return;
  std::string message = "standard errors hold at the minimum, and none was reached: " + e.cause;
  for (const std::string& one : words(model, e.identification.directions)) message += "\n  " + one;
  throw NumericError(message);
}

namespace {

// Of two sums of entries. Entries without a variance count only where they have a factor.
double covariance_of(const Eigen::VectorXd& a, const Eigen::VectorXd& b, const Eigen::MatrixXd& of_entries) {
  double sum = 0;
  for (Index i = 0; i < a.size(); ++i)
    for (Index j = 0; j < b.size(); ++j)
      if (a(i) != 0 && b(j) != 0) sum += a(i) * of_entries(i, j) * b(j);
  return sum;
}

}  // namespace

InferenceSummary make_summary(const SummaryParts& parts, const InferenceOptions& options) {
  const Architecture& a = parts.model->architecture;
  InferenceSummary out;
  try {
    fill_facts(*parts.stored, out);
  } catch (const json::exception& error) {
    throw ModelFileError(std::string("the stored standard errors cannot be read: ") + error.what());
  }
  out.model = model_words(*parts.model);
  out.level = options.level;
  out.standardised = options.standardised;
  out.unidentified = words(*parts.model, stored_directions(parts.stored->facts));
  const inference::Chart chart = chart_of(*parts.model, *parts.parameters, parts.stored->facts);
  std::map<Index, Index> places;  // of the stored positions
  for (const Index position : parts.stored->positions)
    places.emplace(position, static_cast<Index>(places.size()));
  const std::map<Index, std::string> held = held_reasons(parts.stored->facts);
  const std::set<Index> running = positions_on_ridges(*parts.model, *parts.stored);
  for (const std::string& one : ridge_words(*parts.model, *parts.stored)) out.notes.push_back(one);
  std::vector<Eigen::VectorXd> maps;  // of the rows, by stored position
  for (const explain::Coefficient& one : coefficients_of(*parts.model, options.standardised)) {
    Eigen::VectorXd map = Eigen::VectorXd::Zero(static_cast<Index>(places.size()));
    double value = 0;
    bool free = false, bound = false, scaled = false;
    std::string reason;
    for (const auto& [position, factor] : one.parts) {
      value += factor * chart.effective[static_cast<std::size_t>(position)];
      const inference::ParameterState state = chart.states[static_cast<std::size_t>(position)];
      bound |= state == inference::ParameterState::at_bound;
      scaled |= state == inference::ParameterState::scaled;
      if (const auto why = held.find(position); why != held.end()) reason = why->second;
      const auto place = places.find(position);
      // Earlier versions stored a lone weight as free, with a variance of 0.
      if (place == places.end() || state == inference::ParameterState::scaled) continue;
      map(place->second) += factor;
      free = true;
    }
    if ((!free && !bound && !scaled && reason.empty()) || invisible(one, a)) continue;
    const bool away = std::any_of(one.parts.begin(), one.parts.end(),
                                  [&](const auto& part) { return running.contains(part.first); });
    const double variance = (free && !away ? 0 : kUnknown) + covariance_of(map, map, parts.covariance);
    out.estimates.push_back(row_of(one.name, value, variance, options.level));
    out.estimates.back().of_bend = one.of_bend;
    if (away) out.estimates.back().state = "runs away";
    if (!free) out.estimates.back().state = !reason.empty() ? reason : bound ? "at bound" : "fixed";
    if (parts.bootstrap && !std::isnan(variance))
      out.estimates.back().bootstrap_error = bootstrap_error(*parts.bootstrap, map);
    maps.push_back(std::move(map));
  }
  if (parts.bootstrap) out.bootstrap = static_cast<int>(parts.bootstrap->draws.rows());
  for (std::size_t i = 0; i < maps.size(); ++i)
    for (std::size_t j = 0; j < maps.size(); ++j)
      out.covariance_matrix.push_back(
          (std::isnan(out.estimates[i].standard_error + out.estimates[j].standard_error) ? kUnknown : 0) +
          covariance_of(maps[i], maps[j], parts.covariance));
  return out;
}

}  // namespace bl
