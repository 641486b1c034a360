// Names of a choice model, for its formulas and its summary.
#pragma once

#include "api/choice_impl.hpp"
#include "api/inference_summary.hpp"
#include "explain/problem.hpp"

namespace bl {

// The utility as the problem that it is; alternatives are the levels of kAlternative.
inline constexpr const char* kAlternative = "alternative";
explain::Problem problem_of(const ChoiceModel::Impl& model, explain::Units units);

NamedModel named_model(const ChoiceModel::Impl& model);

// The column of the choice, or of the alternatives in a long file.
std::string response_name(const ChoiceModel::Impl& model);

}  // namespace bl
