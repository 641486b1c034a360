// A choice as a response in a model's document.
#pragma once

#include <nlohmann/json.hpp>

#include "artifact/model_file.hpp"
#include "features/json_fields.hpp"

namespace bl {

nlohmann::json to_json(const ChoiceDeclaration& declaration);
nlohmann::json to_json(const ChoiceResponse& response);

// ModelFileError for what is absent or of another kind, UsageError for a declaration that makes no sense.
ChoiceResponse choice_from_json(const JsonField& field);

}  // namespace bl
