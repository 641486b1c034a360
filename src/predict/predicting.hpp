// How the rows of a file are read and predicted by a model.
#pragma once

#include <initializer_list>
#include <string_view>

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

// UsageError for an option that is given and not allowed, since it has no meaning for what is asked.
void allow_only(const PredictOptions& options, std::initializer_list<std::string_view> allowed,
                const char* asked);
// Likewise of metrics of a table's responses.
void require_metric_options(const PredictOptions& options);

}  // namespace bl
