// The EM algorithm: given the probabilities of the classes, a weighted logit per class and one of the
// membership, by Newton's method; both are concave.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "compute/log_sum_exp.hpp"
#include "random_utility/latent_classes.hpp"

namespace bl::random_utility {

namespace {

constexpr int kNewtonSteps = 3;         // per maximisation step
constexpr double kSmallestRise = 1e-6;  // of the log-likelihood, relative: EM ends
constexpr double kRidge = 1e-8;

double weight_of(const ChoiceSets& s, Index person) {
  return s.weights.empty() ? 1 : s.weights[static_cast<std::size_t>(person)];
}

// Gradient and information of sum_p weight_p log P(choices of p).
void add_class(const ChoiceSets& s, const Matrix<double>& posterior, Index c, const double* coefficients,
               Eigen::VectorXd& gradient, Eigen::MatrixXd& information) {
  const Index size = s.design.cols();
  std::vector<double> p;
  Eigen::VectorXd mean(size);
  for (Index person = 0; person < s.person_count(); ++person) {
    const double weight = weight_of(s, person) * posterior(person, c);
    for (auto t = s.persons[static_cast<std::size_t>(person)];
         t < s.persons[static_cast<std::size_t>(person) + 1]; ++t) {
      const auto begin = static_cast<Index>(s.begin[static_cast<std::size_t>(t)]);
      const Index n = s.size(static_cast<Index>(t));
      p.assign(static_cast<std::size_t>(n), 0);
      for (Index j = 0; j < n; ++j)
        for (Index k = 0; k < size; ++k)
          p[static_cast<std::size_t>(j)] += s.design(begin + j, k) * coefficients[k];
      log_softmax(std::span(p));
      mean.setZero();
      for (Index j = 0; j < n; ++j) {
        const double share = p[static_cast<std::size_t>(j)] = std::exp(p[static_cast<std::size_t>(j)]);
        mean += share * Eigen::Map<const Eigen::VectorXd>(s.design.row(begin + j), size);
      }
      const Index chosen = begin + s.chosen[static_cast<std::size_t>(t)];
      gradient += weight * (Eigen::Map<const Eigen::VectorXd>(s.design.row(chosen), size) - mean);
      for (Index j = 0; j < n; ++j) {
        const Eigen::VectorXd rest = Eigen::Map<const Eigen::VectorXd>(s.design.row(begin + j), size) - mean;
        information += weight * p[static_cast<std::size_t>(j)] * rest * rest.transpose();
      }
    }
  }
}

void add_membership(const LatentClassLogit& model, const Matrix<double>& posterior,
                    std::span<const double> parameters, Eigen::VectorXd& gradient,
                    Eigen::MatrixXd& information) {
  const ChoiceSets& s = model.sets();
  const Index each = 1 + s.membership.cols(), others = model.classes() - 1;
  std::vector<double> share(static_cast<std::size_t>(model.classes()));
  Eigen::VectorXd z(each);
  for (Index p = 0; p < s.person_count(); ++p) {
    model.log_shares(parameters, p, share);
    z(0) = 1;
    for (Index k = 1; k < each; ++k) z(k) = s.membership(p, k - 1);
    const double weight = weight_of(s, p);
    for (Index c = 0; c < others; ++c) {
      const double of_c = std::exp(share[static_cast<std::size_t>(c + 1)]);
      gradient.segment(c * each, each) += weight * (posterior(p, c + 1) - of_c) * z;
      for (Index d = 0; d < others; ++d) {
        const double of_d = std::exp(share[static_cast<std::size_t>(d + 1)]);
        information.block(c * each, d * each, each, each) +=
            weight * of_c * ((c == d ? 1 : 0) - of_d) * z * z.transpose();
      }
    }
  }
}

// One Newton step on values; a step longer than 5 information units is cut.
void newton_step(std::span<double> values, const Eigen::VectorXd& gradient, Eigen::MatrixXd information) {
  information.diagonal().array() += kRidge * (1 + information.diagonal().maxCoeff());
  const Eigen::VectorXd step = information.llt().solve(gradient);
  for (Index k = 0; k < step.size(); ++k) values[static_cast<std::size_t>(k)] += step(k);
}

struct Start {
  std::vector<double> parameters;
  double log_likelihood = -std::numeric_limits<double>::infinity();
};

double mean_log_likelihood(const LatentClassLogit& model, std::span<const double> parameters) {
  ThreadPool alone(1);
  Matrix<double> scores(model.sets().person_count(), model.parameters());
  return model.log_likelihood(parameters, scores.view(), alone);
}

Start run_start(const LatentClassLogit& model, std::span<const double> logit, std::span<const double> scales,
                const ExpectationSpec& spec, Index start) {
  const auto size = static_cast<std::size_t>(model.terms()),
             classes = static_cast<std::size_t>(model.classes());
  Start out;
  out.parameters.assign(static_cast<std::size_t>(model.parameters()), 0);
  const RandomStream stream(spec.seed, Purpose::initial_values, static_cast<std::uint32_t>(start));
  for (std::size_t c = 0; c < classes; ++c)
    for (std::size_t k = 0; k < size; ++k)
      out.parameters[c * size + k] = logit[k] + scales[k] * stream.normal(c, k);
  for (int i = 0; i < spec.iterations && !(spec.should_stop && spec.should_stop()); ++i) {
    const double before = out.log_likelihood;
    out.log_likelihood = mean_log_likelihood(model, out.parameters);
    if (!std::isfinite(out.log_likelihood)) return {};
    if (out.log_likelihood - before < kSmallestRise * std::abs(out.log_likelihood)) break;
    const Matrix<double> posterior = model.posterior(out.parameters);
    for (std::size_t c = 0; c < classes; ++c)
      for (int step = 0; step < kNewtonSteps; ++step) {
        Eigen::VectorXd gradient = Eigen::VectorXd::Zero(model.terms());
        Eigen::MatrixXd information = Eigen::MatrixXd::Zero(model.terms(), model.terms());
        add_class(model.sets(), posterior, static_cast<Index>(c), out.parameters.data() + c * size, gradient,
                  information);
        newton_step(std::span(out.parameters).subspan(c * size, size), gradient, information);
      }
    const Index rest = model.parameters() - model.classes() * model.terms();
    for (int step = 0; step < kNewtonSteps; ++step) {
      Eigen::VectorXd gradient = Eigen::VectorXd::Zero(rest);
      Eigen::MatrixXd information = Eigen::MatrixXd::Zero(rest, rest);
      add_membership(model, posterior, out.parameters, gradient, information);
      newton_step(std::span(out.parameters).subspan(classes * size), gradient, information);
    }
  }
  return out;
}

// Classes by falling share; the membership is told from the new first class.
std::vector<double> ordered_classes(const LatentClassLogit& model, const std::vector<double>& parameters) {
  const std::vector<double> shares = model.population(parameters).shares;
  std::vector<Index> order(shares.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return shares[static_cast<std::size_t>(a)] > shares[static_cast<std::size_t>(b)];
  });
  const Index size = model.terms(), each = 1 + model.sets().membership.cols(), first = model.classes() * size;
  const auto membership = [&](Index c, Index k) {
    return c == 0 ? 0.0 : parameters[static_cast<std::size_t>(first + (c - 1) * each + k)];
  };
  std::vector<double> out;
  for (const Index c : order)
    out.insert(out.end(), parameters.begin() + c * size, parameters.begin() + (c + 1) * size);
  for (std::size_t c = 1; c < order.size(); ++c)
    for (Index k = 0; k < each; ++k) out.push_back(membership(order[c], k) - membership(order[0], k));
  return out;
}

}  // namespace

std::vector<double> expectation_maximisation(const LatentClassLogit& model, std::span<const double> logit,
                                             std::span<const double> scales, const ExpectationSpec& spec,
                                             ThreadPool& pool) {
  std::vector<Start> starts(static_cast<std::size_t>(spec.starts));
  pool.run(starts.size(),
           [&](std::size_t i) { starts[i] = run_start(model, logit, scales, spec, static_cast<Index>(i)); });
  const auto best = std::max_element(starts.begin(), starts.end(), [](const Start& a, const Start& b) {
    return a.log_likelihood < b.log_likelihood;
  });
  return best->parameters.empty() ? best->parameters : ordered_classes(model, best->parameters);
}

}  // namespace bl::random_utility
