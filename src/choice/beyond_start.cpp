#include "choice/beyond_start.hpp"

#include <algorithm>
#include <cmath>

#include "bl/errors.hpp"
#include "choice/column_moments.hpp"
#include "random_utility/latent_classes.hpp"

namespace bl {

namespace {

namespace ru = random_utility;
using Kind = ru::Coordinate::Kind;

// Of what each parameter of the utility multiplies: a column's standard deviation; 1 for lambdas and scales.
std::vector<double> parameter_scales(const BeyondModel& beyond) {
  const std::vector<double> columns = column_moments(beyond.sets->design).scales;
  const ru::Utility& utility = beyond.model->utility();
  std::vector<double> out(static_cast<std::size_t>(utility.parameters()), 1);
  for (const ru::UtilityHead& head : utility.heads())
    for (const ru::UtilityHead::Weight& one : head.weights)
      out[static_cast<std::size_t>(one.parameter)] = columns[static_cast<std::size_t>(one.column)];
  return out;
}

// A lambda that is the same for all is positive.
std::vector<ru::Coordinate> utility_coordinates(const BeyondModel& beyond) {
  std::vector<ru::Coordinate> out;
  for (const double scale : parameter_scales(beyond)) {
    const bool lambda = beyond.model->utility().is_lambda(static_cast<Index>(out.size()));
    out.push_back(lambda ? ru::Coordinate{.kind = Kind::positive} : ru::Coordinate{.factor = 1 / scale});
  }
  return out;
}

std::vector<ru::Coordinate> mixed_coordinates(const ChoiceSchema& schema, const BeyondModel& beyond) {
  const std::vector<double> scales = parameter_scales(beyond);
  const ru::MixedLogitSpec spec = mixed_spec(schema, beyond.utility);
  std::vector<ru::Coordinate> out = utility_coordinates(beyond);
  std::vector<ru::Coordinate> spreads;
  for (const ru::RandomTerm& one : spec.random) {
    const auto term = static_cast<std::size_t>(one.term);
    const bool log = one.distribution == ru::Distribution::log_normal;
    out[term] = log ? ru::Coordinate{.factor = 1, .shift = -std::log(scales[term])}
                    : ru::Coordinate{.factor = 1 / scales[term]};
    spreads.push_back(log ? ru::Coordinate{} : out[term]);
  }
  for (const ru::Spread& one : ru::spreads_of(spec))
    out.push_back(spreads[static_cast<std::size_t>(one.row)]);
  return out;
}

std::vector<double> mixed_start(const ChoiceSchema& schema, const BeyondModel& beyond,
                                const std::vector<double>& common) {
  const std::vector<double> scales = parameter_scales(beyond);
  const ru::MixedLogitSpec spec = mixed_spec(schema, beyond.utility);
  std::vector<double> out = common;
  for (const ru::RandomTerm& one : spec.random) {
    const auto term = static_cast<std::size_t>(one.term);
    if (one.distribution != ru::Distribution::log_normal) continue;
    out[term] = std::log(std::max(one.sign * common[term], 0.1 / scales[term]));
  }
  for (const ru::Spread& spread : ru::spreads_of(spec)) {
    const ru::RandomTerm& one = spec.random[static_cast<std::size_t>(spread.row)];
    const auto term = static_cast<std::size_t>(one.term);
    const bool log = one.distribution == ru::Distribution::log_normal;
    const double size = log ? 0.5 : std::max(0.5 * std::abs(common[term]), 0.1 / scales[term]);
    out.push_back(spread.row == spread.column ? size : 0);
  }
  return out;
}

std::vector<double> latent_start(const ChoiceSchema& schema, const BeyondModel& beyond,
                                 const std::vector<double>& common, const Context& job) {
  std::vector<double> moves;
  for (const double scale : parameter_scales(beyond)) moves.push_back(0.5 / scale);
  const auto& model = dynamic_cast<const ru::LatentClassLogit&>(*beyond.model);
  std::vector<double> out = ru::expectation_maximisation(
      model, common, moves,
      {.starts = static_cast<Index>(schema.latent->starts), .seed = schema.latent->seed}, job);
  if (out.empty())
    throw NumericError("no start of the latent classes has a finite likelihood; scale the attributes");
  return out;
}

}  // namespace

std::vector<ru::Coordinate> beyond_coordinates(const ChoiceSchema& schema, const BeyondModel& beyond) {
  if (schema.random) return mixed_coordinates(schema, beyond);
  const std::vector<ru::Coordinate> utility = utility_coordinates(beyond);
  std::vector<ru::Coordinate> out = utility;
  if (schema.latent) {
    const std::vector<double> columns = column_moments(beyond.sets->membership).scales;
    for (std::int64_t c = 1; c < schema.latent->classes; ++c)
      out.insert(out.end(), utility.begin(), utility.end());
    for (std::int64_t c = 1; c < schema.latent->classes; ++c) {
      out.push_back({});
      for (const double scale : columns) out.push_back({.factor = 1 / scale});
    }
    return out;
  }
  for (std::size_t m = 0; m < schema.nests.size(); ++m) out.push_back({.kind = Kind::positive});
  while (out.size() < static_cast<std::size_t>(beyond.model->parameters()))
    out.push_back({.kind = Kind::share});
  return out;
}

std::vector<double> beyond_start(const ChoiceSchema& schema, const BeyondModel& beyond,
                                 const std::vector<double>& common, const Context& job) {
  std::vector<double> out = common;
  out.resize(static_cast<std::size_t>(beyond.model->utility().parameters()), 0.0);  // logarithms of scales
  if (schema.random) return mixed_start(schema, beyond, out);
  if (schema.latent) return latent_start(schema, beyond, out, job);
  out.resize(out.size() + schema.nests.size(), 1.0 + 1e-3);
  out.resize(out.size() + cross_nested(schema).size(), 0.5);
  return out;
}

}  // namespace bl
