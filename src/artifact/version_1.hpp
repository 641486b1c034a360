// Model files of format version 1, of which there were two kinds: of tables and of choices.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "artifact/model_file.hpp"

namespace bl {

inline constexpr const char* kVersion1Choice = "behavior_learning.choice";

// The document as version 2 has it. ModelFileError, UsageError for a schema that cannot be read.
nlohmann::json upgraded_table(nlohmann::json document);
nlohmann::json upgraded_choice(const nlohmann::json& document);

// The errors of a linear utility's coefficients, where a file has them without what a summary needs.
std::optional<StoredInference> version_1_errors(const nlohmann::json& document);

}  // namespace bl
