// The training rows and what is minimised over them.
#pragma once

#include <memory>
#include <vector>

#include "bl/errors.hpp"
#include "fit/folds.hpp"
#include "fit/prepared.hpp"
#include "fitted/part_data.hpp"
#include "plan/fit_objective.hpp"
#include "plan/image_shifts.hpp"
#include "plan/number_plan.hpp"
#include "plan/table_plan.hpp"

namespace bl {

template <class T>
struct TrainingRows {
  PartData<T> rows;
  Support support;
  ObjectiveSpec objective;
  ObjectiveSpec judging;  // the same loss by another rule, for validation rows

  explicit TrainingRows(const Prepared& p)
      : rows(p.encoder, p.space, *p.table, p.split.train, p.settings->out_of_core, p.shared) {
    const Settings& s = *p.settings;
    if (p.shifts) rows.versions = image_shifts<T>(p.encoder, *p.table, p.split.train);
    if (s.class_weight == "balanced") {
      if (p.space.classes() == 0) throw UsageError("`class_weight` = 'balanced' needs a class response");
      balance_classes(rows, p.space.classes());
    }
    if (p.guidance && p.guidance->log_probabilities)
      spread_classes(rows, *p.guidance->log_probabilities, p.guidance->share);
    Matrix<double> values(rows.encoded.continuous.rows(), rows.encoded.continuous.cols());
    for (std::size_t i = 0; i < values.flat().size(); ++i)
      values.flat()[i] = static_cast<double>(rows.encoded.continuous.flat()[i]);
    support = plan_support(s, p.encoder, p.space, values);
    auto planned = plan_fit_objective(s, p.space, p.encoder, p.architecture, support, values);
    objective = std::move(planned.training);
    judging = std::move(planned.judging);
    objective.temperature /= p.readout_unit;
    judging.temperature = objective.temperature;
  }
};

// Folds for the members of a number learned from few rows; null where there are none. Members that start from
// a learned model have seen all rows already.
template <class T>
std::unique_ptr<FoldRows<T>> fold_rows(const Prepared& p, const TrainingRows<T>& training,
                                       const Network<T>& network) {
  constexpr Index kLeastMembers = 4;
  constexpr std::size_t kSparingRows = 160;
  const Settings& s = *p.settings;
  if (!training.objective.exact || p.members < kLeastMembers || p.split.train.size() >= kFewRowsForNumber ||
      s.out_of_core || p.warm)
    return nullptr;
  // What members leave out tells more than enough where there are some hundred rows of it.
  const Index spared = p.split.train.size() >= kSparingRows ? 2 : 1;
  auto folds = plan_folds(*p.table, p.encoder.schema(), s, p.split.train, spared * p.members);
  if (folds.empty()) return nullptr;
  folds.resize(static_cast<std::size_t>(p.members));
  auto rows = std::make_unique<FoldRows<T>>(network, training.objective,
                                            FoldSource{p.encoder, p.space, *p.table}, p.split, folds);
  return rows->weighty() ? std::move(rows) : nullptr;
}

}  // namespace bl
