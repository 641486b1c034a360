#include "features/beyond_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/joined.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

using Texts = std::vector<std::string>;

void add_mixed(const RandomCoefficients& random, const std::vector<UtilityParameter>& utility, Texts& names) {
  Texts inner;  // what the spread is of
  for (const RandomCoefficients::One& one : random.coefficients) {
    const std::size_t at = parameter_of(utility, one.name);
    const bool log = one.mixing == Mixing::log_normal;
    inner.push_back(log ? (utility[at].sign < 0 ? "log -" : "log ") + one.name : one.name);
    if (log) names[at] = "mean(" + inner.back() + ")";
  }
  for (std::size_t k = 0; k < inner.size(); ++k) {
    const RandomCoefficients::One& one = random.coefficients[k];
    if (!has(random.correlated, one.name)) {
      const bool bounded = one.mixing == Mixing::triangular || one.mixing == Mixing::uniform;
      names.push_back((bounded ? "spread(" : "sd(") + inner[k] + ")");
      continue;
    }
    for (std::size_t l = 0; l <= k; ++l)
      if (has(random.correlated, random.coefficients[l].name))
        names.push_back(fmt::format("chol({}, {})", inner[k], inner[l]));
  }
}

}  // namespace

std::vector<UtilityParameter> linear_parameters(const ChoiceSchema& schema, const Texts& alternatives) {
  std::vector<UtilityParameter> out;
  for (const LinearTerm& term : linear_terms(schema, alternatives))
    out.push_back({.name = term.name, .sign = term.sign});
  return out;
}

std::size_t parameter_of(const std::vector<UtilityParameter>& parameters, const std::string& name) {
  Texts names;
  for (const UtilityParameter& one : parameters) {
    if (one.name == name) return names.size();
    names.push_back(one.name);
  }
  throw UsageError("the utility has no coefficient " + in_quotes(name) + " among " + quoted_list(names) +
                   did_you_mean(name, names));
}

std::vector<CrossNested> cross_nested(const ChoiceSchema& schema) {
  std::vector<CrossNested> out;
  for (std::size_t m = 0; m < schema.nests.size(); ++m)
    for (const std::string& name : schema.nests[m].alternatives)
      for (std::size_t other = m + 1; other < schema.nests.size(); ++other)
        if (has(schema.nests[other].alternatives, name)) out.push_back({name, m, other});
  return out;
}

Texts beyond_names(const ChoiceSchema& schema, const std::vector<UtilityParameter>& utility) {
  Texts names;
  for (const UtilityParameter& one : utility) names.push_back(one.name);
  for (std::size_t s = 1; schema.scale && s < schema.scale->levels.size(); ++s)
    names.push_back("log scale(" + schema.scale->levels[s] + ")");
  if (schema.random) add_mixed(*schema.random, utility, names);
  for (const ChoiceNest& nest : schema.nests) names.push_back("mu(" + nest.name + ")");
  for (const CrossNested& one : cross_nested(schema))
    names.push_back(fmt::format("alpha({}, {})", one.alternative, schema.nests[one.first].name));
  if (!schema.latent) return names;
  Texts by_class;
  for (std::int64_t c = 1; c <= schema.latent->classes; ++c)
    for (const std::string& name : names) by_class.push_back(fmt::format("{} (class {})", name, c));
  for (std::int64_t c = 2; c <= schema.latent->classes; ++c) {
    by_class.push_back(fmt::format("share (class {})", c));
    for (const Expression& one : schema.latent->membership)
      by_class.push_back(fmt::format("share by {} (class {})", one.text(), c));
  }
  return by_class;
}

std::string beyond_words(const ChoiceSchema& schema) {
  const std::string of = schema.linear ? "" : " of a block",
                    by = schema.scale ? " with a scale by " + schema.scale->column : "",
                    scaled = schema.scale ? " and a scale by " + schema.scale->column : "";
  if (schema.random)
    return fmt::format("mixed logit{}{}, {} draws per {}", of, by, schema.random->draws,
                       schema.person.empty() ? "situation" : "person");
  if (schema.latent)
    return fmt::format("logit{} with {} latent classes{}", of, schema.latent->classes, scaled);
  if (schema.nests.empty()) return "logit" + of + by;
  return (cross_nested(schema).empty() ? "nested logit" : "cross-nested logit") + of + by;
}

std::string sampling_words(const ChoiceSchema& schema) {
  const RandomCoefficients& random = *schema.random;
  const std::string unit = schema.person.empty() ? "situation" : "person";
  const std::string head = fmt::format("{} draws per {}: ", random.draws, unit);
  if (random.sequence == DrawSequence::pseudo_random)
    return head + fmt::format("pseudo-random, seed {}", random.seed);
  if (random.sequence == DrawSequence::sobol)
    return head + fmt::format("Sobol points with a random digital shift, seed {}, one {} after the other",
                              random.seed, unit);
  std::string primes = joined(random.primes, ", ", [](std::int64_t prime) { return std::to_string(prime); });
  if (primes.empty()) primes = "the first ones";
  return head + fmt::format("Halton points, primes {}, {} dropped{}, one {} after the other", primes,
                            random.dropped,
                            random.sequence == DrawSequence::scrambled_halton
                                ? fmt::format(", digits scrambled by seed {}", random.seed)
                                : "",
                            unit);
}

}  // namespace bl
