#include "predict/predicting.hpp"

#include <fmt/format.h>

#include <utility>

#include "bl/errors.hpp"
#include "plan/table_plan.hpp"

namespace bl {

ReadOptions reading_for(const Model& model, Settings settings) {
  if (!settings.na.given()) settings.na = fit_settings(model.impl()).na;
  ReadOptions options = read_options(settings);
  if (!model.is_choice()) options.types = model.impl().stored.encoder.schema().raw_types();
  return options;
}

gibbs::Utility utility_at(const FittedModel& model, double temperature) {
  return temperature == 0 ? model.utility : model.utility.at_temperature(temperature);
}

Encoder encoder_for(const FittedModel& model, Part part, const PredictOptions& options) {
  const Encoder& stored = model.stored.encoder;
  const bool lenient = options.treat_unseen_as_missing || part != Part::all;
  return lenient ? stored.with_unseen(UnseenPolicy::missing) : stored;
}

void require_metric_options(const PredictOptions& o) {
  const std::pair<const char*, bool> given[] = {{"quantiles", !o.quantiles.empty()},
                                                {"interval", o.interval != 0},
                                                {"highest_density", o.highest_density != 0},
                                                {"mode", o.mode},
                                                {"utilities", o.utilities},
                                                {"ood", o.ood},
                                                {"density", o.density_points != 0},
                                                {"tolerance", o.tolerance != PredictOptions().tolerance},
                                                {"carry", !o.carry.empty()}};
  for (const auto& [name, is_given] : given)
    if (is_given)
      throw UsageError(fmt::format("`{}` is of predictions and says nothing about metrics", name));
}

}  // namespace bl
