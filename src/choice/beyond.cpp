#include "choice/beyond.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "features/beyond_names.hpp"
#include "features/choice_terms.hpp"
#include "random_utility/latent_classes.hpp"
#include "random_utility/nested_logit.hpp"
#include "random_utility/scaled_logit.hpp"

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

ru::NestedLogitSpec nested_spec(const ChoiceSchema& schema, const std::vector<std::string>& alternatives,
                                Index terms) {
  ru::NestedLogitSpec spec{.terms = terms,
                           .nests = static_cast<Index>(schema.nests.size()),
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

ru::MixedLogitSpec mixed_spec(const ChoiceSchema& schema, const std::vector<LinearTerm>& terms) {
  const RandomCoefficients& random = *schema.random;
  ru::MixedLogitSpec spec{.terms = static_cast<Index>(terms.size()), .random = {}, .draws = {}};
  for (const RandomCoefficients::One& one : random.coefficients) {
    const std::size_t k = term_of(terms, one.name);
    spec.random.push_back({.term = static_cast<Index>(k),
                           .distribution = static_cast<ru::Distribution>(one.mixing),
                           .sign = terms[k].sign < 0 ? -1.0 : 1.0,
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

BeyondModel make_beyond(const ChoiceSchema& schema, const ChoiceData& data) {
  BeyondModel out;
  out.terms = linear_terms(schema, data.alternatives);
  out.sets = std::make_unique<ru::ChoiceSets>();
  ru::ChoiceSets& sets = *out.sets;
  out.order = by_person(data, schema.random || schema.latent, sets.persons);
  sets.begin = {0};
  sets.design.resize(data.attributes.rows(), static_cast<Index>(out.terms.size()));
  for (const Index i : out.order) {
    const auto from = static_cast<std::size_t>(data.begin[static_cast<std::size_t>(i)]),
               to = static_cast<std::size_t>(data.begin[static_cast<std::size_t>(i) + 1]);
    for (std::size_t entry = from; entry < to; ++entry) {
      const auto row = static_cast<Index>(sets.alternative.size());
      for (std::size_t k = 0; k < out.terms.size(); ++k)
        sets.design(row, static_cast<Index>(k)) = out.terms[k].value(data, entry);
      sets.alternative.push_back(data.classes[entry]);
    }
    sets.begin.push_back(static_cast<std::int64_t>(sets.alternative.size()));
    sets.chosen.push_back(std::max(data.chosen[static_cast<std::size_t>(i)], 0));
    if (schema.scale) sets.source.push_back(data.sources[static_cast<std::size_t>(i)]);
  }
  sets.weights = unit_weights(data, out);
  const auto terms = static_cast<Index>(out.terms.size());
  if (schema.random) {
    out.model = std::make_unique<ru::MixedLogit>(sets, mixed_spec(schema, out.terms));
  } else if (schema.latent) {
    fill_membership(data, out);
    out.model = std::make_unique<ru::LatentClassLogit>(sets, static_cast<Index>(schema.latent->classes));
  } else if (schema.scale) {
    out.model =
        std::make_unique<ru::ScaledLogit>(sets, terms, static_cast<Index>(schema.scale->levels.size()));
  } else {
    out.model = std::make_unique<ru::NestedLogit>(sets, nested_spec(schema, data.alternatives, terms));
  }
  return out;
}

std::vector<double> middle_coefficients(const ChoiceSchema& schema, const std::vector<LinearTerm>& terms,
                                        const std::vector<double>& parameters) {
  std::vector<double> out(parameters.begin(), parameters.begin() + static_cast<std::ptrdiff_t>(terms.size()));
  if (schema.random) {
    const ru::MixedLogitSpec spec = mixed_spec(schema, terms);
    std::vector<double> variance(spec.random.size(), 0);
    const std::vector<ru::Spread> spreads = ru::spreads_of(spec);
    for (std::size_t s = 0; s < spreads.size(); ++s)
      variance[static_cast<std::size_t>(spreads[s].row)] += std::pow(parameters[terms.size() + s], 2);
    for (std::size_t k = 0; k < spec.random.size(); ++k)
      if (spec.random[k].distribution == ru::Distribution::log_normal) {
        double& one = out[static_cast<std::size_t>(spec.random[k].term)];
        one = spec.random[k].sign * std::exp(one + 0.5 * variance[k]);
      }
  } else if (schema.latent) {
    const std::vector<double> shares = ru::class_shares(static_cast<Index>(schema.latent->classes),
                                                        static_cast<Index>(terms.size()), parameters);
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t c = 0; c < shares.size(); ++c)
      for (std::size_t k = 0; k < out.size(); ++k) out[k] += shares[c] * parameters[c * terms.size() + k];
  }
  return out;
}

void set_beyond(StoredModel& model, std::vector<double> parameters) {
  auto& choice = std::get<ChoiceResponse>(model.response);
  model.parameters =
      middle_coefficients(choice.schema, linear_terms(choice.schema, choice.alternatives), parameters);
  model.parameters.push_back(1);  // lambda
  choice.beyond = std::move(parameters);
}

namespace {

struct Answer {
  BeyondModel beyond;
  ru::Forecast forecast;
};

struct Asked {
  Index attribute;
  Per per;
};

Answer answer(const FittedModel& model, const ChoiceData& data, std::optional<Asked> asked,
              ThreadPool& pool) {
  const ChoiceSchema& schema = model.choice().schema;
  Answer out{make_beyond(schema, data), {}};
  const Matrix<double> slopes =
      asked ? design_slopes(out.beyond, schema, data, asked->attribute, asked->per) : Matrix<double>();
  out.forecast =
      out.beyond.model->forecast(model.choice().beyond, asked ? slopes.view() : ru::DesignSlopes{}, pool);
  return out;
}

ChoiceScores in_data_order(const Answer& from, const ChoiceData& data) {
  ChoiceScores out;
  out.utility.resize(data.classes.size());
  out.probability.resize(data.classes.size());
  out.log_sum.resize(static_cast<std::size_t>(data.situations()));
  for (std::size_t t = 0; t < from.beyond.order.size(); ++t) {
    const auto i = static_cast<std::size_t>(from.beyond.order[t]);
    out.log_sum[i] = from.forecast.log_sum[t];
    for (std::int64_t j = 0; j < data.size(static_cast<Index>(i)); ++j) {
      const auto source = static_cast<std::size_t>(from.beyond.sets->begin[t] + j),
                 target = static_cast<std::size_t>(data.begin[i] + j);
      out.utility[target] = from.forecast.utility[source];
      out.probability[target] = from.forecast.probability[source];
    }
  }
  return out;
}

}  // namespace

ChoiceScores score_beyond(const FittedModel& model, const ChoiceData& data, ThreadPool& pool) {
  const Answer found = answer(model, data, std::nullopt, pool);
  ChoiceScores out = in_data_order(found, data);
  out.by_probability = true;
  if (!data.choices_known()) return out;
  Matrix<double> scores(found.beyond.sets->person_count(), found.beyond.model->parameters());
  out.log_likelihood = found.beyond.model->log_likelihood(model.choice().beyond, scores.view(), pool);
  return out;
}

Matrix<double> design_slopes(const BeyondModel& beyond, const ChoiceSchema& schema, const ChoiceData& data,
                             Index attribute, Per per) {
  const Matrix<double> of_terms = schema.terms.empty()
                                      ? Matrix<double>()
                                      : term_slopes(schema, data, static_cast<std::size_t>(attribute));
  const auto declared = static_cast<std::int32_t>(schema.declared);
  const auto slope = [&](const LinearTerm& term, Index entry) {
    if (term.alternative >= 0 && term.alternative != data.classes[static_cast<std::size_t>(entry)])
      return 0.0;
    if (term.attribute >= declared) return of_terms(entry, term.attribute - declared);
    return term.attribute == attribute ? 1.0 : 0.0;
  };
  Matrix<double> out(beyond.sets->design.rows(), beyond.sets->design.cols());
  Index row = 0;
  for (const Index i : beyond.order)
    for (auto entry = static_cast<Index>(data.begin[static_cast<std::size_t>(i)]);
         entry < static_cast<Index>(data.begin[static_cast<std::size_t>(i) + 1]); ++entry, ++row) {
      const double value = per == Per::percent ? data.attributes(entry, attribute) : 1;
      for (Index k = 0; k < out.cols(); ++k)  // of nothing a percent is nothing, however steep the slope
        out(row, k) = value == 0 ? 0 : value * slope(beyond.terms[static_cast<std::size_t>(k)], entry);
    }
  return out;
}

ChoiceResponses respond_beyond(const FittedModel& model, const ChoiceData& data, Index attribute, Per per,
                               ThreadPool& pool) {
  const Answer found = answer(model, data, Asked{attribute, per}, pool);
  ChoiceResponses out{
      .scores = in_data_order(found, data), .slope = {}, .negative = {}, .responses = {}, .begins = {0}};
  out.slope.resize(data.classes.size());
  out.negative.resize(data.classes.size());
  for (Index i = 0; i < data.situations(); ++i)
    out.begins.push_back(out.begins.back() + data.size(i) * data.size(i));
  out.responses.resize(static_cast<std::size_t>(out.begins.back()));
  const std::vector<std::int64_t> begins = ru::response_begins(*found.beyond.sets);
  for (std::size_t t = 0; t < found.beyond.order.size(); ++t) {
    const auto i = static_cast<std::size_t>(found.beyond.order[t]);
    const std::int64_t n = data.size(static_cast<Index>(i));
    std::copy_n(found.forecast.responses.begin() + begins[t], n * n, out.responses.begin() + out.begins[i]);
    std::copy_n(found.forecast.slope.begin() + found.beyond.sets->begin[t], n,
                out.slope.begin() + data.begin[i]);
    std::copy_n(found.forecast.negative.begin() + found.beyond.sets->begin[t], n,
                out.negative.begin() + data.begin[i]);
  }
  return out;
}

}  // namespace bl
