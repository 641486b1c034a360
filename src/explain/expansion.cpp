#include "explain/expansion.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace bl::explain {

namespace {

using Factors = std::vector<Factor>;

int degree(const Factors& factors) {
  int sum = 0;
  for (const Factor& factor : factors) sum += factor.power;
  return sum;
}

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

bool GradedOrder::operator()(const Factors& a, const Factors& b) const {
  const int da = degree(a), db = degree(b);
  if (da != db) return da < db;
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(), [](const Factor& x, const Factor& y) {
        return x.variable != y.variable ? x.variable < y.variable : x.power > y.power;
      });
}

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

std::vector<Term> layer_terms(const Architecture& a, std::size_t layer) {
  if (layer == 0) return basis_terms(a.basis, a.input, a.degree());
  std::vector<Term> terms;
  if (a.skip == Skip::input || a.skip == Skip::dense)
    for (Index i = 0; i < a.input.size(); ++i) terms.push_back({static_cast<std::int32_t>(i)});
  auto block = static_cast<std::int32_t>(a.input.size());
  for (std::size_t l = 0; l < layer; ++l)
    for (Index b = 0; b < a.layers[l].blocks; ++b, ++block)
      if (a.skip == Skip::dense || l + 1 == layer) terms.push_back({block});
  return terms;
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
