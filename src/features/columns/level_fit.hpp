// What is learned of levels.
#pragma once

#include "features/column_kind.hpp"

namespace bl {

// The levels, the most frequent as what stands for a missing value, and whether there is more than one.
// Returns the places of the levels of all rows that have one.
std::vector<double> fit_levels(const TrainingRows& training, const SchemaColumn& column, const Column& data,
                               FeatureEncoding& out);

// DataError where there are too many, as an id has.
void check_level_count(const TrainingRows& training, const std::string& name, std::size_t count);

}  // namespace bl
