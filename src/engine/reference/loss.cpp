#include "engine/reference/loss.hpp"

#include <algorithm>
#include <cmath>

#include "bl/errors.hpp"
#include "engine/reference/interval.hpp"

namespace bl::reference {

namespace {

constexpr Index kNoClass = -1;

// One output's weight, all others 0.
std::vector<double> only(std::size_t output, double weight, Index outputs) {
  std::vector<double> weights(static_cast<std::size_t>(outputs), 0.0);
  weights[output] = weight;
  return weights;
}

// The utilities of candidates, and the log of the sum of exp(log_weight + BL/tau).
struct Evaluated {
  std::vector<Trace> traces;
  std::vector<double> logits;
  double normaliser = 0;

  Evaluated(const Utility& utility, const std::vector<Candidate>& candidates, double tau) {
    for (const Candidate& candidate : candidates) {
      traces.push_back(utility.trace(candidate.z));
      logits.push_back(candidate.log_weight + traces.back().outputs[candidate.output] / tau);
    }
    const double largest = *std::max_element(logits.begin(), logits.end());
    double sum = 0;
    for (const double logit : logits) sum += std::exp(logit - largest);
    normaliser = largest + std::log(sum);
  }
  double probability(std::size_t k) const { return std::exp(logits[k] - normaliser); }
};

}  // namespace

template <class T>
Loss<T>::Loss(const Objective<T>& objective) : objective_(&objective) {
  // Every member by name: a new one does not compile until it is written here a second time, or refused.
  [[maybe_unused]] const auto& [kind, temperature, sigma, draws, label_smoothing, gamma_discrete,
                                gamma_continuous, rule, exact, random] = objective.spec();
  [[maybe_unused]] const auto& [rows, context, values, classes, weights, alternatives, held, versions] =
      objective.data();
  if (!held.empty()) throw UsageError("the reference engine reads rows that lie with one process");
}

template <class T>
std::vector<double> Loss<T>::point(Index row, const Noise& noise, std::span<const double> v,
                                   Index class_index) const {
  std::vector<double> z;
  const DatasetView<T>& data = objective_->data();
  const Index version = data.versions ? data.versions->of(noise.stream, row) : 0;
  for (Index j = 0; j < architecture().input.context; ++j) {
    if (version == 0) {
      z.push_back(static_cast<double>(data.context(row, j)));
      continue;
    }
    const Index from = data.versions->source(version - 1, j);
    const T x = from < 0 ? T(0) : data.context(row, from);
    z.push_back(static_cast<double>(x + data.versions->offset(version - 1, j)));
  }
  z.insert(z.end(), v.begin(), v.end());
  for (Index c = 0; c < architecture().input.classes; ++c) z.push_back(c == class_index ? 1 : 0);
  return z;
}

template <class T>
std::vector<double> Loss<T>::response(Index row) const {
  std::vector<double> v;
  for (Index j = 0; j < objective_->data().values.cols; ++j)
    v.push_back(static_cast<double>(objective_->data().values(row, j)));
  return v;
}

template <class T>
Choice Loss<T>::choice(const Utility& utility, Index row, const Noise& noise) const {
  const DatasetView<T>& data = objective_->data();
  const auto i = static_cast<std::size_t>(row);
  Choice out;
  if (!data.alternatives.begin.empty()) {  // the alternatives of the row that are available
    const AlternativesView<T>& all = data.alternatives;
    for (std::int64_t j = all.begin[i]; j < all.begin[i + 1]; ++j) {
      const auto at = static_cast<std::size_t>(j);
      if (!all.available.empty() && !all.available[at]) continue;
      std::vector<double> v;
      for (Index k = 0; k < all.attributes.cols; ++k) v.push_back(static_cast<double>(all.attributes(j, k)));
      out.candidates.push_back({point(row, noise, v, all.classes.empty() ? kNoClass : all.classes[at])});
      if (j - all.begin[i] == all.chosen[i]) out.observed = {out.candidates.back()};
    }
  } else if (architecture().form == Form::vector) {  // the outputs at one point
    for (std::size_t o = 0; o < static_cast<std::size_t>(architecture().outputs); ++o)
      out.candidates.push_back({point(row, noise, response(row), kNoClass), o});
    out.observed = {out.candidates[static_cast<std::size_t>(data.classes[i])]};
  } else if (architecture().input.classes > 0) {  // all classes
    for (Index c = 0; c < architecture().input.classes; ++c)
      out.candidates.push_back({point(row, noise, response(row), c)});
    out.observed = {out.candidates[static_cast<std::size_t>(data.classes[i])]};
  } else {
    out = density(utility, row, noise);
  }
  return out;
}

// Of continuous responses alone.
template <class T>
Choice Loss<T>::density(const Utility& utility, Index row, const Noise& noise) const {
  const ObjectiveSpec& spec = objective_->spec();
  std::vector<double> v = response(row);
  Choice out;
  out.observed = {{point(row, noise, v, kNoClass)}};
  if (spec.exact) {                 // the whole support; inside a slot all that is known is that
    constexpr double kEdge = 1e-3;  // of a slot's width counts as outside
    out.candidates = interval(utility, row, noise, spec.exact->lower, spec.exact->upper);
    for (const auto& [lower, upper] : spec.exact->slots)
      if (v[0] > lower + kEdge * (upper - lower) && v[0] < upper - kEdge * (upper - lower))
        out.observed = interval(utility, row, noise, lower, upper);
  } else if (const auto& random = spec.random) {  // the observed value and random ones, all as likely
    double log_density = random->proposal->log_density(v);
    for (int k = 0; k <= random->count; ++k) {
      if (k > 0)
        log_density = random->proposal->draw(noise.stream, static_cast<std::uint64_t>(row),
                                             static_cast<std::uint64_t>(k - 1), v);
      out.candidates.push_back(
          {point(row, noise, v, kNoClass), 0, -log_density - std::log(random->count + 1.0)});
    }
  } else {  // the nodes of a quadrature rule
    for (Index k = 0; k < spec.rule.size(); ++k) {
      const std::span<const double> node(spec.rule.nodes.row(k),
                                         static_cast<std::size_t>(spec.rule.nodes.cols()));
      out.candidates.push_back(
          {point(row, noise, node, kNoClass), 0, spec.rule.log_weights[static_cast<std::size_t>(k)]});
    }
  }
  return out;
}

template <class T>
std::vector<Candidate> Loss<T>::interval(const Utility& utility, Index row, const Noise& noise, double lower,
                                         double upper) const {
  const std::vector<double> anywhere = point(row, noise, response(row), kNoClass);
  std::vector<Candidate> out;
  for (const IntervalNode& node : interval_nodes(utility, architecture(), anywhere,
                                                 static_cast<std::size_t>(architecture().input.context),
                                                 lower, upper, objective_->spec().temperature))
    out.push_back({point(row, noise, std::vector{node.place}, kNoClass), 0, node.log_weight});
  return out;
}

template <class T>
double Loss<T>::likelihood(const Utility& utility, Index row, const Noise& noise, double scale,
                           std::span<double> gradient) const {
  const double tau = objective_->spec().temperature;
  const Index outputs = architecture().outputs;
  const Choice choice = this->choice(utility, row, noise);
  const Evaluated all(utility, choice.candidates, tau), observed(utility, choice.observed, tau);
  // The observed class gives this share of itself to all classes, itself included.
  const double smoothing = objective_->spec().label_smoothing;
  const double spread = smoothing / static_cast<double>(all.logits.size());
  if (!gradient.empty()) {
    const std::vector<double> no_tangent(static_cast<std::size_t>(outputs), 0.0);
    const auto add = [&](const Trace& at, std::size_t output, double weight) {
      utility.add_gradient(at, only(output, scale * weight / tau, outputs), no_tangent, gradient);
    };
    for (std::size_t k = 0; k < all.traces.size(); ++k)
      add(all.traces[k], choice.candidates[k].output, all.probability(k) - spread);
    for (std::size_t k = 0; k < observed.traces.size(); ++k)
      add(observed.traces[k], choice.observed[k].output, -(1 - smoothing) * observed.probability(k));
  }
  double expected = (1 - smoothing) * observed.normaliser;
  for (const double logit : all.logits) expected += spread * logit;
  return all.normaliser - expected;
}

template <class T>
double Loss<T>::noise_of(const Noise& noise, Index row, Index i) const {
  return noise.given.data
             ? noise.given(row, i)
             : noise.stream.normal(static_cast<std::uint64_t>(row), static_cast<std::uint64_t>(i));
}

// v~ = v + sigma e.
template <class T>
std::vector<Candidate> Loss<T>::noisy_points(Index row, const Noise& noise) const {
  const DatasetView<T>& data = objective_->data();
  const Index c = data.classes.empty() ? kNoClass : data.classes[static_cast<std::size_t>(row)];
  std::vector<Candidate> out;
  for (Index k = 0; k < objective_->spec().draws; ++k) {
    std::vector<double> v = response(row);
    const auto dims = static_cast<Index>(v.size());
    for (Index j = 0; j < dims; ++j)
      v[static_cast<std::size_t>(j)] += noise.sigma * noise_of(noise, row, k * dims + j);
    out.push_back({point(row, noise, v, c)});
    if (architecture().form == Form::vector) out.back().output = static_cast<std::size_t>(c);
  }
  return out;
}

// 1/2 sum over dimensions j of r_j^2 with r_j = (dBL/dv_j)/tau + e_j/sigma, mean over draws. Its derivative
// is that of sum_j (r_j/tau) (dBL/dv_j) with r_j held constant.
template <class T>
double Loss<T>::score_matching(const Utility& utility, Index row, const Noise& noise, double scale,
                               std::span<double> gradient) const {
  const ObjectiveSpec& spec = objective_->spec();
  const Index dims = architecture().input.values, outputs = architecture().outputs;
  const std::vector<Candidate> points = noisy_points(row, noise);
  double loss = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    for (Index j = 0; j < dims; ++j) {
      std::vector<double> direction(points[k].z.size(), 0.0);
      direction[static_cast<std::size_t>(architecture().input.context + j)] = 1;
      const Trace at = utility.trace(points[k].z, direction);
      const double e = noise_of(noise, row, static_cast<Index>(k) * dims + j);
      const double r = at.outputs_dot[points[k].output] / spec.temperature + e / noise.sigma;
      loss += 0.5 * r * r / spec.draws;
      if (gradient.empty()) continue;
      const std::vector<double> no_value(static_cast<std::size_t>(outputs), 0.0);
      utility.add_gradient(
          at, no_value, only(points[k].output, scale * r / spec.temperature / spec.draws, outputs), gradient);
    }
  }
  return loss;
}

template <class T>
LossSum Loss<T>::row(const Utility& utility, Index row, const Noise& noise, double scale,
                     std::span<double> gradient) const {
  const ObjectiveSpec& spec = objective_->spec();
  const double weight = static_cast<double>(objective_->data().weight(row));
  LossSum sum;
  sum.weight = weight;
  switch (spec.kind) {
    case ObjectiveKind::likelihood:
      sum.loss = weight * likelihood(utility, row, noise, scale * weight, gradient);
      break;
    case ObjectiveKind::score_matching:
      sum.loss = weight * score_matching(utility, row, noise, scale * weight, gradient);
      break;
    case ObjectiveKind::hybrid:
      sum.discrete = weight * likelihood(utility, row, noise, scale * weight * spec.gamma_discrete, gradient);
      sum.continuous =
          weight * score_matching(utility, row, noise, scale * weight * spec.gamma_continuous, gradient);
      sum.loss = spec.gamma_discrete * sum.discrete + spec.gamma_continuous * sum.continuous;
      break;
  }
  return sum;
}

template class Loss<float>;
template class Loss<double>;

}  // namespace bl::reference
