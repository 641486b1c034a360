#include "predict/predicting.hpp"

#include <fmt/format.h>

#include <algorithm>
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

void allow_only(const PredictOptions& o, std::initializer_list<std::string_view> allowed, const char* asked) {
  const std::pair<const char*, bool> all[] = {{"quantiles", !o.quantiles.empty()},
                                              {"interval", o.interval != 0},
                                              {"highest_density", o.highest_density != 0},
                                              {"mode", o.mode},
                                              {"utilities", o.utilities},
                                              {"ood", o.ood},
                                              {"density", o.density_points != 0},
                                              {"temperature", o.temperature != 0},
                                              {"tolerance", o.tolerance != PredictOptions().tolerance},
                                              {"carry", !o.carry.empty()},
                                              {"unseen_as_missing", o.treat_unseen_as_missing}};
  for (const auto& [name, given] : all)
    if (given && std::find(allowed.begin(), allowed.end(), name) == allowed.end())
      throw UsageError(fmt::format("`{}` has no meaning for {}", name, asked));
}

void require_metric_options(const PredictOptions& options) {
  allow_only(options, {"temperature", "unseen_as_missing"}, "metrics");
}

}  // namespace bl
