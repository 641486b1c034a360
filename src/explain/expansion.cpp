#include "explain/expansion.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace bl::explain {

namespace {

using Factors = std::vector<Factor>;

using Polynomial = std::map<Factors, long double, GradedOrder>;

// factors times one more power of `variable`, the last of them at most.
Factors times(Factors factors, std::size_t variable) {
  if (!factors.empty() && factors.back().variable == variable)
    ++factors.back().power;
  else
    factors.push_back({variable, 1});
  return factors;
}

// The product of the substituted factors of one term; its positions are ascending.
Polynomial expand(const Term& term, const std::vector<Substitution>& substitutions) {
  Polynomial product = {{{}, 1.0L}};
  for (std::size_t i = 0; i < term.size(); ++i) {
    const auto at = static_cast<std::size_t>(term[i]);
    const Substitution& s = substitutions[at];
    if (s.indicator) {
      if (i > 0 && term[i] == term[i - 1]) continue;
      for (std::size_t k = 0; k < i; ++k) {
        const Substitution& other = substitutions[static_cast<std::size_t>(term[k])];
        if (other.exclusive >= 0 && other.exclusive == s.exclusive) return {};
      }
    }
    Polynomial next;
    for (const auto& [factors, coefficient] : product) {
      next[times(factors, at)] += coefficient * s.slope;
      if (s.offset != 0) next[factors] += coefficient * s.offset;
    }
    product = std::move(next);
  }
  return product;
}

}  // namespace

std::vector<Substitution> substitutions(std::span<const Variable> variables, Units units) {
  std::vector<Substitution> all;
  std::map<std::string, int> columns;
  for (const Variable& v : variables) {
    Substitution s;
    const bool scaled = v.kind == VariableKind::number || v.kind == VariableKind::place;
    if (scaled && units == Units::original)
      s = {.slope = 1.0L / v.scale, .offset = -static_cast<long double>(v.mean) / v.scale};
    s.indicator = v.kind == VariableKind::level || v.kind == VariableKind::missing;
    if (v.kind == VariableKind::level)
      s.exclusive = columns.try_emplace(v.column, static_cast<int>(columns.size())).first->second;
    all.push_back(s);
  }
  return all;
}

Expansion::Expansion(const std::vector<Term>& terms, const std::vector<Substitution>& substitutions) {
  std::vector<Polynomial> expanded;
  std::map<Factors, std::size_t, GradedOrder> places = {{{}, 0}};
  for (const Term& term : terms) {
    expanded.push_back(expand(term, substitutions));
    for (const auto& [factors, coefficient] : expanded.back()) places.emplace(factors, 0);
  }
  for (auto& [factors, place] : places) {
    place = monomials_.size();
    monomials_.push_back(factors);
  }
  for (const Polynomial& polynomial : expanded) {
    parts_.emplace_back();
    for (const auto& [factors, coefficient] : polynomial)
      parts_.back().emplace_back(places.at(factors), coefficient);
  }
}

void Expansion::combine(const double* weights, double& constant, std::vector<Monomial>& out) const {
  std::vector<long double> sums(monomials_.size(), 0);
  for (std::size_t t = 0; t < parts_.size(); ++t) {
    if (weights[t] == 0) continue;
    for (const auto& [monomial, coefficient] : parts_[t]) sums[monomial] += weights[t] * coefficient;
  }
  constant += static_cast<double>(sums[0]);
  for (std::size_t m = 1; m < sums.size(); ++m)
    if (const auto value = static_cast<double>(sums[m]); value != 0) out.push_back({value, 0, monomials_[m]});
}

}  // namespace bl::explain
