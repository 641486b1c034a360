#include "choice/beyond_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bl/errors.hpp"
#include "choice/beyond.hpp"
#include "choice/beyond_notes.hpp"
#include "features/beyond_names.hpp"
#include "random_utility/held_parameters.hpp"
#include "random_utility/latent_classes.hpp"
#include "summary/stored_estimate.hpp"

namespace bl {

namespace {

namespace ru = random_utility;
using Kind = ru::Coordinate::Kind;

// Standard deviation of each column of the design; 1 of a constant one.
std::vector<double> term_scales(const Matrix<double>& design) {
  std::vector<double> scales;
  const auto n = static_cast<double>(design.rows());
  for (Index k = 0; k < design.cols(); ++k) {
    double mean = 0, squares = 0;
    for (Index i = 0; i < design.rows(); ++i) mean += design(i, k) / n;
    for (Index i = 0; i < design.rows(); ++i) squares += (design(i, k) - mean) * (design(i, k) - mean) / n;
    scales.push_back(squares > 0 ? std::sqrt(squares) : 1);
  }
  return scales;
}

std::vector<double> logit_coefficients(const ChoiceData& data, std::vector<LinearTerm> terms,
                                       const Settings& settings, const ru::MaximumSpec& how) {
  for (LinearTerm& term : terms) term.sign = 0;
  FitOptions options;
  options.should_stop = how.should_stop;
  Checkpoint<double> none("", "", "");
  return fit_linear(terms, data, settings, options, none).coefficients;
}

// How each parameter is moved.
std::vector<ru::Coordinate> coordinates_of(const ChoiceSchema& schema, const BeyondModel& beyond) {
  const std::vector<double> scales = term_scales(beyond.sets->design);
  std::vector<ru::Coordinate> terms, out;
  for (const double scale : scales) terms.push_back({.factor = 1 / scale});
  const auto size = static_cast<std::size_t>(beyond.model->parameters());
  if (schema.random) {
    const ru::MixedLogitSpec spec = mixed_spec(schema, beyond.terms);
    const auto is_log = [&](Index random) {
      return spec.random[static_cast<std::size_t>(random)].distribution == ru::Distribution::log_normal;
    };
    out = terms;
    for (std::size_t k = 0; k < spec.random.size(); ++k) {
      const auto term = static_cast<std::size_t>(spec.random[k].term);
      if (is_log(static_cast<Index>(k))) out[term] = {.factor = 1, .shift = -std::log(scales[term])};
    }
    for (const ru::Spread& spread : ru::spreads_of(spec)) {
      const auto term = static_cast<std::size_t>(spec.random[static_cast<std::size_t>(spread.row)].term);
      out.push_back(is_log(spread.row) ? ru::Coordinate{} : terms[term]);
    }
  } else if (schema.latent) {
    for (std::int64_t c = 0; c < schema.latent->classes; ++c)
      out.insert(out.end(), terms.begin(), terms.end());
    const std::vector<double> columns = term_scales(beyond.sets->membership);
    for (std::int64_t c = 1; c < schema.latent->classes; ++c) {
      out.push_back({});
      for (const double scale : columns) out.push_back({.factor = 1 / scale});
    }
  } else if (schema.scale) {
    out = terms;
    out.resize(size);
  } else {
    out = terms;
    for (std::size_t m = 0; m < schema.nests.size(); ++m) out.push_back({.kind = Kind::positive});
    while (out.size() < size) out.push_back({.kind = Kind::share});
  }
  return out;
}

std::vector<double> mixed_start(const ChoiceSchema& schema, const BeyondModel& beyond,
                                const std::vector<double>& logit) {
  const std::vector<double> scales = term_scales(beyond.sets->design);
  const ru::MixedLogitSpec spec = mixed_spec(schema, beyond.terms);
  std::vector<double> out = logit;
  for (const ru::RandomTerm& one : spec.random) {
    const auto term = static_cast<std::size_t>(one.term);
    if (one.distribution != ru::Distribution::log_normal) continue;
    out[term] = std::log(std::max(one.sign * logit[term], 0.1 / scales[term]));
  }
  for (const ru::Spread& spread : ru::spreads_of(spec)) {
    const ru::RandomTerm& one = spec.random[static_cast<std::size_t>(spread.row)];
    const auto term = static_cast<std::size_t>(one.term);
    const bool log = one.distribution == ru::Distribution::log_normal;
    const double size = log ? 0.5 : std::max(0.5 * std::abs(logit[term]), 0.1 / scales[term]);
    out.push_back(spread.row == spread.column ? size : 0);
  }
  return out;
}

std::vector<double> start_of(const ChoiceSchema& schema, const BeyondModel& beyond,
                             const std::vector<double>& logit, const ru::MaximumSpec& how, ThreadPool& pool) {
  if (schema.random) return mixed_start(schema, beyond, logit);
  std::vector<double> out = logit;
  if (schema.scale) {
    out.resize(static_cast<std::size_t>(beyond.model->parameters()), 0.0);
    return out;
  }
  out.resize(out.size() + schema.nests.size(), 1.0 + 1e-3);
  out.resize(out.size() + cross_nested(schema).size(), 0.5);
  if (!schema.latent) return out;
  std::vector<double> moves;
  for (const double scale : term_scales(beyond.sets->design)) moves.push_back(0.5 / scale);
  const auto& model = dynamic_cast<const ru::LatentClassLogit&>(*beyond.model);
  out = ru::expectation_maximisation(model, logit, moves,
                                     {.starts = static_cast<Index>(schema.latent->starts),
                                      .seed = schema.latent->seed,
                                      .should_stop = how.should_stop},
                                     pool);
  if (out.empty())
    throw NumericError("no start of the latent classes has a finite likelihood; scale the attributes");
  return out;
}

// A spread and its negative are the same distribution: all are turned positive, and the maximum is sought
// again, for draws are not quite symmetric.
bool turn_positive(const ChoiceSchema& schema, const BeyondModel& beyond, std::vector<double>& parameters) {
  if (!schema.random) return false;
  const std::vector<ru::Spread> spreads = ru::spreads_of(mixed_spec(schema, beyond.terms));
  bool turned = false;
  for (std::size_t s = 0; s < spreads.size(); ++s) {
    if (spreads[s].row != spreads[s].column || parameters[beyond.terms.size() + s] >= 0) continue;
    turned = true;
    for (std::size_t other = 0; other < spreads.size(); ++other)
      if (spreads[other].column == spreads[s].column) parameters[beyond.terms.size() + other] *= -1;
  }
  return turned;
}

ru::Maximum maximum_of(const ChoiceSchema& schema, const BeyondModel& beyond, std::vector<double> start,
                       const ru::MaximumSpec& how, ThreadPool& pool) {
  const std::vector<ru::Coordinate> coordinates = coordinates_of(schema, beyond);
  ru::Maximum out = ru::maximise(*beyond.model, std::move(start), coordinates, how, pool);
  std::vector<double> turned = out.parameters;
  if (out.interrupted || !turn_positive(schema, beyond, turned)) return out;
  ru::Maximum again = ru::maximise(*beyond.model, turned, coordinates, how, pool);
  again.iterations += out.iterations;
  std::vector<double> check = again.parameters;
  return turn_positive(schema, beyond, check) && out.log_likelihood >= again.log_likelihood ? out : again;
}

// Spreads without which the log-likelihood is as high, to a thousandth: the choices show no differences between
// persons, and the scores of a spread at 0 are 0, which leaves its robust errors without a meaning.
std::vector<Index> spreads_at_zero(const ChoiceSchema& schema, const BeyondModel& beyond,
                                   const ru::Maximum& maximum, ThreadPool& pool) {
  constexpr double kNothing = 1e-3;
  std::vector<Index> out;
  if (!schema.random) return out;
  const ru::MixedLogitSpec spec = mixed_spec(schema, beyond.terms);
  const std::vector<ru::Spread> spreads = ru::spreads_of(spec);
  Matrix<double> scores(beyond.sets->person_count(), beyond.model->parameters());
  for (std::size_t s = 0; s < spreads.size(); ++s) {
    if (spec.random[static_cast<std::size_t>(spreads[s].row)].correlated) continue;
    std::vector<double> without = maximum.parameters;
    without[beyond.terms.size() + s] = 0;
    if (beyond.model->log_likelihood(without, scores.view(), pool) > maximum.log_likelihood - kNothing)
      out.push_back(static_cast<Index>(beyond.terms.size() + s));
  }
  return out;
}

// The maximum and the information there of all but the spreads that are held at 0, by positions of the whole model.
ru::ChoiceInformation information_without(const BeyondModel& beyond,
                                          const std::vector<ru::Coordinate>& coordinates,
                                          const std::vector<Index>& held, const ru::MaximumSpec& how,
                                          const inference::OnStep& on_step, ru::Maximum& maximum,
                                          ThreadPool& pool) {
  for (const Index k : held) maximum.parameters[static_cast<std::size_t>(k)] = 0;
  const ru::HeldParameters rest(*beyond.model, maximum.parameters, held);
  const std::vector<ru::Coordinate> moved = rest.free_of(coordinates);
  const ru::Maximum part = ru::maximise(rest, rest.free_of(maximum.parameters), moved, how, pool);
  ru::ChoiceInformation out = ru::information_at(rest, part, moved, on_step, pool);
  const std::int64_t before = maximum.iterations;
  maximum = part;
  maximum.iterations += before;
  maximum.parameters = rest.all(part.parameters);
  inference::Chart& chart = out.estimate.chart;
  chart.raw = chart.effective = maximum.parameters;
  chart.states.assign(maximum.parameters.size(), inference::ParameterState::free);
  chart.positions = rest.free();
  for (inference::Direction& direction : out.estimate.identification.directions)
    for (auto& [position, weight] : direction.entries)
      position = rest.free()[static_cast<std::size_t>(position)];
  return out;
}

inference::CovarianceKind kind_of(const ChoiceEstimateSpec& spec) {
  return spec.covariance.kind;
}

DatasetView<double> view_of(const ChoiceData& data) {
  DatasetView<double> out;
  out.rows = data.situations();
  out.weights = data.weights;
  out.alternatives.chosen = data.chosen;
  return out;
}

void add_persons(const ChoiceSchema& schema, const ChoiceData& data, const BeyondModel& beyond,
                 const ru::ChoiceInformation& found, StoredInference& out) {
  if (schema.person.empty() || data.persons.empty()) return;
  Index count = 0;
  const std::vector<std::int32_t> groups = beyond.by_unit(data.persons);
  if (*std::max_element(groups.begin(), groups.end()) == *std::min_element(groups.begin(), groups.end()))
    return;
  const inference::Estimate& e = found.estimate;
  const Eigen::MatrixXd coordinates = ru::clustered_covariance(found, groups, count);
  out.cluster = row_major(entry_covariance(e.chart, e.identification, coordinates));
  out.facts["cluster"] = {{"column", schema.person}, {"count", count}, {"factor", "G/(G-1)"}};
}

}  // namespace

ChoiceEstimate estimate_beyond(const ChoiceSchema& schema, const ChoiceData& data, std::vector<double> start,
                               const Settings& settings, const ru::MaximumSpec& how,
                               const ChoiceEstimateSpec& spec) {
  if (spec.bootstrap > 0)
    throw UsageError("the bootstrap is available for the logit and for networks, not for " +
                     beyond_words(schema));
  if (spec.covariance.clusters.size() > 1)
    throw UsageError("errors of this model can be clustered in one way, not two");
  const BeyondModel beyond = make_beyond(schema, data);
  ThreadPool pool(static_cast<std::size_t>(settings.threads));
  if (start.empty())
    start = start_of(schema, beyond, logit_coefficients(data, beyond.terms, settings, how), how, pool);
  ru::Maximum maximum = maximum_of(schema, beyond, std::move(start), how, pool);
  ChoiceEstimate out;
  out.estimate.chart.raw = maximum.parameters;
  out.estimate.cause = maximum.cause;
  out.estimate.minimisation.best.iterations = maximum.iterations;
  out.estimate.minimisation.interrupted = maximum.interrupted;
  if (!maximum.converged) return out;
  const std::vector<ru::Coordinate> coordinates = coordinates_of(schema, beyond);
  const std::vector<Index> held = spreads_at_zero(schema, beyond, maximum, pool);
  ru::ChoiceInformation found =
      held.empty() ? ru::information_at(*beyond.model, maximum, coordinates, spec.on_step, pool)
                   : information_without(beyond, coordinates, held, how, spec.on_step, maximum, pool);
  inference::Estimate& e = found.estimate;
  e.notes = beyond_notes(schema, beyond, maximum, e);
  for (const Index k : held)
    e.notes.push_back(beyond_names(schema, data.alternatives)[static_cast<std::size_t>(k)] +
                      " is held at 0: the choices show no differences between persons in it; the other "
                      "estimates and errors are those without it");
  if (kind_of(spec) == inference::CovarianceKind::classical)
    e.covariance.coordinates = e.identification.inverse;
  if (kind_of(spec) == inference::CovarianceKind::cluster) {
    Index count = 0;
    e.covariance.coordinates =
        ru::clustered_covariance(found, beyond.by_unit(spec.covariance.clusters[0]), count);
    e.covariance.factor = "G/(G-1)";
    e.covariance.cluster_counts = {count};
  }
  e.entries = entry_covariance(e.chart, e.identification, e.covariance.coordinates);
  if (e.converged) {
    out.stored = stored_of(e, view_of(data), ObjectiveKind::likelihood, 0);
    out.stored.facts["choice"] = choice_facts(data);
    for (const Index k : held) out.stored.facts["held"].push_back({k, "no spread"});
    add_persons(schema, data, beyond, found, out.stored);
  } else {
    e.cause = "the log-likelihood still rises along some direction";
  }
  const std::string cause = maximum.cause;
  out.estimate = std::move(e);
  if (out.estimate.converged) out.estimate.cause = cause;
  return out;
}

}  // namespace bl
