#include "choice/beyond_ridge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "bl/errors.hpp"
#include "random_utility/held_parameters.hpp"

namespace bl {

namespace {

namespace ru = random_utility;

constexpr double kFactor = 10;
constexpr double kHalfChiSquared95 = 1.920729;  // one degree of freedom
// A lambda is in units of utility: one of moderate size that is well determined is on no ridge.
constexpr double kSmall = 0.02, kLarge = 50, kDetermined = 3;

// The error of a parameter; NaN where it has none.
double error_of(const inference::Estimate& e, Index position) {
  const auto found = std::find(e.chart.positions.begin(), e.chart.positions.end(), position);
  if (found == e.chart.positions.end()) return std::nan("");
  const auto i = static_cast<Index>(found - e.chart.positions.begin());
  return std::sqrt(e.entries(i, i));
}

bool doubtful(const BlockHeadAt& head, const std::vector<double>& parameters, const inference::Estimate& e) {
  const double value = parameters[static_cast<std::size_t>(head.lambda)], error = error_of(e, head.lambda);
  const double size = head.log ? std::exp(value) : std::abs(value);
  return !(size > kSmall && size < kLarge) || !(head.log ? error < 1 : size > kDetermined * error);
}

// The lambda multiplied and what it is applied to divided, so that products stay.
std::vector<double> stretched(const BlockHeadAt& head, std::vector<double> parameters, double factor) {
  double& lambda = parameters[static_cast<std::size_t>(head.lambda)];
  lambda = head.log ? lambda + std::log(factor) : lambda * factor;
  for (const Index k : head.weights) parameters[static_cast<std::size_t>(k)] /= factor;
  return parameters;
}

// The log-likelihood with the lambda held there and all else at its best.
double best_with(const BlockHeadAt& head, const std::vector<double>& there, const BeyondModel& beyond,
                 const inference::Estimate& e, const std::vector<ru::Coordinate>& coordinates,
                 const ru::MaximumSpec& how, const Context& job) {
  std::vector<Index> held;
  for (Index k = 0; k < static_cast<Index>(there.size()); ++k)
    if (k == head.lambda ||
        std::find(e.chart.positions.begin(), e.chart.positions.end(), k) == e.chart.positions.end())
      held.push_back(k);
  const ru::HeldParameters rest(*beyond.model, there, held);
  try {
    return ru::maximise(rest, rest.free_of(there), rest.free_of(coordinates), how, job).log_likelihood;
  } catch (const NumericError&) {  // nothing finite there: no ridge
    return -std::numeric_limits<double>::infinity();
  }
}

}  // namespace

std::vector<BlockHeadAt> heads_of_classes(const ChoiceSchema& schema, const BeyondModel& beyond) {
  std::vector<BlockHeadAt> out;
  if (schema.linear) return out;
  const ru::Utility& utility = beyond.model->utility();
  ru::MixedLogitSpec spec;
  if (schema.random) spec = mixed_spec(schema, beyond.utility);
  for (Index c = 0; c < (schema.latent ? static_cast<Index>(schema.latent->classes) : 1); ++c)
    for (const ru::UtilityHead& head : utility.heads()) {
      const Index first = c * utility.parameters();
      BlockHeadAt one{.lambda = head.lambda < 0 ? -1 : first + head.lambda,
                      .bounded = std::isfinite(facts(head.activation).most),
                      .weights = {}};
      for (const ru::RandomTerm& term : spec.random)
        if (term.term == head.lambda) {
          one.random = true;
          one.log = term.distribution == ru::Distribution::log_normal;
        }
      for (const ru::UtilityHead::Weight& weight : head.weights)
        one.weights.push_back(first + weight.parameter);
      out.push_back(std::move(one));
    }
  return out;
}

Ridges ridges_of(const ChoiceSchema& schema, const BeyondModel& beyond, const ru::Maximum& maximum,
                 const ru::ChoiceInformation& found, const std::vector<ru::Coordinate>& coordinates,
                 const ru::MaximumSpec& how, const Context& job) {
  Ridges out;
  for (const BlockHeadAt& head : heads_of_classes(schema, beyond)) {
    const bool weighs = head.lambda >= 0 && maximum.parameters[static_cast<std::size_t>(head.lambda)] != 0;
    if (!weighs || !doubtful(head, maximum.parameters, found.estimate)) continue;
    const auto as_good = [&](double factor) {
      const double best = best_with(head, stretched(head, maximum.parameters, factor), beyond, found.estimate,
                                    coordinates, how, job);
      return maximum.log_likelihood - best < kHalfChiSquared95;
    };
    const double value = maximum.parameters[static_cast<std::size_t>(head.lambda)],
                 size = head.log ? std::exp(value) : std::abs(value);
    // Without an error a large lambda is on a ridge already, if one that bends.
    const bool lost = size > kLarge && std::isnan(error_of(found.estimate, head.lambda));
    const bool small = size < 1;
    if (!head.bounded && small && as_good(1 / kFactor))
      out.kinks.push_back(head.lambda);
    else if (lost || as_good(kFactor))
      out.lambdas.push_back(head.lambda);
    else if (!head.bounded && !small && as_good(1 / kFactor))
      out.kinks.push_back(head.lambda);
    else
      continue;
    out.positions.push_back(head.lambda);
    out.positions.insert(out.positions.end(), head.weights.begin(), head.weights.end());
  }
  return out;
}

}  // namespace bl
