#include "choice/beyond_notes.hpp"

#include <fmt/format.h>

#include <cmath>

#include "features/beyond_names.hpp"
#include "inference/distributions.hpp"
#include "random_utility/latent_classes.hpp"

namespace bl {

namespace {

namespace ru = random_utility;
using Notes = std::vector<std::string>;

// Median, mean and standard deviation of log-normal coefficients; standard deviations and correlations of
// correlated ones.
void mixed_notes(const ChoiceSchema& schema, const BeyondModel& beyond, const std::vector<double>& parameters,
                 Notes& out) {
  const RandomCoefficients& random = *schema.random;
  out.push_back(sampling_words(schema));
  const ru::MixedLogitSpec spec = mixed_spec(schema, beyond.utility);
  const std::size_t n = spec.random.size();
  std::vector<double> factor(n * n, 0);
  const std::vector<ru::Spread> spreads = ru::spreads_of(spec);
  const std::size_t first = parameters.size() - spreads.size();
  for (std::size_t s = 0; s < spreads.size(); ++s)
    factor[static_cast<std::size_t>(spreads[s].row) * n + static_cast<std::size_t>(spreads[s].column)] =
        parameters[first + s];
  const auto covariance = [&](std::size_t a, std::size_t b) {
    double sum = 0;
    for (std::size_t l = 0; l < n; ++l) sum += factor[a * n + l] * factor[b * n + l];
    return sum;
  };
  for (std::size_t s = 0; s < spreads.size(); ++s)
    if (spreads[s].row == spreads[s].column && parameters[first + s] < 0)
      out.push_back(random.coefficients[static_cast<std::size_t>(spreads[s].row)].name +
                    ": a spread and its negative are the same distribution; finite draws are not quite "
                    "symmetric, and fit better at the negative one");
  for (std::size_t k = 0; k < n; ++k) {
    const ru::RandomTerm& one = spec.random[k];
    const double location = parameters[static_cast<std::size_t>(one.term)], variance = covariance(k, k);
    if (one.distribution == ru::Distribution::log_normal) {
      const double mean = std::exp(location + 0.5 * variance);
      out.push_back(fmt::format("{}: median {:.4f}, mean {:.4f}, standard deviation {:.4f}",
                                random.coefficients[k].name, one.sign * std::exp(location), one.sign * mean,
                                mean * std::sqrt(std::expm1(variance))));
    } else if (one.correlated) {
      out.push_back(
          fmt::format("{}: standard deviation {:.4f}", random.coefficients[k].name, std::sqrt(variance)));
    } else if (one.distribution == ru::Distribution::normal) {
      const double tail = 0.5 * std::erfc(location / std::sqrt(2 * variance));
      out.push_back(
          fmt::format("{}: below zero for {:.1f}% of persons", random.coefficients[k].name, 100 * tail));
    }
    for (std::size_t l = 0; one.correlated && l < k; ++l)
      if (spec.random[l].correlated)
        out.push_back(fmt::format("{} and {}: correlation {:.4f}{}", random.coefficients[k].name,
                                  random.coefficients[l].name,
                                  covariance(k, l) / std::sqrt(variance * covariance(l, l)),
                                  one.distribution == ru::Distribution::log_normal ||
                                          spec.random[l].distribution == ru::Distribution::log_normal
                                      ? " (of the underlying normal ones)"
                                      : ""));
  }
}

void nested_notes(const ChoiceSchema& schema, const BeyondModel& beyond,
                  const std::vector<double>& parameters, const inference::Estimate& e, Notes& out) {
  for (std::size_t m = 0; m < schema.nests.size(); ++m) {
    const auto at = static_cast<std::size_t>(beyond.model->utility().parameters()) + m;
    const double mu = parameters[at];
    const auto i = static_cast<Index>(at);
    const double error = std::sqrt(e.entries(i, i));
    const double z = (mu - 1) / error;
    out.push_back(fmt::format(
        "mu({}) against 1, the logit: z = {:.2f}, p = {:.4f}; dissimilarity 1/mu {:.4f} (s.e. {:.4f}){}",
        schema.nests[m].name, z, inference::normal_two_sided(z), 1 / mu, error / (mu * mu),
        mu < 1 ? "; below 1 no random utility has such a nest" : ""));
  }
}

void latent_notes(const BeyondModel& beyond, const std::vector<double>& parameters, Notes& out) {
  const ru::Population population = beyond.model->population(parameters);
  std::string shares;
  for (std::size_t c = 0; c < population.shares.size(); ++c)
    shares += fmt::format("{}class {}: {:.1f}%", c == 0 ? "" : ", ", c + 1, 100 * population.shares[c]);
  out.push_back("mean shares of the classes: " + shares);
}

void scale_notes(const ChoiceSchema& schema, const BeyondModel& beyond, const std::vector<double>& parameters,
                 const inference::Estimate& e, Notes& out) {
  const SourceScale& scale = *schema.scale;
  const auto each = static_cast<std::size_t>(beyond.model->utility().parameters());
  const std::size_t classes = schema.latent ? static_cast<std::size_t>(schema.latent->classes) : 1;
  for (std::size_t c = 0; c < classes; ++c)
    for (std::size_t s = 1; s < scale.levels.size(); ++s) {
      const std::size_t at = c * each + beyond.utility.size() + s - 1;
      const auto i = static_cast<Index>(at);
      const double size = std::exp(parameters[at]), error = std::sqrt(e.entries(i, i));
      const double z = parameters[at] / error;
      out.push_back(
          fmt::format("{}scale of {} against {} (1): {:.4f} (s.e. {:.4f}); the same: z = {:.2f}, p = {:.4f}",
                      schema.latent ? fmt::format("class {}: ", c + 1) : "", scale.levels[s], scale.levels[0],
                      size, size * error, z, inference::normal_two_sided(z)));
    }
}

}  // namespace

Notes beyond_notes(const ChoiceSchema& schema, const BeyondModel& beyond, const ru::Maximum& maximum,
                   const inference::Estimate& estimate) {
  Notes out;
  if (schema.random) mixed_notes(schema, beyond, maximum.parameters, out);
  if (!schema.nests.empty()) nested_notes(schema, beyond, maximum.parameters, estimate, out);
  if (schema.scale) scale_notes(schema, beyond, maximum.parameters, estimate, out);
  if (schema.latent) latent_notes(beyond, maximum.parameters, out);
  return out;
}

}  // namespace bl
