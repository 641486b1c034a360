// What Model::evaluate says, with the rows that it is of.
#pragma once

#include "bl/model.hpp"

namespace bl {

Evaluation evaluation_of(const Model& model, const Data& data, Part part, const PredictOptions& options);

}  // namespace bl
