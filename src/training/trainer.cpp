#include "training/trainer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <utility>

#include "bl/errors.hpp"
#include "compute/gradient_norm.hpp"

namespace bl {

namespace {

template <class Enum, std::size_t N>
std::string_view text_of(const std::array<std::pair<Enum, std::string_view>, N>& names, Enum value) {
  for (const auto& [one, text] : names)
    if (one == value) return text;
  return "";
}

constexpr std::array<std::pair<ScheduleKind, std::string_view>, 3> kSchedules = {{
    {ScheduleKind::constant, "constant"},
    {ScheduleKind::cosine, "cosine"},
    {ScheduleKind::plateau, "plateau"},
}};

constexpr std::array<std::pair<StopReason, std::string_view>, 7> kReasons = {{
    {StopReason::converged, "converged"},
    {StopReason::early_stopping, "early stopping"},
    {StopReason::max_epochs, "epochs used up"},
    {StopReason::time_limit, "time limit"},
    {StopReason::interrupted, "interrupted"},
    {StopReason::no_descent, "no further descent"},
    {StopReason::diverged, "diverged"},
}};

void check(const TrainSpec& spec) {
  const auto positive = [](double value, const char* what) {
    if (!(value > 0)) throw UsageError(fmt::format("{} must be positive, not {}", what, value));
  };
  positive(spec.optimizer.learning_rate, "the learning rate");
  positive(static_cast<double>(spec.epochs), "the number of epochs");
  positive(static_cast<double>(spec.batch_size), "the batch size");
  if (spec.optimizer.weight_decay < 0) throw UsageError("the weight decay cannot be negative");
  if (!spec.bounds.empty() && spec.optimizer.kind == OptimizerKind::lbfgs)
    throw UsageError("signs in a network are learned by a stochastic optimizer, not by lbfgs; use adam");
}

std::vector<std::int64_t> row_numbers(Index rows) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(rows));
  std::iota(all.begin(), all.end(), std::int64_t{0});
  return all;
}

// A run whose loss grows by this factor over its first epoch, or within it over its first batch, is not
// coming back.
constexpr double kDivergence = 1e6;

constexpr std::size_t kStepsBetweenQuestions = 16;  // of ranks: whether to stop

// Leaves the parameters to keep in the state, and says in the report which they are. last_epoch: those of the
// last whole epoch, where nothing was monitored.
template <class T>
void conclude(TrainingState<T>& state, const std::vector<T>& kept, const std::vector<T>& last_epoch,
              FitReport& report) {
  const bool diverged = report.reason == StopReason::diverged;
  report.usable = !diverged || !state.best_parameters.empty() || !last_epoch.empty();
  if (!state.best_parameters.empty())
    state.parameters = state.best_parameters;
  else
    state.parameters = diverged && report.usable ? last_epoch : kept;
  report.epochs = state.epoch;
  report.best_epoch = state.best_parameters.empty() ? state.epoch : state.best_epoch;
  report.final_loss =
      state.history.empty() ? std::numeric_limits<double>::quiet_NaN() : state.history.back().train_loss;
  if (!state.best_parameters.empty()) report.best_monitor = state.best_monitor;
  report.history = state.history;
}

}  // namespace

std::string_view name(ScheduleKind kind) {
  return text_of(kSchedules, kind);
}
std::string_view name(StopReason reason) {
  return text_of(kReasons, reason);
}

ScheduleKind schedule_from_name(std::string_view name) {
  for (const auto& [value, text] : kSchedules)
    if (text == name) return value;
  throw UsageError("unknown schedule '" + std::string(name) + "'; known: constant, cosine, plateau");
}

template <class T>
Trainer<T>::Trainer(const Objective<T>& training, const Objective<T>* validation, TrainSpec spec,
                    Engine<T>& engine)
    : training_(&training),
      validation_(validation),
      spec_(std::move(spec)),
      engine_(&engine),
      training_rows_(engine.load(training)) {
  check(spec_);
  for (Index i = 0; i < training.data().rows; ++i)
    total_weight_ += static_cast<double>(training.data().weight(i));
  if (!(total_weight_ > 0)) throw DataError("the row weights sum to zero; there is nothing to learn from");
  if (spec_.optimizer.kind == OptimizerKind::lbfgs)
    all_ = row_numbers(training.data().rows);
  else
    cut_batches();
  if (!validation) return;
  validation_rows_ = engine.load(*validation);
  all_validation_ = row_numbers(validation->data().rows);
}

template <class T>
void Trainer<T>::cut_batches() {
  order_.resize(static_cast<std::size_t>(training_->data().rows));
  const auto size = static_cast<std::size_t>(spec_.batch_size);
  // Row weights keep their meaning across batches: they are relative to the mean weight of all rows.
  const double mean_weight = total_weight_ / static_cast<double>(order_.size());
  for (std::size_t from = 0; from < order_.size(); from += size) {
    const auto rows =
        std::span<const std::int64_t>(order_).subspan(from, std::min(size, order_.size() - from));
    batches_.push_back({.rows = rows, .scale = 1 / (mean_weight * static_cast<double>(rows.size()))});
  }
}

template <class T>
TrainingState<T> Trainer<T>::start() const {
  TrainingState<T> state;
  const Network<T>& network = training_->network();
  state.parameters.resize(static_cast<std::size_t>(network.layout().size()));
  starting_values<T>(network.architecture(), network.layout(), spec_.seed, state.parameters);
  mirror<T>(spec_.bounds, state.parameters);
  return state;
}

template <class T>
double Trainer<T>::learning_rate(const TrainingState<T>& state) const {
  double rate = spec_.optimizer.learning_rate * state.rate_factor;
  if (spec_.schedule == ScheduleKind::cosine)
    rate *= 0.5 * (1 + std::cos(std::numbers::pi * static_cast<double>(state.epoch) /
                                static_cast<double>(spec_.epochs)));
  return rate;
}

template <class T>
double Trainer<T>::sigma(std::int64_t epoch) const {
  const double start = training_->spec().sigma;
  if (spec_.sigma_final <= 0 || spec_.epochs < 2) return start;
  const double share = std::min(1.0, static_cast<double>(epoch) / static_cast<double>(spec_.epochs - 1));
  return start * std::pow(spec_.sigma_final / start, share);
}

template <class T>
double Trainer<T>::validation_loss(std::span<const T> parameters) {
  const double last_sigma = spec_.sigma_final > 0 ? spec_.sigma_final : validation_->spec().sigma;
  const Noise same_every_epoch{RandomStream(spec_.seed, Purpose::validation_noise), last_sigma, {}};
  return engine_->loss(validation_rows_, {.rows = all_validation_}, same_every_epoch, parameters, {}).mean();
}

template <class T>
std::optional<StopReason> Trainer<T>::asked_to_stop() const {
  const auto here = [&]() -> std::optional<StopReason> {
    if (engine_->context().should_stop()) return StopReason::interrupted;
    if (out_of_time()) return StopReason::time_limit;
    return std::nullopt;
  };
  Ranks* ranks = engine_->context().ranks();
  if (ranks == nullptr) return here();
  // Clocks and signals differ between ranks: rank 0 decides for all.
  std::optional<StopReason> decided = here();
  ranks->broadcast(std::as_writable_bytes(std::span(&decided, 1)));
  return decided;
}

template <class T>
typename Trainer<T>::EpochOutcome Trainer<T>::stochastic_epoch(TrainingState<T>& state,
                                                               const TrainingHooks<T>& hooks) {
  const auto epoch = static_cast<std::uint32_t>(state.epoch);
  shuffled_order(RandomStream(spec_.seed, Purpose::shuffle, epoch), order_);
  const StepPlan plan{
      .from = training_rows_,
      .batches = batches_,
      .noise = {RandomStream(spec_.seed, Purpose::score_noise, epoch), sigma(state.epoch), {}},
      .rate = learning_rate(state)};
  EpochOutcome outcome;
  // Ranks have to ask each other, which may take as long as a short step.
  const std::size_t every = engine_->context().ranks() ? kStepsBetweenQuestions : 1;
  std::size_t steps = 0;
  const auto stop = [&] {
    if (hooks.on_batch) hooks.on_batch();
    if (++steps % every == 0) outcome.stop = asked_to_stop();
    return outcome.stop.has_value();
  };
  const StepsReport report = engine_->steps(plan, std::ref(stop));  // by reference: nothing is allocated
  engine_->read(state);
  outcome.gradient_norm = report.last.gradient_norm;
  outcome.loss = report.loss.mean();
  const double first_loss = state.history.empty() ? report.first_loss : state.history[0].train_loss;
  if (report.stopped) {
    outcome.cause = outcome.stop == StopReason::interrupted
                        ? fmt::format("stopped on request in epoch {}", state.epoch + 1)
                        : fmt::format("the time limit of {} s was reached in epoch {}", spec_.time_limit,
                                      state.epoch + 1);
  } else if (!report.last.taken) {
    const double loss = report.last.loss.loss;
    outcome.stop = StopReason::diverged;
    outcome.cause = fmt::format(
        "the {} became {} in epoch {}, batch {}, at learning rate {}; lower `learning_rate`, set "
        "`clip_norm`, or "
        "look for extreme values in the data",
        std::isfinite(loss) ? "gradient" : "loss", std::isfinite(loss) ? outcome.gradient_norm : loss,
        state.epoch + 1, report.taken + 1, plan.rate);
  } else if (outcome.loss > kDivergence * (1 + std::abs(first_loss))) {
    outcome.stop = StopReason::diverged;
    outcome.cause = fmt::format("the training loss grew to {:.3g} in epoch {}; lower `learning_rate`",
                                outcome.loss, state.epoch + 1);
  }
  return outcome;
}

template <class T>
const std::vector<T>& Trainer<T>::kept(const TrainingState<T>& state) const {
  return state.averaged.empty() ? state.parameters : state.averaged;
}

template <class T>
typename Trainer<T>::EpochOutcome Trainer<T>::lbfgs_iteration(TrainingState<T>& state) {
  const Noise noise{RandomStream(spec_.seed, Purpose::score_noise), training_->spec().sigma, {}};
  const double scale = 1 / total_weight_;
  const DifferentiableFunction<T> function = [&](std::span<const T> point, std::span<T> gradient) {
    return engine_->loss(training_rows_, {.rows = all_, .scale = scale}, noise, point, gradient).mean();
  };
  EpochOutcome outcome;
  const LbfgsStatus status = lbfgs_.iterate(function, state.parameters, state.lbfgs);
  outcome.loss = state.lbfgs.value;
  outcome.gradient_norm = gradient_norm<T>(state.lbfgs.gradient);
  if (status == LbfgsStatus::not_finite) {
    outcome.stop = StopReason::diverged;
    outcome.cause = fmt::format("the loss is {} at the starting values", outcome.loss);
  } else if (outcome.gradient_norm <= spec_.gradient_tolerance) {
    outcome.stop = StopReason::converged;
    outcome.cause =
        fmt::format("gradient norm {:.3g} is within {:.3g}", outcome.gradient_norm, spec_.gradient_tolerance);
  } else if (status == LbfgsStatus::no_descent) {
    outcome.stop = StopReason::no_descent;
    outcome.cause = fmt::format(
        "no lower point was found with gradient norm {:.3g}: a kink, or the precision of the arithmetic",
        outcome.gradient_norm);
  }
  return outcome;
}

template <class T>
bool Trainer<T>::monitor(TrainingState<T>& state, double value) {
  if (value < state.best_monitor || state.best_parameters.empty()) {
    state.best_monitor = value;
    state.best_epoch = state.epoch;
    state.best_parameters = kept(state);
    state.stale_epochs = state.plateau_epochs = 0;
    return false;
  }
  ++state.stale_epochs;
  if (++state.plateau_epochs > spec_.plateau_patience && spec_.schedule == ScheduleKind::plateau) {
    state.rate_factor *= spec_.plateau_factor;
    state.plateau_epochs = 0;
  }
  return spec_.patience > 0 && state.stale_epochs >= spec_.patience;
}

template <class T>
bool Trainer<T>::out_of_time() const {
  return spec_.time_limit > 0 && engine_->context().seconds() - started_ > spec_.time_limit;
}

template <class T>
FitReport Trainer<T>::run(TrainingState<T>& state, const TrainingHooks<T>& hooks) {
  started_ = engine_->context().seconds();
  const bool lbfgs = spec_.optimizer.kind == OptimizerKind::lbfgs;
  if (!lbfgs) engine_->write(training_->network(), spec_, state);
  FitReport report;
  report.cause = fmt::format("all {} epochs were run", spec_.epochs);
  bool stopped = false;
  std::vector<T> last_epoch;  // what to fall back on where nothing is monitored
  while (!stopped && state.epoch < spec_.epochs) {
    if (!lbfgs && state.best_parameters.empty() && state.epoch > 0) last_epoch = kept(state);
    const double rate = learning_rate(state);
    const EpochOutcome outcome = lbfgs ? lbfgs_iteration(state) : stochastic_epoch(state, hooks);
    report.gradient_norm = outcome.gradient_norm;
    if (outcome.stop) {
      report.reason = *outcome.stop;
      report.cause = outcome.cause;
      stopped = true;
      // An epoch that was cut short leaves no record; a final L-BFGS point does.
      if (report.reason != StopReason::converged && report.reason != StopReason::no_descent) break;
    }
    ++state.epoch;
    EpochRecord record{.epoch = state.epoch,
                       .train_loss = outcome.loss,
                       .gradient_norm = outcome.gradient_norm,
                       .learning_rate = lbfgs ? 1.0 : rate};
    if (validation_) record.validation_loss = validation_loss(kept(state));
    record.monitor = hooks.metric ? hooks.metric(kept(state)) : record.validation_loss;
    state.history.push_back(record);
    if (validation_ && !std::isfinite(record.validation_loss)) {
      report.reason = StopReason::diverged;
      report.cause = fmt::format("the validation loss became {} in epoch {}; lower `learning_rate`",
                                 record.validation_loss, state.epoch);
      break;
    }
    if (!std::isnan(record.monitor) && monitor(state, record.monitor) && !stopped) {
      report.reason = StopReason::early_stopping;
      report.cause = fmt::format("no improvement for {} epochs", state.stale_epochs);
      stopped = true;
    }
    if (hooks.on_epoch) hooks.on_epoch(state);
    if (stopped) break;
    if (hooks.converged && hooks.converged(state)) {
      report.reason = StopReason::converged;
      report.cause = fmt::format("converged after epoch {}", state.epoch);
      break;
    }
    if (const std::optional<StopReason> asked = asked_to_stop()) {
      report.reason = *asked;
      report.cause = asked == StopReason::interrupted
                         ? fmt::format("stopped on request after epoch {}", state.epoch)
                         : fmt::format("the time limit of {} s was reached", spec_.time_limit);
      stopped = true;
    }
  }
  conclude<T>(state, std::vector<T>(kept(state)), last_epoch, report);
  report.seconds = engine_->context().seconds() - started_;
  return report;
}

template class Trainer<float>;
template class Trainer<double>;

}  // namespace bl
