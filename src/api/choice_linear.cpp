#include "api/choice_linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "inference/covariance.hpp"
#include "objective/batch.hpp"
#include "training/lbfgs.hpp"

namespace bl {

namespace {

constexpr double kTolerance =
    1e-10;  // norm of the gradient of the mean log-likelihood, attributes of deviation 1
constexpr double kAtBound =
    1e-5;  // a signed coefficient below this (per deviation of its attribute) is at zero
constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

// Standard deviation of each attribute over all entries; 1 for a constant one.
std::vector<double> attribute_scales(const ChoiceData& data) {
  std::vector<double> scales;
  for (Index k = 0; k < data.attributes.cols(); ++k) {
    const auto n = static_cast<double>(data.attributes.rows());
    double mean = 0, squares = 0;
    for (Index i = 0; i < data.attributes.rows(); ++i) mean += data.attributes(i, k) / n;
    for (Index i = 0; i < data.attributes.rows(); ++i)
      squares += std::pow(data.attributes(i, k) - mean, 2) / n;
    scales.push_back(squares > 0 ? std::sqrt(squares) : 1);
  }
  return scales;
}

double term_scale(const LinearTerm& term, const std::vector<double>& scales) {
  return term.attribute < 0 ? 1 : scales[static_cast<std::size_t>(term.attribute)];
}

std::int32_t find_index(const std::string& name, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    throw UsageError("choice schema: there is no alternative " + in_quotes(name) + " among " +
                     quoted_list(names) + did_you_mean(name, names));
  return static_cast<std::int32_t>(found - names.begin());
}

}  // namespace

std::vector<LinearTerm> linear_terms(const ChoiceSchema& schema,
                                     const std::vector<std::string>& alternatives) {
  const LinearUtility& utility = schema.utility;
  std::vector<LinearTerm> terms;
  if (utility.constants) {
    const std::int32_t reference =
        utility.reference.empty() ? 0 : find_index(utility.reference, alternatives);
    for (std::int32_t a = 0; a < static_cast<std::int32_t>(alternatives.size()); ++a)
      if (a != reference)
        terms.push_back({"constant[" + alternatives[static_cast<std::size_t>(a)] + "]", -1, a, 0});
  }
  for (const LinearUtility::Coefficient& one : utility.coefficients) {
    const auto attribute = std::find(schema.attributes.begin(), schema.attributes.end(), one.attribute) -
                           schema.attributes.begin();
    const bool generic = one.alternative.empty();
    terms.push_back({generic ? one.attribute : one.attribute + "[" + one.alternative + "]",
                     static_cast<std::int32_t>(attribute),
                     generic ? -1 : find_index(one.alternative, alternatives), one.sign});
  }
  if (terms.empty())
    throw UsageError("choice schema: the linear utility has neither attributes nor constants");
  return terms;
}

Architecture linear_architecture(const std::vector<LinearTerm>& terms, Index attributes, Index alternatives) {
  Architecture a;
  a.input = {.context = 0, .values = attributes, .classes = alternatives};
  a.basis = {.kind = BasisKind::listed, .extra = {}, .response_only = true};
  for (const LinearTerm& term : terms) {
    Term factors;
    if (term.attribute >= 0) factors.push_back(term.attribute);
    if (term.alternative >= 0) factors.push_back(static_cast<std::int32_t>(attributes) + term.alternative);
    a.basis.extra.push_back(factors);
  }
  a.layers = {LayerSpec{.blocks = 1, .degrees = {{{1}, {}, {}}}}};
  a.activations[0] = Activation::identity;
  a.lambda = Sign::free;  // held at 1
  a.readout.present = false;
  validate(a);
  return a;
}

namespace {

// The choices with attributes of deviation 1, as an objective; the data must outlive it.
struct ScaledChoices {
  Matrix<double> attributes;
  Network<double> network;
  Objective<double> objective;

  ScaledChoices(const std::vector<LinearTerm>& terms, const ChoiceData& data,
                const std::vector<double>& scales)
      : attributes(encode_attributes<double>(data.attributes, std::vector<double>(scales.size(), 0), scales)),
        network(linear_architecture(terms, attributes.cols(), static_cast<Index>(data.alternatives.size()))),
        objective(network, ObjectiveSpec{}, view(data)) {}

 private:
  DatasetView<double> view(const ChoiceData& data) const {
    DatasetView<double> out;
    out.rows = data.situations();
    out.weights = data.weights;
    out.alternatives = {.begin = data.begin,
                        .attributes = attributes.view(),
                        .classes = data.classes,
                        .available = {},
                        .chosen = data.chosen};
    return out;
  }
};

}  // namespace

LinearFit fit_linear(const std::vector<LinearTerm>& terms, const ChoiceData& data, const Settings& settings,
                     const FitOptions& options, Checkpoint<double>& checkpoint) {
  const std::vector<double> scales = attribute_scales(data);
  const ScaledChoices scaled(terms, data, scales);
  const Network<double>& network = scaled.network;
  const Objective<double>& objective = scaled.objective;
  ThreadPool pool(static_cast<std::size_t>(settings.threads));
  BatchEvaluator<double> evaluator(objective, pool);
  std::vector<std::int64_t> rows(static_cast<std::size_t>(data.situations()));
  std::iota(rows.begin(), rows.end(), 0);
  const double total = data.weights.empty() ? static_cast<double>(rows.size())
                                            : std::accumulate(data.weights.begin(), data.weights.end(), 0.0);
  if (!(total > 0)) throw DataError("the weights sum to zero; there is nothing to learn from");
  const auto weight_at = static_cast<std::size_t>(network.layout().tensor("layers/0/U/weight").offset);
  const auto lambda_at = static_cast<std::size_t>(network.layout().tensor("layers/0/U/lambda").offset);
  std::vector<double> raw(static_cast<std::size_t>(network.layout().size())), raw_gradient(raw.size());
  const auto place = [&](std::span<const double> point) {
    raw[lambda_at] = 1;
    for (std::size_t k = 0; k < terms.size(); ++k)
      raw[weight_at + k] = terms[k].sign == 0 ? point[k] : terms[k].sign * softplus(point[k]);
  };
  const DifferentiableFunction<double> function = [&](std::span<const double> point,
                                                      std::span<double> gradient) {
    place(point);
    const LossSum sum = evaluator.evaluate(raw, rows, Noise{RandomStream(0, Purpose::score_noise), 0, {}},
                                           1 / total, raw_gradient);
    for (std::size_t k = 0; k < terms.size(); ++k)
      gradient[k] =
          raw_gradient[weight_at + k] * (terms[k].sign == 0 ? 1 : terms[k].sign / (1 + std::exp(-point[k])));
    return sum.loss / total;
  };
  TrainingState<double> state;  // parameters: the point; epoch: iterations
  state.parameters.assign(terms.size(), 0.0);
  if (options.resume) checkpoint.load(state);
  const Lbfgs<double> optimizer;
  LinearFit fit;
  const std::int64_t most = settings.epochs > 0 ? settings.epochs : 2000;
  const auto gradient_norm = [&] {
    const auto& g = state.lbfgs.gradient;
    return std::sqrt(std::inner_product(g.begin(), g.end(), g.begin(), 0.0));
  };
  while (!fit.converged && !fit.interrupted && state.epoch < most) {
    const LbfgsStatus status = optimizer.iterate(function, state.parameters, state.lbfgs);
    if (status == LbfgsStatus::not_finite)
      throw NumericError("the log-likelihood is not finite; scale the attributes");
    fit.converged = gradient_norm() < kTolerance || status == LbfgsStatus::no_descent;
    ++state.epoch;
    fit.interrupted = options.should_stop && options.should_stop();
    if (!fit.converged) checkpoint.save(state);
  }
  fit.iterations = state.epoch;
  fit.cause = fmt::format("{} after {} iterations, gradient norm {:.1e}",
                          fit.converged ? "converged" : "stopped before it converged", fit.iterations,
                          gradient_norm());
  place(state.parameters);
  for (std::size_t k = 0; k < terms.size(); ++k)
    fit.coefficients.push_back(raw[weight_at + k] / term_scale(terms[k], scales));
  return fit;
}

LinearErrors linear_errors(const std::vector<LinearTerm>& terms, const std::vector<double>& coefficients,
                           const ChoiceData& data) {
  const std::vector<double> scales = attribute_scales(data);
  std::vector<Index> inside;  // terms that are not held at zero by their sign
  LinearErrors out;
  for (std::size_t k = 0; k < terms.size(); ++k) {
    const bool bound =
        terms[k].sign != 0 && std::abs(coefficients[k]) * term_scale(terms[k], scales) < kAtBound;
    out.coefficients.push_back({terms[k].name, bound ? 0 : coefficients[k], kUnknown, kUnknown, kUnknown});
    if (!bound) inside.push_back(static_cast<Index>(k));
  }
  out.robust_covariance.assign(terms.size() * terms.size(), kUnknown);
  if (inside.empty()) return out;
  const ScaledChoices scaled(terms, data, scales);
  std::vector<double> raw(static_cast<std::size_t>(scaled.network.layout().size()), 1.0);  // lambda
  const Index weight = scaled.network.layout().tensor("layers/0/U/weight").offset;
  std::vector<Index> positions;
  for (std::size_t k = 0; k < terms.size(); ++k)
    raw[static_cast<std::size_t>(weight) + k] = coefficients[k] * term_scale(terms[k], scales);
  for (const Index k : inside) positions.push_back(weight + k);
  const inference::Chart chart =
      inference::plain_chart(scaled.network.architecture(), std::move(raw), std::move(positions));
  ThreadPool pool(1);
  inference::Loss loss(scaled.objective, 0, pool);
  const inference::Information information = inference::information(loss, chart);
  const inference::Identification found = inference::identify(information.hessian, chart);
  out.identified = found.null.cols() == 0;
  if (!out.identified) return out;
  const auto covariance = [&](inference::CovarianceKind kind) {
    inference::CovarianceSpec spec{.kind = kind, .clusters = {}, .finite_sample = false};
    if (kind == inference::CovarianceKind::cluster) spec.clusters = {data.persons};
    return inference::covariance(loss, chart, information, found, spec).coordinates;
  };
  const Eigen::MatrixXd classical = covariance(inference::CovarianceKind::classical);
  const Eigen::MatrixXd robust = covariance(inference::CovarianceKind::robust);
  const bool persons =
      !data.persons.empty() && *std::max_element(data.persons.begin(), data.persons.end()) > 0;
  const Eigen::MatrixXd clustered =
      persons ? covariance(inference::CovarianceKind::cluster) : Eigen::MatrixXd();
  for (std::size_t a = 0; a < inside.size(); ++a) {
    const auto row = static_cast<Index>(a);
    const auto place = static_cast<std::size_t>(inside[a]);
    const double scale = term_scale(terms[place], scales);
    ChoiceCoefficient& one = out.coefficients[place];
    one.standard_error = std::sqrt(classical(row, row)) / scale;
    one.robust_error = std::sqrt(robust(row, row)) / scale;
    if (persons) one.clustered_error = std::sqrt(clustered(row, row)) / scale;
    for (std::size_t b = 0; b < inside.size(); ++b) {
      const auto other = static_cast<std::size_t>(inside[b]);
      out.robust_covariance[place * terms.size() + other] =
          robust(row, static_cast<Index>(b)) / (scale * term_scale(terms[other], scales));
    }
  }
  return out;
}

}  // namespace bl
