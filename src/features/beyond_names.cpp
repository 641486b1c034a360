#include "features/beyond_names.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/joined.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

using Texts = std::vector<std::string>;

void add_mixed(const RandomCoefficients& random, const std::vector<LinearTerm>& terms, Texts& names) {
  Texts inner;  // what the spread is of
  for (const RandomCoefficients::One& one : random.coefficients) {
    const LinearTerm& term = terms[term_of(terms, one.name)];
    const bool log = one.mixing == Mixing::log_normal;
    inner.push_back(log ? (term.sign < 0 ? "log -" : "log ") + one.name : one.name);
    if (log) names[term_of(terms, one.name)] = "mean(" + inner.back() + ")";
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

std::size_t term_of(const std::vector<LinearTerm>& terms, const std::string& name) {
  Texts names;
  for (const LinearTerm& term : terms) {
    if (term.name == name) return names.size();
    names.push_back(term.name);
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

Texts beyond_names(const ChoiceSchema& schema, const Texts& alternatives) {
  const std::vector<LinearTerm> terms = linear_terms(schema, alternatives);
  Texts names;
  for (const LinearTerm& term : terms) names.push_back(term.name);
  if (schema.random) add_mixed(*schema.random, terms, names);
  for (const ChoiceNest& nest : schema.nests) names.push_back("mu(" + nest.name + ")");
  for (const CrossNested& one : cross_nested(schema))
    names.push_back(fmt::format("alpha({}, {})", one.alternative, schema.nests[one.first].name));
  for (std::size_t s = 1; schema.scale && s < schema.scale->levels.size(); ++s)
    names.push_back("log scale(" + schema.scale->levels[s] + ")");
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
  if (schema.random)
    return fmt::format("mixed logit, {} draws per {}", schema.random->draws,
                       schema.person.empty() ? "situation" : "person");
  if (schema.latent) return fmt::format("logit with {} latent classes", schema.latent->classes);
  if (schema.scale) return "logit with a scale by " + schema.scale->column;
  return cross_nested(schema).empty() ? "nested logit" : "cross-nested logit";
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
  std::string primes;
  for (const std::int64_t prime : random.primes)
    primes += (primes.empty() ? "" : ", ") + std::to_string(prime);
  if (primes.empty()) primes = "the first ones";
  return head + fmt::format("Halton points, primes {}, {} dropped{}, one {} after the other", primes,
                            random.dropped,
                            random.sequence == DrawSequence::scrambled_halton
                                ? fmt::format(", digits scrambled by seed {}", random.seed)
                                : "",
                            unit);
}

}  // namespace bl
