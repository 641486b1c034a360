#include <algorithm>
#include <cmath>

#include "bl/errors.hpp"
#include "plan/number_plan.hpp"
#include "plan/plan.hpp"

namespace bl {

namespace {

// A network for a number that is left to the defaults, learned step by step.
bool automatic_for_number(const Settings& s, bool single_continuous) {
  return single_continuous && s.layers == "auto" && s.optimizer == "auto" && s.starts == 0 && !s.single &&
         !s.identifiable;
}

}  // namespace

double automatic_decay(double train_rows) {
  return std::min(0.5, 177 / train_rows);
}

bool has_bends(const Encoder& encoder) {
  return encoder.straight_columns() < encoder.columns().size();
}

Index automatic_members(const Settings& s, const Encoder& encoder, Index train_rows) {
  const auto& responses = encoder.responses();
  const bool single_continuous = responses.size() == 1 && !responses[0].is_class();
  if (single_continuous && plans_exact_number(s) && train_rows < static_cast<Index>(kFewRowsForNumber))
    return 8;
  const bool classes = std::all_of(responses.begin(), responses.end(),
                                   [](const ResponseEncoding& response) { return response.is_class(); });
  return classes && has_bends(encoder) && train_rows >= 10000 ? 2 : 4;
}

Index plan_members(const Settings& s, const Architecture& a, Index automatic) {
  const bool alone = !a.readout.present || s.identifiable || s.optimizer == "lbfgs";
  if (s.members > 1 && alone)
    throw UsageError(
        "several `members` are for layers learned by a stochastic `optimizer`; `single`, `identifiable` and "
        "lbfgs "
        "have one");
  if (s.members > 0) return s.members;
  return alone || s.layers != "auto" ? 1 : automatic;
}

double plan_readout_unit(const Settings& s, bool single_continuous) {
  if (single_continuous && plans_exact_number(s)) return 3;
  return automatic_for_number(s, single_continuous) ? 10 : 1;
}

int plan_starts(const Settings& s, const Architecture& a) {
  constexpr Index kMostParameters = 500;
  constexpr int kStarts = 8;
  if (s.starts > 0 && s.optimizer != "auto" && s.optimizer != "lbfgs")
    throw UsageError("`starts` are for fits to the minimum by lbfgs; leave out `starts` or `optimizer`");
  if (s.starts > 0) return static_cast<int>(s.starts);
  const bool small = ParameterLayout(a).free_count() <= kMostParameters;
  return s.identifiable && s.optimizer == "auto" && small ? kStarts : 0;
}

std::vector<double> plan_decay(const Architecture& a, const Encoder& encoder, double of_weights,
                               double of_bends) {
  const ParameterLayout layout(a);
  const auto& columns = encoder.columns();
  const auto bent = [&](std::int32_t i) {
    return i < a.input.context && columns[static_cast<std::size_t>(i)].bends();
  };
  std::vector<double> decay(static_cast<std::size_t>(layout.size()), 0);
  for (const TensorInfo& tensor : layout.tensors()) {
    if (!tensor.decays()) continue;
    std::vector<double> of_columns(static_cast<std::size_t>(tensor.cols), of_weights);
    if (tensor.role == TensorRole::weight)
      std::ranges::transform(layer_terms(a, tensor.layer), of_columns.begin(), [&](const Term& term) {
        return factors_where(term, bent).empty() ? of_weights : of_bends;
      });
    for (Index i = 0; i < tensor.size(); ++i)
      decay[static_cast<std::size_t>(tensor.offset + i)] =
          of_columns[static_cast<std::size_t>(i % tensor.cols)];
  }
  return decay;
}

TrainSpec plan_training(const Settings& s, Index train_rows, bool single_continuous, bool curves) {
  TrainSpec spec;
  const bool exact = single_continuous && plans_exact_number(s);
  const bool decays = s.weight_decay < 0 && automatic_for_number(s, single_continuous);
  spec.optimizer.kind = optimizer_from_name(s.optimizer != "auto" ? s.optimizer.value()
                                            : decays || curves    ? "adamw"
                                                                  : "adam");
  const bool lbfgs = spec.optimizer.kind == OptimizerKind::lbfgs;
  const bool sgd = spec.optimizer.kind == OptimizerKind::sgd;
  spec.optimizer.learning_rate = s.learning_rate > 0 ? s.learning_rate : sgd ? 0.1 : 0.01;
  spec.optimizer.weight_decay =
      decays ? automatic_decay(static_cast<double>(train_rows)) : std::max(0.0, s.weight_decay.value());
  spec.optimizer.momentum = s.momentum;
  const auto rows = static_cast<double>(train_rows);
  spec.batch_size =
      s.batch_size > 0 ? s.batch_size.value() : std::clamp<std::int64_t>(train_rows / 100, 32, 256);
  const double steps_per_epoch = std::ceil(rows / static_cast<double>(spec.batch_size));
  const auto epochs_of = [&](double steps, std::int64_t least, std::int64_t most) {
    return std::clamp(static_cast<std::int64_t>(steps / steps_per_epoch), least, most);
  };
  spec.epochs = s.epochs > 0 ? s.epochs.value()
                : lbfgs      ? 2000
                : exact      ? epochs_of(4000, 30, 400)
                             : epochs_of(60000, 100, 1000);
  spec.patience = s.patience > 0 ? s.patience.value() : lbfgs ? 0 : exact ? 60 : 20;
  spec.clip_norm = s.clip_norm;
  spec.schedule = s.schedule != "auto" ? schedule_from_name(s.schedule)
                  : exact              ? ScheduleKind::cosine
                                       : ScheduleKind::plateau;
  spec.gradient_tolerance = s.gradient_tolerance;
  spec.average = s.average;
  spec.sigma_final = s.sigma_final;
  spec.time_limit = s.time_limit;
  spec.seed = static_cast<std::uint64_t>(s.seed);
  return spec;
}

}  // namespace bl
