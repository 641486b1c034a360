// Rows drawn from known distributions.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "objective/objective.hpp"

namespace bl::test {

// Two classes, two standard normal context columns, logit of the second class linear in them.
struct LogitData {
  Matrix<double> context;
  std::vector<std::int32_t> classes;
  Matrix<double> values;

  LogitData(Index rows, std::uint64_t seed) : context(rows, 2), values(rows, 0) {
    const RandomStream random(seed, Purpose::test);
    for (Index i = 0; i < rows; ++i) {
      const auto row = static_cast<std::uint64_t>(i);
      context(i, 0) = random.normal(row, 0);
      context(i, 1) = random.normal(row, 1);
      const double logit = 0.4 - 0.8 * context(i, 0) + 0.5 * context(i, 1);
      classes.push_back(random.uniform(row, 9) < 1 / (1 + std::exp(-logit)) ? 1 : 0);
    }
  }
  DatasetView<double> view(std::span<const double> weights = {}) const {
    return {.rows = context.rows(),
            .context = context.view(),
            .values = values.view(),
            .classes = classes,
            .weights = weights,
            .alternatives = {}};
  }
};

// One identity head in e_k, x e_k: the binary logit, U alone.
inline Architecture logit_architecture(std::vector<int> utilities = {2}) {
  Architecture a = single_block({.context = 2, .values = 0, .classes = 2}, std::move(utilities), {}, {});
  a.activations[0] = Activation::identity;
  a.basis.response_only = true;
  return a;
}

// The textbook estimator, by Newton's method on its own formulas.
struct TextbookLogit {
  Eigen::VectorXd beta;
  Eigen::MatrixXd classical, robust;
  double log_likelihood = 0;

  TextbookLogit(const LogitData& data, const std::vector<double>& weights = {}) {
    const Index n = data.context.rows();
    Eigen::MatrixXd x(n, 3);
    for (Index i = 0; i < n; ++i) x.row(i) << 1, data.context(i, 0), data.context(i, 1);
    const auto w = [&](Index i) { return weights.empty() ? 1 : weights[static_cast<std::size_t>(i)]; };
    beta = Eigen::VectorXd::Zero(3);
    Eigen::MatrixXd hessian, products;
    for (int step = 0; step < 30; ++step) {
      hessian = products = Eigen::MatrixXd::Zero(3, 3);
      Eigen::VectorXd gradient = Eigen::VectorXd::Zero(3);
      log_likelihood = 0;
      for (Index i = 0; i < n; ++i) {
        const double p = 1 / (1 + std::exp(-x.row(i).dot(beta)));
        const double y = data.classes[static_cast<std::size_t>(i)];
        const Eigen::VectorXd xi = x.row(i).transpose();
        hessian += w(i) * p * (1 - p) * xi * xi.transpose();
        gradient += w(i) * (y - p) * xi;
        products += w(i) * w(i) * (y - p) * (y - p) * xi * xi.transpose();
        log_likelihood += w(i) * std::log(y > 0 ? p : 1 - p);
      }
      beta += hessian.ldlt().solve(gradient);
    }
    classical = hessian.inverse();
    robust = classical * products * classical;
  }
};

}  // namespace bl::test
