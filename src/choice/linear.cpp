#include "choice/linear.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <numeric>

#include "bl/errors.hpp"
#include "choice/column_moments.hpp"
#include "choice/scores.hpp"
#include "choice/undetermined.hpp"
#include "engine/engine.hpp"
#include "training/lbfgs.hpp"

namespace bl {

namespace {

// Norm of the gradient of the mean log-likelihood, attributes of standard deviation 1.
constexpr double kTolerance = 1e-10;

}  // namespace

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

ScaledChoices::ScaledChoices(const std::vector<LinearTerm>& terms, const ChoiceData& data)
    : scales(column_moments(data.attributes).scales),
      attributes(encode_attributes<double>(data.attributes, std::vector<double>(scales.size(), 0), scales)),
      network(linear_architecture(terms, attributes.cols(), static_cast<Index>(data.alternatives.size()))),
      objective(network, ObjectiveSpec{}, view(data)) {}

DatasetView<double> ScaledChoices::view(const ChoiceData& data) const {
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

namespace {

// The mean negative log-likelihood as a function of a point: the scaled coefficients, those with a sign as
// what softplus makes of the point, those left out as 0.
class LinearLikelihood {
 public:
  LinearLikelihood(const std::vector<LinearTerm>& terms, const ChoiceData& data, const Context& job)
      : terms_(terms),
        scaled_(terms, data),
        engine_(make_engine<double>(job)),
        loaded_(engine_->load(scaled_.objective)),
        rows_(static_cast<std::size_t>(data.situations())),
        left_out_(terms.size(), false) {
    std::iota(rows_.begin(), rows_.end(), 0);
    total_ = data.weights.empty() ? static_cast<double>(rows_.size())
                                  : std::accumulate(data.weights.begin(), data.weights.end(), 0.0);
    if (!(total_ > 0)) throw DataError("the weights sum to zero; there is nothing to learn from");
    const ParameterLayout& layout = scaled_.network.layout();
    weight_at_ = static_cast<std::size_t>(layout.tensor("layers/0/U/weight").offset);
    raw_.resize(static_cast<std::size_t>(layout.size()));
    raw_gradient_.resize(raw_.size());
    raw_[static_cast<std::size_t>(layout.tensor("layers/0/U/lambda").offset)] = 1;
    for (const Undetermined& one : undetermined_terms(terms, data)) left_out_[one.term] = !one.runs_away;
  }

  double operator()(std::span<const double> point, std::span<double> gradient) {
    place(point);
    const LossSum sum =
        engine_->loss(loaded_, {.rows = rows_, .scale = 1 / total_},
                      Noise{RandomStream(0, Purpose::score_noise), 0, {}}, raw_, raw_gradient_);
    for (std::size_t k = 0; k < terms_.size(); ++k)
      gradient[k] = left_out_[k] ? 0
                                 : raw_gradient_[weight_at_ + k] *
                                       (terms_[k].sign == 0 ? 1 : terms_[k].sign / (1 + std::exp(-point[k])));
    return sum.loss / total_;
  }

  // In the units of the data.
  std::vector<double> coefficients(std::span<const double> point) {
    place(point);
    std::vector<double> out;
    for (std::size_t k = 0; k < terms_.size(); ++k)
      out.push_back(raw_[weight_at_ + k] / scaled_.scale(terms_[k]));
    return out;
  }

 private:
  void place(std::span<const double> point) {
    for (std::size_t k = 0; k < terms_.size(); ++k)
      raw_[weight_at_ + k] = left_out_[k]          ? 0
                             : terms_[k].sign == 0 ? point[k]
                                                   : terms_[k].sign * softplus(point[k]);
  }

  const std::vector<LinearTerm>& terms_;
  ScaledChoices scaled_;
  std::unique_ptr<Engine<double>> engine_;
  RowSet loaded_;
  std::vector<std::int64_t> rows_;
  std::vector<bool> left_out_;
  double total_ = 0;
  std::size_t weight_at_ = 0;
  std::vector<double> raw_, raw_gradient_;
};

}  // namespace

LinearFit fit_linear(const std::vector<LinearTerm>& terms, const ChoiceData& data, const Settings& settings,
                     bool resume, Checkpoint<double>& checkpoint, const Context& job) {
  LinearLikelihood likelihood(terms, data, job);
  const DifferentiableFunction<double> function = std::ref(likelihood);
  TrainingState<double> state;  // parameters: the point; epoch: iterations
  state.parameters.assign(terms.size(), 0.0);
  if (resume) checkpoint.load(state);
  const Lbfgs<double> optimizer;
  LinearFit fit;
  const std::int64_t most = settings.epochs > 0 ? settings.epochs.value() : 2000;
  const auto gradient_norm = [&] {
    const auto& g = state.lbfgs.gradient;
    return std::sqrt(std::inner_product(g.begin(), g.end(), g.begin(), 0.0));
  };
  StopReason& reason = fit.report.reason = StopReason::max_epochs;
  while (reason == StopReason::max_epochs && state.epoch < most) {
    const LbfgsStatus status = optimizer.iterate(function, state.parameters, state.lbfgs);
    if (status == LbfgsStatus::not_finite)
      throw NumericError("the log-likelihood is not finite; scale the attributes");
    const bool converged = gradient_norm() < kTolerance || status == LbfgsStatus::no_descent;
    ++state.epoch;
    job.tell("iterations", state.epoch, 0);
    const bool interrupted = job.should_stop();
    if (converged)
      reason = StopReason::converged;
    else if (interrupted)
      reason = StopReason::interrupted;
    if (!converged) checkpoint.save(state, job);
  }
  fit.report.epochs = state.epoch;
  fit.report.final_loss = state.lbfgs.value;
  fit.report.gradient_norm = gradient_norm();
  fit.report.cause = fmt::format("{} after {} iterations, gradient norm {:.1e}",
                                 fit.converged() ? "converged" : "stopped before it converged", state.epoch,
                                 fit.report.gradient_norm);
  fit.coefficients = likelihood.coefficients(state.parameters);
  return fit;
}

}  // namespace bl
