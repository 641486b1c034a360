#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "fit/folds.hpp"
#include "fit/monitor.hpp"
#include "fit/smoothness.hpp"
#include "fit/trained.hpp"
#include "fit/training_rows.hpp"
#include "fit/wide_decay.hpp"
#include "model/movement.hpp"
#include "plan/device_plan.hpp"
#include "plan/stored_settings.hpp"

namespace bl {

namespace {

// Utilities divided by the temperature that suits rows which members had not seen.
template <class T>
void correct_certainty(const FoldRows<T>& folds, const Architecture& architecture, const Context& job,
                       Trained& trained) {
  constexpr double kNoticeable = 1.05;
  trained.temperature = folds.temperature(architecture, trained.learned, job);
  for (auto& parameters : trained.learned.parameters)
    scale_utility(architecture, 1 / *trained.temperature, parameters);
  if (*trained.temperature > kNoticeable)
    trained.notes.push_back(
        fmt::format("the networks were too certain about rows they had not seen; their distribution was "
                    "widened (temperature {:.2f})",
                    *trained.temperature));
}

// The decay of the bends of curves, given or chosen by short fits; sets that of every parameter in `spec`.
template <class T>
std::optional<double> plan_smoothness(const Prepared& p, const MemberRows<T>& rows, const FitOptions& options,
                                      const Context& job, const std::shared_ptr<TimeForeseen>& foreseen,
                                      TrainSpec& spec) {
  const Settings& s = *p.settings;
  std::optional<double> smoothness = p.first ? p.first->smoothness : std::nullopt;
  if (!has_bends(p.encoder)) return smoothness;
  const bool classes = p.space.values() == 0;
  const auto decay = [&](double of_bends) {
    const double of_weights =
        classes && s.weight_decay < 0 ? of_bends / kBendsAgainstLine : spec.optimizer.weight_decay;
    return plan_decay(p.architecture, p.encoder, of_weights, of_bends);
  };
  const Strengths tried =
      classes ? class_smoothness(static_cast<double>(p.split.train.size())) : kNumberSmoothness;
  if (!smoothness)
    smoothness = s.smoothness >= 0 ? s.smoothness.value()
                                   : chosen_smoothness<T>(*rows.training, rows.validation, spec, tried, decay,
                                                          options, foreseen, job);
  spec.optimizer.decay = decay(*smoothness);
  return smoothness;
}

// The decay of weights where validation rows are to choose it; sets it in `spec`. A model that teaches has
// rows of its own, from which no part can be taken.
template <class T>
std::optional<ChosenDecay> plan_decay_of_wide(const Prepared& p, const MemberRows<T>& rows,
                                              const Context& job, TrainSpec& spec) {
  if (!p.wide || p.first || p.guidance || !rows.validation || !chooses_decay(*p.settings, spec))
    return std::nullopt;
  ChosenDecay chosen = chosen_decay<T>(p, *rows.training, *rows.validation, spec, job);
  spec.optimizer.weight_decay = chosen.decay;
  return chosen;
}

template <class T>
Trained train(const Prepared& p, const FitOptions& options, const Context& given) {
  const Settings& s = *p.settings;
  const TrainingRows<T> training(p);
  const Network<T> network(p.architecture);
  const Objective<T> objective(network, training.objective, training.rows.view());
  std::optional<PartData<T>> validation;
  std::optional<Objective<T>> validation_objective;
  if (!p.split.validation.empty()) {
    // A level that happens to have no training row must not stop the fit.
    validation.emplace(p.encoder.with_unseen(UnseenPolicy::missing), p.space, *p.table, p.split.validation,
                       s.out_of_core, p.shared);
    validation_objective.emplace(network, training.judging, validation->view());
  }
  const double encoded = training.rows.megabytes() + (validation ? validation->megabytes() : 0);
  const TrainSpec spec = training_spec(p);
  const DeviceChoice where =
      plan_device(s,
                  static_cast<double>(std::min<Index>(spec.batch_size, objective.data().rows) * p.members) *
                      objective.numbers_per_row(),
                  p.architecture, objective.spec());
  const Context job = given.on(where.device);
  MemberPlan<T> plan{.spec = spec, .members = p.members, .metric = monitored<T>(p, validation, job)};
  plan.spec.bounds = p.guidance ? joint_bounds(p.bounds, p.guidance->bounds) : p.bounds;
  const MemberRows<T> same{&objective, validation_objective ? &*validation_objective : nullptr};
  const std::unique_ptr<FoldRows<T>> folds = fold_rows(p, training, network);
  const auto rows = folds ? folds->of_members(p.members) : std::vector<MemberRows<T>>{same};
  plan.foreseen = std::make_shared<TimeForeseen>(job);
  plan.first_piece = plan.foreseen->add(static_cast<std::size_t>(p.members), static_cast<double>(spec.epochs),
                                        static_cast<double>(rows[0].training->data().rows),
                                        static_cast<double>(p.rows_later));
  const std::optional<double> smoothness =
      plan_smoothness<T>(p, same, options, job, plan.foreseen, plan.spec);
  const auto decay = plan_decay_of_wide<T>(p, same, job, plan.spec);
  if (!p.first) keep_checkpoints(plan, options, p.digest, settings_json(s).dump(), job);
  plan.on_start = [&p, resume = plan.on_start](Index member, TrainingState<T>& fresh) {
    if (static_cast<std::size_t>(member) < p.starts.size()) {
      const std::vector<double>& start = p.starts[static_cast<std::size_t>(member)];
      fresh.parameters.assign(start.begin(), start.end());
    }
    if (resume) resume(member, fresh);
  };
  Trained trained{.learned = train_members<T>(rows, plan, options, job),
                  .support = training.support,
                  .encoded_megabytes = encoded};
  if (folds) correct_certainty(*folds, p.architecture, job, trained);
  trained.notes.insert(trained.notes.begin(), trained.learned.notes.begin(), trained.learned.notes.end());
  if (!where.note.empty()) trained.notes.push_back(where.note);
  if (decay) {
    trained.decay = decay->decay;
    trained.learned.report.seconds += decay->seconds;
    if (!decay->note.empty()) trained.notes.push_back(decay->note);
  }
  trained.smoothness = smoothness;
  if (p.readout_unit != 1)
    for (auto& parameters : trained.learned.parameters)
      scale_utility(p.architecture, p.readout_unit, parameters);
  return trained;
}

}  // namespace

Trained train_steps(const Prepared& p, const FitOptions& options, const Context& job) {
  return p.settings->precision != "float64" ? train<float>(p, options, job) : train<double>(p, options, job);
}

}  // namespace bl
