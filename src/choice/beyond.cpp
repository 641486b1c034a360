#include "choice/beyond.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "features/choice_terms.hpp"
#include "fitted/choice_utility.hpp"
#include "random_utility/latent_classes.hpp"
#include "random_utility/nested_logit.hpp"

namespace bl {

namespace {

namespace ru = random_utility;

// Situations of one unit next to each other, in the order of the units' first situations.
std::vector<Index> by_person(const ChoiceData& data, bool persons, std::vector<std::int64_t>& begins) {
  std::vector<Index> order(static_cast<std::size_t>(data.situations()));
  std::iota(order.begin(), order.end(), Index{0});
  begins = {0};
  if (!persons || data.persons.empty()) {
    for (const Index i : order) begins.push_back(i + 1);
    return order;
  }
  const auto code = [&](Index i) { return data.persons[static_cast<std::size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return code(a) < code(b); });
  for (std::size_t i = 1; i < order.size(); ++i)
    if (code(order[i]) != code(order[i - 1])) begins.push_back(static_cast<std::int64_t>(i));
  begins.push_back(static_cast<std::int64_t>(order.size()));
  return order;
}

// A person's likelihood has one weight.
std::vector<double> unit_weights(const ChoiceData& data, const BeyondModel& beyond) {
  std::vector<double> out;
  if (data.weights.empty()) return out;
  const auto& begins = beyond.sets->persons;
  for (std::size_t p = 0; p + 1 < begins.size(); ++p) {
    const auto weight = [&](std::int64_t t) {
      return data.weights[static_cast<std::size_t>(beyond.order[static_cast<std::size_t>(t)])];
    };
    out.push_back(weight(begins[p]));
    for (std::int64_t t = begins[p]; t < begins[p + 1]; ++t)
      if (weight(t) != out.back())
        throw DataError(fmt::format(
            "situation {}: its weight differs from that of another situation of the same person; all choices "
            "of a person need the same weight",
            in_quotes(data.labels[static_cast<std::size_t>(beyond.order[static_cast<std::size_t>(t)])])));
  }
  return out;
}

void fill_membership(const ChoiceData& data, BeyondModel& out) {
  const Index columns = data.membership.cols();
  out.sets->membership.resize(out.sets->person_count(), columns);
  for (Index p = 0; p < out.sets->person_count(); ++p)
    for (auto t = out.sets->persons[static_cast<std::size_t>(p)];
         t < out.sets->persons[static_cast<std::size_t>(p) + 1]; ++t)
      for (Index k = 0; k < columns; ++k) {
        const Index from = out.order[static_cast<std::size_t>(t)];
        const bool first = t == out.sets->persons[static_cast<std::size_t>(p)];
        if (first) out.sets->membership(p, k) = data.membership(from, k);
        if (out.sets->membership(p, k) != data.membership(from, k))
          throw DataError(
              fmt::format("situation {}: a column of the membership differs from another situation "
                          "of the same person; classes are of persons",
                          in_quotes(data.labels[static_cast<std::size_t>(from)])));
      }
}

ru::NestedLogitSpec nested_spec(const ChoiceSchema& schema, const std::vector<std::string>& alternatives) {
  ru::NestedLogitSpec spec{.nests = static_cast<Index>(schema.nests.size()),
                           .places = std::vector<ru::NestPlace>(alternatives.size())};
  const auto place = [&](const std::string& name) -> ru::NestPlace& {
    const auto found = std::find(alternatives.begin(), alternatives.end(), name);
    if (found == alternatives.end())
      throw UsageError("nests: there is no alternative " + in_quotes(name) + " among " +
                       quoted_list(alternatives) + did_you_mean(name, alternatives));
    return spec.places[static_cast<std::size_t>(found - alternatives.begin())];
  };
  for (std::size_t m = 0; m < schema.nests.size(); ++m)
    for (const std::string& name : schema.nests[m].alternatives) {
      ru::NestPlace& one = place(name);
      (one.first < 0 ? one.first : one.second) = static_cast<Index>(m);
    }
  for (const CrossNested& one : cross_nested(schema)) place(one.alternative).share = spec.shares++;
  return spec;
}

}  // namespace

std::vector<std::int32_t> BeyondModel::by_unit(const std::vector<std::int32_t>& groups) const {
  std::vector<std::int32_t> out;
  for (std::size_t p = 0; p + 1 < sets->persons.size(); ++p) {
    const auto group = [&](std::int64_t t) {
      return groups[static_cast<std::size_t>(order[static_cast<std::size_t>(t)])];
    };
    out.push_back(group(sets->persons[p]));
    for (std::int64_t t = sets->persons[p]; t < sets->persons[p + 1]; ++t)
      if (group(t) != out.back())
        throw UsageError("clusters must keep a person's choices together, as their likelihood does");
  }
  return out;
}

ru::MixedLogitSpec mixed_spec(const ChoiceSchema& schema, const std::vector<UtilityParameter>& utility) {
  const RandomCoefficients& random = *schema.random;
  ru::MixedLogitSpec spec{.random = {}, .draws = {}};
  for (const RandomCoefficients::One& one : random.coefficients) {
    const std::size_t k = parameter_of(utility, one.name);
    if (one.mixing == Mixing::log_normal && utility[k].kind == UtilityParameter::Kind::inside)
      throw UsageError(
          "random coefficient " + in_quotes(one.name) +
          ": inside a block nothing says its sign, so it cannot be lognormal; use normal, triangular "
          "or uniform, or make the weight (lambda) of its head lognormal");
    spec.random.push_back({.term = static_cast<Index>(k),
                           .distribution = static_cast<ru::Distribution>(one.mixing),
                           .sign = utility[k].sign < 0 ? -1.0 : 1.0,
                           .correlated = std::find(random.correlated.begin(), random.correlated.end(),
                                                   one.name) != random.correlated.end()});
  }
  spec.draws = {.count = static_cast<Index>(random.draws),
                .sequence = static_cast<ru::Sequence>(random.sequence),
                .dropped = random.dropped,
                .primes = random.primes,
                .seed = random.seed};
  return spec;
}

namespace {

// The inputs of an entry as the factors of columns number them.
auto inputs_of(const ChoiceData& data, Index entry) {
  return [&data, entry](std::int32_t i) {
    const auto attributes = static_cast<std::int32_t>(data.attributes.cols());
    if (i < attributes) return data.attributes(entry, i);
    return data.classes[static_cast<std::size_t>(entry)] == i - attributes ? 1.0 : 0.0;
  };
}

}  // namespace

BeyondModel make_beyond(const StoredModel& model, const ChoiceData& data, double memory) {
  const ChoiceSchema& schema = model.choice()->schema;
  const ChoiceUtility read = choice_utility(model.architecture, schema.linear);
  BeyondModel out;
  out.utility = utility_parameters(model);
  out.columns = read.columns;
  out.sets = std::make_unique<ru::ChoiceSets>();
  ru::ChoiceSets& sets = *out.sets;
  out.order = by_person(data, schema.random || schema.latent, sets.persons);
  sets.begin = {0};
  sets.design.resize(data.attributes.rows(), static_cast<Index>(out.columns.size()));
  for (const Index i : out.order) {
    const auto from = static_cast<std::size_t>(data.begin[static_cast<std::size_t>(i)]),
               to = static_cast<std::size_t>(data.begin[static_cast<std::size_t>(i) + 1]);
    for (std::size_t entry = from; entry < to; ++entry) {
      const auto row = static_cast<Index>(sets.alternative.size());
      const auto z = inputs_of(data, static_cast<Index>(entry));
      for (std::size_t k = 0; k < out.columns.size(); ++k)
        sets.design(row, static_cast<Index>(k)) = value_of<double>(out.columns[k], z);
      sets.alternative.push_back(data.classes[entry]);
    }
    sets.begin.push_back(static_cast<std::int64_t>(sets.alternative.size()));
    sets.chosen.push_back(std::max(data.chosen[static_cast<std::size_t>(i)], 0));
    if (schema.scale) sets.source.push_back(data.sources[static_cast<std::size_t>(i)]);
  }
  sets.weights = unit_weights(data, out);
  const ru::Utility utility =
      read.utility(schema.linear, schema.scale ? static_cast<Index>(schema.scale->levels.size()) : 1);
  if (schema.random) {
    out.model = std::make_unique<ru::MixedLogit>(sets, utility, mixed_spec(schema, out.utility), memory);
  } else if (schema.latent) {
    fill_membership(data, out);
    out.model =
        std::make_unique<ru::LatentClassLogit>(sets, utility, static_cast<Index>(schema.latent->classes));
  } else {
    out.model = std::make_unique<ru::NestedLogit>(sets, utility, nested_spec(schema, data.alternatives));
  }
  return out;
}

namespace {

// Parameters of the utility in the middle: means of random ones, coefficients mixed over classes by their
// shares. The mean of blocks is no block that anybody has, so of classes with blocks it is that of the
// largest class.
std::vector<double> middle_parameters(const ChoiceSchema& schema,
                                      const std::vector<UtilityParameter>& utility,
                                      const std::vector<double>& parameters) {
  const std::size_t size = utility.size();
  std::vector<double> out(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(size));
  if (schema.random) {
    const ru::MixedLogitSpec spec = mixed_spec(schema, utility);
    const std::vector<ru::Spread> spreads = ru::spreads_of(spec);
    const std::size_t first = parameters.size() - spreads.size();
    std::vector<double> variance(spec.random.size(), 0);
    for (std::size_t s = 0; s < spreads.size(); ++s)
      variance[static_cast<std::size_t>(spreads[s].row)] += std::pow(parameters[first + s], 2);
    for (std::size_t k = 0; k < spec.random.size(); ++k)
      if (spec.random[k].distribution == ru::Distribution::log_normal) {
        double& one = out[static_cast<std::size_t>(spec.random[k].term)];
        one = spec.random[k].sign * std::exp(one + 0.5 * variance[k]);
      }
  } else if (schema.latent && schema.linear) {
    const std::size_t each = size + (schema.scale ? schema.scale->levels.size() - 1 : 0);
    const std::vector<double> shares =
        ru::class_shares(static_cast<Index>(schema.latent->classes), static_cast<Index>(each), parameters);
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t c = 0; c < shares.size(); ++c)
      for (std::size_t k = 0; k < out.size(); ++k) out[k] += shares[c] * parameters[c * each + k];
  }
  return out;
}

}  // namespace

void set_beyond(StoredModel& model, std::vector<double> parameters) {
  set_beyond(model, utility_parameters(model), std::move(parameters));
}

void set_beyond(StoredModel& model, const std::vector<UtilityParameter>& utility,
                std::vector<double> parameters) {
  auto& choice = std::get<ChoiceResponse>(model.response);
  model.parameters = raw_parameters(model.architecture, choice.schema.linear,
                                    middle_parameters(choice.schema, utility, parameters));
  choice.beyond = std::move(parameters);
}

namespace {

ChoiceScores in_data_order(const BeyondModel& beyond, const ru::Forecast& forecast, const ChoiceData& data) {
  ChoiceScores out;
  out.by_probability = true;
  out.utility.resize(data.classes.size());
  out.probability.resize(data.classes.size());
  out.log_sum.resize(static_cast<std::size_t>(data.situations()));
  for (std::size_t t = 0; t < beyond.order.size(); ++t) {
    const auto i = static_cast<std::size_t>(beyond.order[t]);
    out.log_sum[i] = forecast.log_sum[t];
    for (std::int64_t j = 0; j < data.size(static_cast<Index>(i)); ++j) {
      const auto source = static_cast<std::size_t>(beyond.sets->begin[t] + j),
                 target = static_cast<std::size_t>(data.begin[i] + j);
      out.utility[target] = forecast.utility[source];
      out.probability[target] = forecast.probability[source];
    }
  }
  return out;
}

}  // namespace

ChoiceScores score_beyond(const BeyondModel& beyond, const FittedModel& model, const ChoiceData& data,
                          const Context& job) {
  return in_data_order(beyond, beyond.model->forecast(model.choice().beyond, ru::DesignSlopes{}, job), data);
}

Matrix<double> design_slopes(const BeyondModel& beyond, const ChoiceSchema& schema, const ChoiceData& data,
                             Index attribute, Per per) {
  const Matrix<double> of_terms = schema.terms.empty()
                                      ? Matrix<double>()
                                      : term_slopes(schema, data, static_cast<std::size_t>(attribute));
  const auto declared = static_cast<std::int32_t>(schema.declared);
  // The derivative of a column through the attribute itself and the terms of it.
  const auto slope = [&](const Term& column, Index entry) {
    const auto z = inputs_of(data, entry);
    double sum = slope_of<double>(column, static_cast<std::int32_t>(attribute), z);
    for (Index t = 0; t < of_terms.cols(); ++t) {
      const double of_input = slope_of<double>(column, declared + static_cast<std::int32_t>(t), z);
      if (of_input != 0 && of_terms(entry, t) != 0) sum += of_input * of_terms(entry, t);
    }
    return sum;
  };
  Matrix<double> out(beyond.sets->design.rows(), beyond.sets->design.cols());
  Index row = 0;
  for (const Index i : beyond.order)
    for (auto entry = static_cast<Index>(data.begin[static_cast<std::size_t>(i)]);
         entry < static_cast<Index>(data.begin[static_cast<std::size_t>(i) + 1]); ++entry, ++row) {
      const double value = per == Per::percent ? data.attributes(entry, attribute) : 1;
      for (Index k = 0; k < out.cols(); ++k)  // of nothing a percent is nothing, however steep the slope
        out(row, k) = value == 0 ? 0 : value * slope(beyond.columns[static_cast<std::size_t>(k)], entry);
    }
  return out;
}

ChoiceResponses respond_beyond(const BeyondModel& beyond, const Matrix<double>& design_slopes,
                               const FittedModel& model, const ChoiceData& data, const Context& job) {
  const ru::Forecast forecast = beyond.model->forecast(model.choice().beyond, design_slopes.view(), job);
  ChoiceResponses out{.scores = in_data_order(beyond, forecast, data),
                      .slope = {},
                      .negative = {},
                      .responses = {},
                      .begins = {0}};
  out.slope.resize(data.classes.size());
  out.negative.resize(data.classes.size());
  for (Index i = 0; i < data.situations(); ++i)
    out.begins.push_back(out.begins.back() + data.size(i) * data.size(i));
  out.responses.resize(static_cast<std::size_t>(out.begins.back()));
  const std::vector<std::int64_t> begins = ru::response_begins(*beyond.sets);
  for (std::size_t t = 0; t < beyond.order.size(); ++t) {
    const auto i = static_cast<std::size_t>(beyond.order[t]);
    const std::int64_t n = data.size(static_cast<Index>(i));
    std::copy_n(forecast.responses.begin() + begins[t], n * n, out.responses.begin() + out.begins[i]);
    std::copy_n(forecast.slope.begin() + beyond.sets->begin[t], n, out.slope.begin() + data.begin[i]);
    std::copy_n(forecast.negative.begin() + beyond.sets->begin[t], n, out.negative.begin() + data.begin[i]);
  }
  return out;
}

}  // namespace bl
