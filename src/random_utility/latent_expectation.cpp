// The EM algorithm: given the probabilities of the classes, a weighted logit per class and one of the
// membership, by Newton's method with the expected information. Steps are halved until the likelihood does
// not fall: a whole one overshoots where a class is nearly separated, even of a linear utility.
#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/random.hpp"
#include "base/rank_shares.hpp"
#include "compute/log_sum_exp.hpp"
#include "random_utility/latent_classes.hpp"

namespace bl::random_utility {

namespace {

constexpr int kNewtonSteps = 3;         // per maximisation step
constexpr double kSmallestRise = 1e-6;  // of the log-likelihood, relative: EM ends
constexpr double kRounding = 1e-12;     // of a log-likelihood, relative
constexpr double kRidge = 1e-8;
constexpr int kHalvings = 8;          // of a step
constexpr double kLambdaLeft = 0.25;  // of a lambda: what one step leaves of it at least

double weight_of(const ChoiceSets& s, Index person) {
  return s.weights.empty() ? 1 : s.weights[static_cast<std::size_t>(person)];
}

// sum_p weight_p log P(choices of p), its gradient and its information.
double add_class(const LatentClassLogit& model, const Matrix<double>& posterior, Index c,
                 const double* parameters, Eigen::VectorXd& gradient, Eigen::MatrixXd& information) {
  const ChoiceSets& s = model.sets();
  const Index size = model.each();
  UtilityAt at;
  Eigen::VectorXd mean(size);
  double value = 0;
  for (Index person = 0; person < s.person_count(); ++person) {
    const double weight = weight_of(s, person) * posterior(person, c);
    for (auto t = s.persons[static_cast<std::size_t>(person)];
         t < s.persons[static_cast<std::size_t>(person) + 1]; ++t) {
      model.utility().evaluate(s, static_cast<Index>(t), parameters, at);
      log_softmax(std::span(at.value));
      const auto n = static_cast<Index>(at.value.size()),
                 chosen = static_cast<Index>(s.chosen[static_cast<std::size_t>(t)]);
      const auto row = [&](Index j) { return Eigen::Map<const Eigen::VectorXd>(at.rows + j * size, size); };
      value += weight * at.value[static_cast<std::size_t>(chosen)];
      mean.setZero();
      for (Index j = 0; j < n; ++j) mean += std::exp(at.value[static_cast<std::size_t>(j)]) * row(j);
      gradient += weight * (row(chosen) - mean);
      for (Index j = 0; j < n; ++j) {
        const Eigen::VectorXd rest = row(j) - mean;
        information += weight * std::exp(at.value[static_cast<std::size_t>(j)]) * rest * rest.transpose();
      }
    }
  }
  return value;
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

Eigen::VectorXd newton_step(const Eigen::VectorXd& gradient, Eigen::MatrixXd information) {
  information.diagonal().array() += kRidge * (1 + information.diagonal().maxCoeff());
  return information.llt().solve(gradient);
}

void move(std::span<double> values, const Eigen::VectorXd& step) {
  for (Index k = 0; k < step.size(); ++k) values[static_cast<std::size_t>(k)] += step(k);
}

// Newton steps on the parameters of a class.
void maximise_class(const LatentClassLogit& model, const Matrix<double>& posterior, Index c,
                    std::span<double> parameters) {
  const Utility& utility = model.utility();
  const auto evaluate = [&](std::span<const double> at, Eigen::VectorXd& gradient,
                            Eigen::MatrixXd& information) {
    gradient = Eigen::VectorXd::Zero(model.each());
    information = Eigen::MatrixXd::Zero(model.each(), model.each());
    return add_class(model, posterior, c, at.data(), gradient, information);
  };
  Eigen::VectorXd gradient;
  Eigen::MatrixXd information;
  double value = evaluate(parameters, gradient, information);
  for (int i = 0; i < kNewtonSteps; ++i) {
    Eigen::VectorXd step = newton_step(gradient, information);
    std::vector<double> moved;
    for (int half = 0; half <= kHalvings; ++half, step *= 0.5) {
      moved.assign(parameters.begin(), parameters.end());
      move(moved, step);
      for (std::size_t k = 0; k < moved.size(); ++k)
        if (utility.is_lambda(static_cast<Index>(k)))
          moved[k] = std::max(moved[k], kLambdaLeft * parameters[k]);
      const double there = evaluate(moved, gradient, information);
      const double least = value - kRounding * std::abs(value);
      if (half == kHalvings && !(there >= least)) return;
      if (!(there >= least)) continue;
      value = there;
      break;
    }
    std::copy(moved.begin(), moved.end(), parameters.begin());
  }
}

struct Start {
  std::vector<double> parameters;
  double log_likelihood = -std::numeric_limits<double>::infinity();
};

double mean_log_likelihood(const LatentClassLogit& model, std::span<const double> parameters,
                           const Context& alone) {
  Matrix<double> scores(model.sets().person_count(), model.parameters());
  return model.log_likelihood(parameters, scores.view(), alone);
}

Start run_start(const LatentClassLogit& model, std::span<const double> common, std::span<const double> scales,
                const ExpectationSpec& spec, Index start, const Context& alone) {
  const auto size = static_cast<std::size_t>(model.each()),
             classes = static_cast<std::size_t>(model.classes());
  Start out;
  out.parameters.assign(static_cast<std::size_t>(model.parameters()), 0);
  const RandomStream stream(spec.seed, Purpose::initial_values, static_cast<std::uint32_t>(start));
  for (std::size_t c = 0; c < classes; ++c)
    for (std::size_t k = 0; k < size; ++k)
      out.parameters[c * size + k] = model.utility().is_lambda(static_cast<Index>(k))
                                         ? common[k] * std::exp(scales[k] * stream.normal(c, k))
                                         : common[k] + scales[k] * stream.normal(c, k);
  for (int i = 0; i < spec.iterations && !alone.should_stop(); ++i) {
    const double before = out.log_likelihood;
    out.log_likelihood = mean_log_likelihood(model, out.parameters, alone);
    if (!std::isfinite(out.log_likelihood)) return {};
    if (out.log_likelihood - before < kSmallestRise * std::abs(out.log_likelihood)) break;
    const Matrix<double> posterior = model.posterior(out.parameters);
    for (std::size_t c = 0; c < classes; ++c)
      maximise_class(model, posterior, static_cast<Index>(c),
                     std::span(out.parameters).subspan(c * size, size));
    const Index rest = model.parameters() - model.classes() * model.each();
    for (int step = 0; step < kNewtonSteps; ++step) {
      Eigen::VectorXd gradient = Eigen::VectorXd::Zero(rest);
      Eigen::MatrixXd information = Eigen::MatrixXd::Zero(rest, rest);
      add_membership(model, posterior, out.parameters, gradient, information);
      move(std::span(out.parameters).subspan(classes * size), newton_step(gradient, information));
    }
  }
  return out;
}

// Those of every rank, for all of them. A start without a likelihood has no parameters.
void exchange_starts(std::vector<Start>& starts, std::size_t parameters, Ranks& ranks) {
  Exchange().run(
      ranks, starts.size(), [&](std::size_t) { return (parameters + 2) * sizeof(double); },
      [&](std::size_t i, std::byte* to) {
        std::vector<double> numbers = {starts[i].parameters.empty() ? 0.0 : 1.0, starts[i].log_likelihood};
        numbers.insert(numbers.end(), starts[i].parameters.begin(), starts[i].parameters.end());
        numbers.resize(parameters + 2);
        put(to, std::span<const double>(numbers));
      },
      [&](std::size_t i, const std::byte* from) {
        std::vector<double> numbers(parameters + 2);
        take(from, std::span(numbers));
        starts[i].log_likelihood = numbers[1];
        starts[i].parameters.assign(numbers.begin() + 2,
                                    numbers[0] > 0 ? numbers.end() : numbers.begin() + 2);
      });
}

// Classes by falling share; the membership is told from the new first class.
std::vector<double> ordered_classes(const LatentClassLogit& model, const std::vector<double>& parameters) {
  const std::vector<double> shares = model.population(parameters).shares;
  std::vector<Index> order(shares.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return shares[static_cast<std::size_t>(a)] > shares[static_cast<std::size_t>(b)];
  });
  const Index size = model.each(), each = 1 + model.sets().membership.cols(), first = model.classes() * size;
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

std::vector<double> expectation_maximisation(const LatentClassLogit& model, std::span<const double> common,
                                             std::span<const double> scales, const ExpectationSpec& spec,
                                             const Context& job) {
  std::vector<Start> starts(static_cast<std::size_t>(spec.starts));
  Ranks* const ranks = job.ranks();
  const Shares shares(ranks, starts.size());
  job.run(shares.last() - shares.first(), [&](std::size_t at) {
    const std::size_t i = shares.first() + at;
    starts[i] = run_start(model, common, scales, spec, static_cast<Index>(i), job.alone());
  });
  if (ranks) exchange_starts(starts, static_cast<std::size_t>(model.parameters()), *ranks);
  const auto best = std::max_element(starts.begin(), starts.end(), [](const Start& a, const Start& b) {
    return a.log_likelihood < b.log_likelihood;
  });
  return best->parameters.empty() ? best->parameters : ordered_classes(model, best->parameters);
}

}  // namespace bl::random_utility
