// Small made-up choice sets with three alternatives, one of them not always there.
#pragma once

#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "random_utility/random_utility_model.hpp"

namespace bl::random_utility::test {

struct MadeSpec {
  Index persons = 12, situations = 3, terms = 3;
  bool weights = false;
  Index membership = 0;
  std::uint64_t seed = 7;
};

// Attributes are normal; choices are uniform.
inline ChoiceSets made_choices(const MadeSpec& spec) {
  const RandomStream stream(spec.seed, Purpose::test);
  ChoiceSets s;
  s.begin = {0};
  s.persons = {0};
  std::vector<std::vector<double>> rows;
  std::uint64_t at = 0;
  for (Index p = 0; p < spec.persons; ++p) {
    for (Index t = 0; t < spec.situations; ++t) {
      const Index size = (p + t) % 4 == 0 ? 2 : 3;
      for (Index j = 0; j < size; ++j) {
        std::vector<double> row;
        for (Index k = 0; k < spec.terms; ++k) row.push_back(stream.normal(1, at++));
        rows.push_back(row);
        s.alternative.push_back(static_cast<std::int32_t>(j));
      }
      s.begin.push_back(static_cast<std::int64_t>(rows.size()));
      s.chosen.push_back(static_cast<std::int32_t>(stream.below(static_cast<std::uint64_t>(size), 2, at++)));
    }
    s.persons.push_back(static_cast<std::int64_t>(s.begin.size()) - 1);
    if (spec.weights) s.weights.push_back(0.5 + stream.uniform(3, at++));
  }
  s.design.resize(static_cast<Index>(rows.size()), spec.terms);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t k = 0; k < rows[i].size(); ++k)
      s.design(static_cast<Index>(i), static_cast<Index>(k)) = rows[i][k];
  s.membership.resize(spec.persons, spec.membership);
  for (Index p = 0; p < spec.persons; ++p)
    for (Index k = 0; k < spec.membership; ++k) s.membership(p, k) = stream.normal(4, at++);
  return s;
}

inline double value_at(const RandomUtilityModel& model, const std::vector<double>& parameters,
                       std::size_t threads = 1) {
  const Context job(threads);
  Matrix<double> scores(model.sets().person_count(), model.parameters());
  return model.log_likelihood(parameters, scores.view(), job);
}

// Column sums of the scores.
inline std::vector<double> gradient_at(const RandomUtilityModel& model,
                                       const std::vector<double>& parameters) {
  const Context job(1);
  Matrix<double> scores(model.sets().person_count(), model.parameters());
  model.log_likelihood(parameters, scores.view(), job);
  std::vector<double> out(parameters.size(), 0);
  for (Index p = 0; p < scores.rows(); ++p)
    for (std::size_t k = 0; k < out.size(); ++k) out[k] += scores(p, static_cast<Index>(k));
  return out;
}

// Log-likelihood of the logit, by the textbook.
inline double logit_value(const ChoiceSets& s, const std::vector<double>& b) {
  double sum = 0;
  for (Index t = 0; t < s.situations(); ++t) {
    const auto begin = static_cast<Index>(s.begin[static_cast<std::size_t>(t)]);
    double total = 0, chosen = 0;
    for (Index j = 0; j < s.size(t); ++j) {
      double v = 0;
      for (std::size_t k = 0; k < b.size(); ++k) v += s.design(begin + j, static_cast<Index>(k)) * b[k];
      total += std::exp(v);
      if (j == s.chosen[static_cast<std::size_t>(t)]) chosen = v;
    }
    sum += chosen - std::log(total);
  }
  return sum;
}

}  // namespace bl::random_utility::test
