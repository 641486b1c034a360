// How the rows of a file are read and predicted by a model.
#pragma once

#include "bl/model.hpp"
#include "data/read_options.hpp"
#include "features/encoder.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

// With the column types of the fit. What counted as missing in the fit counts as missing here, unless the
// caller says otherwise.
ReadOptions reading_for(const Model& model, Settings settings);

gibbs::Utility utility_at(const FittedModel& model, double temperature);

// Rows of the fit itself are never refused for a level without training rows.
Encoder encoder_for(const FittedModel& model, Part part, const PredictOptions& options);

// UsageError for an option of predictions that says nothing about metrics.
void require_metric_options(const PredictOptions& options);

}  // namespace bl
