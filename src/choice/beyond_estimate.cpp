#include "choice/beyond_estimate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/joined.hpp"
#include "bl/errors.hpp"
#include "choice/beyond.hpp"
#include "choice/beyond_notes.hpp"
#include "choice/beyond_ridge.hpp"
#include "choice/beyond_start.hpp"
#include "choice/common_utility.hpp"
#include "random_utility/held_parameters.hpp"
#include "summary/stored_estimate.hpp"

namespace bl {

namespace {

namespace ru = random_utility;

// Blocks have ridges; what is gained along them is no matter of statistics.
constexpr double kPlateau = 1e-4;

// A spread and its negative are the same distribution: all are turned positive, and the maximum is sought
// again, for draws are not quite symmetric.
bool turn_positive(const ChoiceSchema& schema, const BeyondModel& beyond, std::vector<double>& parameters) {
  if (!schema.random) return false;
  const std::vector<ru::Spread> spreads = ru::spreads_of(mixed_spec(schema, beyond.utility));
  const std::size_t first = parameters.size() - spreads.size();
  bool turned = false;
  for (std::size_t s = 0; s < spreads.size(); ++s) {
    if (spreads[s].row != spreads[s].column || parameters[first + s] >= 0) continue;
    turned = true;
    for (std::size_t other = 0; other < spreads.size(); ++other)
      if (spreads[other].column == spreads[s].column) parameters[first + other] *= -1;
  }
  return turned;
}

ru::Maximum maximum_of(const ChoiceSchema& schema, const BeyondModel& beyond, std::vector<double> start,
                       const ru::MaximumSpec& how, const Context& job) {
  const std::vector<ru::Coordinate> coordinates = beyond_coordinates(schema, beyond);
  ru::Maximum out = ru::maximise(*beyond.model, std::move(start), coordinates, how, job);
  std::vector<double> turned = out.parameters;
  if (out.interrupted || !turn_positive(schema, beyond, turned)) return out;
  ru::Maximum again = ru::maximise(*beyond.model, turned, coordinates, how, job);
  again.iterations += out.iterations;
  std::vector<double> check = again.parameters;
  return turn_positive(schema, beyond, check) && out.log_likelihood >= again.log_likelihood ? out : again;
}

// Spreads without which the log-likelihood is as high, to a thousandth: the choices show no differences
// between persons, and the scores of a spread at 0 are 0, which leaves its robust errors without a meaning.
std::vector<Index> spreads_at_zero(const ChoiceSchema& schema, const BeyondModel& beyond,
                                   const ru::Maximum& maximum, const Context& job) {
  constexpr double kNothing = 1e-3;
  std::vector<Index> out;
  if (!schema.random) return out;
  const ru::MixedLogitSpec spec = mixed_spec(schema, beyond.utility);
  const std::vector<ru::Spread> spreads = ru::spreads_of(spec);
  const auto first = static_cast<std::size_t>(beyond.model->utility().parameters());
  Matrix<double> scores(beyond.sets->person_count(), beyond.model->parameters());
  for (std::size_t s = 0; s < spreads.size(); ++s) {
    if (spec.random[static_cast<std::size_t>(spreads[s].row)].correlated) continue;
    std::vector<double> without = maximum.parameters;
    without[first + s] = 0;
    if (beyond.model->log_likelihood(without, scores.view(), job) > maximum.log_likelihood - kNothing)
      out.push_back(static_cast<Index>(first + s));
  }
  return out;
}

// Heads of a block that add nothing to the utility, to rounding: what they are applied to does not count.
std::vector<Index> heads_without_weight(const ChoiceSchema& schema, const BeyondModel& beyond,
                                        const std::vector<ru::Coordinate>& coordinates,
                                        const ru::Maximum& maximum, std::vector<Index>& lambdas) {
  constexpr double kNothing = 1e-5;
  std::vector<Index> out;
  for (const BlockHeadAt& head : heads_of_classes(schema, beyond)) {
    if (head.lambda < 0 || head.random) continue;
    double spread = 0;  // of what the head is applied to
    for (const Index k : head.weights) {
      const auto at = static_cast<std::size_t>(k);
      spread += std::abs(maximum.parameters[at] / coordinates[at].factor);
    }
    if (head.bounded) spread = std::min(spread, 1.0);
    if (maximum.parameters[static_cast<std::size_t>(head.lambda)] * spread > kNothing) continue;
    lambdas.push_back(head.lambda);
    out.push_back(head.lambda);
    out.insert(out.end(), head.weights.begin(), head.weights.end());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The maximum and the information there of all but those that are held, by positions of the whole model.
ru::ChoiceInformation information_without(const BeyondModel& beyond,
                                          const std::vector<ru::Coordinate>& coordinates,
                                          const std::vector<Index>& held, const ru::MaximumSpec& how,
                                          ru::Maximum& maximum, const Context& job) {
  const ru::HeldParameters rest(*beyond.model, maximum.parameters, held);
  const std::vector<ru::Coordinate> moved = rest.free_of(coordinates);
  const ru::Maximum part = ru::maximise(rest, rest.free_of(maximum.parameters), moved, how, job);
  ru::ChoiceInformation out = ru::information_at(rest, part, moved, job);
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
  const std::vector<std::int32_t> groups = beyond.by_unit(data.persons);
  if (*std::max_element(groups.begin(), groups.end()) == *std::min_element(groups.begin(), groups.end()))
    return;
  const inference::Estimate& e = found.estimate;
  const inference::Covariance by_person =
      inference::covariance(found.scores, e.information, e.identification,
                            {.kind = inference::CovarianceKind::cluster, .clusters = {groups}});
  out.cluster = row_major(entry_covariance(e.chart, e.identification, by_person.coordinates));
  out.facts["cluster"] = {
      {"column", schema.person}, {"count", by_person.cluster_counts[0]}, {"factor", by_person.factor}};
}

// What is held where it is, with the reason.
struct HeldParameters {
  std::vector<Index> positions;
  std::vector<std::string> reasons, notes;
};

HeldParameters held_at(const ChoiceSchema& schema, const BeyondModel& beyond, ru::Maximum& maximum,
                       const Context& job) {
  const std::vector<std::string> names = beyond_names(schema, beyond.utility);
  const auto name = [&](Index k) { return names[static_cast<std::size_t>(k)]; };
  HeldParameters out;
  std::vector<Index> lambdas;
  const std::vector<Index> weightless =
      heads_without_weight(schema, beyond, beyond_coordinates(schema, beyond), maximum, lambdas);
  for (const Index k : lambdas) {
    maximum.parameters[static_cast<std::size_t>(k)] = 0;
    out.notes.push_back(name(k) + " is 0: the choices show no such head, and its coefficients mean nothing");
  }
  for (const Index k : spreads_at_zero(schema, beyond, maximum, job)) {
    maximum.parameters[static_cast<std::size_t>(k)] = 0;
    out.positions.push_back(k);
    out.notes.push_back(name(k) +
                        " is held at 0: the choices show no differences between persons in it; the other "
                        "estimates and errors are those without it");
  }
  out.reasons.assign(out.positions.size(), "no spread");
  out.positions.insert(out.positions.begin(), weightless.begin(), weightless.end());
  out.reasons.insert(out.reasons.begin(), weightless.size(), "no weight");
  return out;
}

// By clusters of persons, or of situations where those are the units.
void set_covariance(const BeyondModel& beyond, inference::CovarianceSpec spec, ru::ChoiceInformation& found) {
  inference::Estimate& e = found.estimate;
  for (std::vector<std::int32_t>& groups : spec.clusters) groups = beyond.by_unit(groups);
  e.covariance = inference::covariance(found.scores, e.information, e.identification, spec);
  e.entries = entry_covariance(e.chart, e.identification, e.covariance.coordinates);
}

// Where the model holds, classical and robust errors agree. Where choices are separated, as within a small
// latent class, information and scores both vanish, so that the ones grow without bound and the others mean
// nothing.
constexpr double kErrorsApart = 100;

// Says which they are.
std::string drop_open_errors(const std::vector<std::string>& names, StoredInference& stored) {
  const std::size_t size = stored.positions.size();
  std::vector<std::string> open;
  for (std::size_t i = 0; i < size; ++i) {
    const double classical = std::sqrt(stored.classical[i * size + i]),
                 robust = std::sqrt(stored.robust[i * size + i]);
    if (!(classical > kErrorsApart * robust)) continue;
    stored.facts["on_ridge"].push_back(stored.positions[i]);
    open.push_back(names[static_cast<std::size_t>(stored.positions[i])]);
  }
  if (open.empty()) return "";
  stored.facts["notes"].push_back(
      joined(open) +
      ": the likelihood hardly changes however large these grow, as where choices are told without error, "
      "so they have no errors and their sizes mean little; fewer classes, nests or attributes may say the "
      "same");
  return stored.facts["notes"].back().get<std::string>();
}

// What the model file keeps of the estimate.
void store(const ChoiceSchema& schema, const ChoiceData& data, const BeyondModel& beyond,
           const HeldParameters& held, const Ridges& ridges, const ru::ChoiceInformation& found,
           StoredInference& out) {
  out = stored_of(found.estimate, view_of(data), ObjectiveKind::likelihood, 0);
  out.facts["choice"] = choice_facts(data);
  for (std::size_t i = 0; i < held.positions.size(); ++i)
    out.facts["held"].push_back({held.positions[i], held.reasons[i]});
  if (!ridges.lambdas.empty()) out.facts["runs_away"] = ridges.lambdas;
  if (!ridges.kinks.empty()) out.facts["kinks"] = ridges.kinks;
  if (!ridges.positions.empty()) out.facts["on_ridge"] = ridges.positions;
  add_persons(schema, data, beyond, found, out);
}

}  // namespace

Estimation estimate_beyond(const StoredModel& model, const ChoiceData& data, std::vector<double> start,
                           const Settings& settings, const ru::MaximumSpec& given,
                           const ChoiceEstimateSpec& spec, const Context& job) {
  const ChoiceSchema& schema = model.choice()->schema;
  if (spec.bootstrap > 0)
    throw UsageError("the bootstrap is available for the logit and for networks, not for " +
                     beyond_words(schema));
  const BeyondModel beyond = make_beyond(model, data, job.memory());
  ru::MaximumSpec how = given;
  if (!schema.linear) how.plateau = kPlateau;
  if (start.empty()) start = beyond_start(schema, beyond, common_parameters(model, data, settings, job), job);
  ru::Maximum maximum = maximum_of(schema, beyond, std::move(start), how, job);
  Estimation out;
  out.estimate.chart.raw = maximum.parameters;
  out.estimate.cause = maximum.cause;
  out.estimate.minimisation.best.iterations = maximum.iterations;
  out.estimate.minimisation.interrupted = maximum.interrupted;
  if (!maximum.converged) return out;
  const std::vector<ru::Coordinate> coordinates = beyond_coordinates(schema, beyond);
  const HeldParameters held = held_at(schema, beyond, maximum, job);
  ru::ChoiceInformation found =
      held.positions.empty() ? ru::information_at(*beyond.model, maximum, coordinates, job)
                             : information_without(beyond, coordinates, held.positions, how, maximum, job);
  inference::Estimate& e = found.estimate;
  e.notes = beyond_notes(schema, beyond, maximum, e);
  e.notes.insert(e.notes.end(), held.notes.begin(), held.notes.end());
  set_covariance(beyond, spec.covariance, found);
  if (e.converged) {
    const Ridges ridges = ridges_of(schema, beyond, maximum, found, coordinates, how, job);
    store(schema, data, beyond, held, ridges, found, out.stored);
    const std::string open = drop_open_errors(beyond_names(schema, beyond.utility), out.stored);
    if (!open.empty()) e.notes.push_back(open);
  } else {
    e.cause = "the log-likelihood still rises along some direction";
  }
  const std::string cause = maximum.cause;
  out.estimate = std::move(e);
  if (out.estimate.converged) out.estimate.cause = cause;
  return out;
}

}  // namespace bl
