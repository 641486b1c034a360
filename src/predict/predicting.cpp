#include "predict/predicting.hpp"

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

}  // namespace bl
