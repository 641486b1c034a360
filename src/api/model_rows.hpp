// The settings and the rows that a model was fitted with.
#pragma once

#include <vector>

#include "api/impl.hpp"
#include "bl/settings.hpp"

namespace bl {

// ModelFileError where they cannot be read.
Settings fit_settings(const Model::Impl& model);

bool is_fit_data(const Model::Impl& model, const Table& table);

// The rows of a part. The split is a function of the settings and the table, so it is made again. DataError
// where the table is not that of the fit.
std::vector<Index> rows_of_part(const Model::Impl& model, const Table& table, Part part);

}  // namespace bl
