// Every loss written a second time, straight from the formulas: the truth for the library's.
#pragma once

#include <cmath>
#include <span>
#include <vector>

#include "support/finite_differences.hpp"
#include "support/naive_model.hpp"
#include "support/random_problem.hpp"

namespace bl::test {

// z = [x ; v ; one-hot class]; class_index -1 for none.
template <class T>
std::vector<double> naive_input(const Problem<T>& p, Index row, std::span<const double> v, int class_index) {
  std::vector<double> z;
  for (Index j = 0; j < p.architecture.input.context; ++j)
    z.push_back(static_cast<double>(p.context(row, j)));
  z.insert(z.end(), v.begin(), v.end());
  for (int c = 0; c < p.architecture.input.classes; ++c) z.push_back(c == class_index ? 1 : 0);
  return z;
}

// Every loss of specification page 2, naively: no shared work, sums in the order of the formulas.
template <class T>
class NaiveLoss {
 public:
  NaiveLoss(const Problem<T>& problem, const ParameterLayout& layout, std::span<const double> parameters,
            NaiveModel::HeadVisitor visit = {})
      : p_(problem), model_(problem.architecture, layout, parameters), visit_(std::move(visit)) {}

  double mean() const {
    double sum = 0, weight = 0;
    for (Index i = 0; i < p_.rows; ++i) {
      const double w = static_cast<double>(p_.data().weight(i));
      double loss = 0;
      switch (p_.spec.kind) {
        case ObjectiveKind::likelihood:
          loss = cross_entropy(i);
          break;
        case ObjectiveKind::score_matching:
          loss = score_matching(i);
          break;
        case ObjectiveKind::hybrid:
          loss = p_.spec.gamma_discrete * cross_entropy(i) + p_.spec.gamma_continuous * score_matching(i);
          break;
      }
      sum += w * loss;
      weight += w;
    }
    return sum / weight;
  }

 private:
  std::vector<double> outputs(Index row, std::span<const double> v, int c, bool visited = true) const {
    return model_.outputs(naive_input(p_, row, v, c), visited ? visit_ : NaiveModel::HeadVisitor{});
  }
  std::vector<double> response(Index row) const {
    std::vector<double> v;
    for (Index j = 0; j < p_.values.cols(); ++j) v.push_back(static_cast<double>(p_.values(row, j)));
    return v;
  }

  static long double exponential(double v) { return std::exp(static_cast<long double>(v)); }

  double cross_entropy(Index row) const {
    const double tau = p_.spec.temperature;
    const auto i = static_cast<std::size_t>(row);
    long double sum = 0;  // its exponent range needs no shifting
    double numerator = 0;
    if (!p_.set_begin.empty()) {
      for (std::int64_t j = p_.set_begin[i]; j < p_.set_begin[i + 1]; ++j) {
        const auto at = static_cast<std::size_t>(j);
        if (!p_.available[at]) continue;
        std::vector<double> v;
        for (Index k = 0; k < p_.attributes.cols(); ++k)
          v.push_back(static_cast<double>(p_.attributes(j, k)));
        const double u = outputs(row, v, p_.alternative_classes.empty() ? -1 : p_.alternative_classes[at])[0];
        sum += exponential(u / tau);
        if (j - p_.set_begin[i] == p_.chosen[i]) numerator = u / tau;
      }
    } else if (vector_form(p_.task)) {
      const auto u = outputs(row, response(row), -1);
      for (const double one : u) sum += exponential(one / tau);
      numerator = u[static_cast<std::size_t>(p_.classes[i])] / tau;
    } else if (p_.architecture.input.classes > 0) {
      for (int c = 0; c < p_.architecture.input.classes; ++c)
        sum += exponential(outputs(row, response(row), c)[0] / tau);
      numerator = outputs(row, response(row), p_.classes[i])[0] / tau;
    } else {
      for (Index k = 0; k < p_.spec.rule.size(); ++k) {
        const std::span<const double> node(p_.spec.rule.nodes.row(k),
                                           static_cast<std::size_t>(p_.spec.rule.nodes.cols()));
        sum += exponential(p_.spec.rule.log_weights[static_cast<std::size_t>(k)] +
                           outputs(row, node, -1)[0] / tau);
      }
      numerator = outputs(row, response(row), -1)[0] / tau;
    }
    return static_cast<double>(std::log(sum) - numerator);
  }

  // grad_v BL by differences of the naive utility.
  double score_matching(Index row) const {
    const Index dims = p_.values.cols();
    const int c = p_.classes.empty() ? -1 : p_.classes[static_cast<std::size_t>(row)];
    const std::size_t output = vector_form(p_.task) ? static_cast<std::size_t>(c) : 0;
    double loss = 0;
    for (Index k = 0; k < p_.spec.draws; ++k) {
      std::vector<double> v = response(row);
      for (Index j = 0; j < dims; ++j)
        v[static_cast<std::size_t>(j)] += p_.spec.sigma * p_.noise(row, k * dims + j);
      outputs(row, v, c);
      for (Index j = 0; j < dims; ++j) {
        const Difference d = central_difference([&](double t) {
          std::vector<double> moved = v;
          moved[static_cast<std::size_t>(j)] += t;
          return outputs(row, moved, c, false)[output];
        });
        const double r = d.slope / p_.spec.temperature + p_.noise(row, k * dims + j) / p_.spec.sigma;
        loss += 0.5 * r * r / p_.spec.draws;
      }
    }
    return loss;
  }

  const Problem<T>& p_;
  NaiveModel model_;
  NaiveModel::HeadVisitor visit_;
};

}  // namespace bl::test
