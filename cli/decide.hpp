// The option by which a class is decided from its probabilities.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bl/decide.hpp"

namespace bl::cli {

void add_decide(CLI::App& command, std::vector<std::string>& given);
// Nothing where the option is not given. UsageError, DataError.
std::optional<Decision> decision_of(const Model& model, const std::vector<std::string>& given);

}  // namespace bl::cli
