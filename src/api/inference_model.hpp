// Names of a model of a table, for its summary.
#pragma once

#include "api/impl.hpp"
#include "api/inference_summary.hpp"

namespace bl {

NamedModel named_model(const Model::Impl& model);

}  // namespace bl
