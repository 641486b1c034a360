// What a choice declaration says about models beyond the logit. Used by choice_schema.cpp alone.
#pragma once

#include "features/choice_schema.hpp"

namespace bl {

// Fills random, nests and latent. UsageError naming the place.
void compile_beyond(const ChoiceDeclaration& declaration, ChoiceSchema& schema);

}  // namespace bl
