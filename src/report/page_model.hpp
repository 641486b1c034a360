// The model as the page's script evaluates it: encoding, architecture and parameters as one JSON object.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "fitted/fitted_model.hpp"

namespace bl::report {

// Which evaluation the page has for a response: "class", "number", "choice", or "" where it has none (several
// numbers, or a class and a number).
std::string page_kind(const FittedModel& model);

// Read by page/evaluate.js. Parameters are as the model stores them, 4 or 8 bytes each in base64; members
// that were joined stand one by one, without the zeros between them.
nlohmann::json page_model(const FittedModel& model);

// Bytes that the parameters take in the page.
std::size_t page_model_bytes(const FittedModel& model);

}  // namespace bl::report
