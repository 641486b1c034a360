// A table whose response has classes, as choices: every row chooses among the levels of the response, and its
// columns have a coefficient for each level but the reference.
#pragma once

#include <string>
#include <vector>

#include "bl/choice_declaration.hpp"
#include "bl/settings.hpp"
#include "data/table.hpp"

namespace bl {

inline constexpr const char* kTableLayout = "table";

struct RowsAsChoices {
  ChoiceDeclaration declaration;  // wide
  Settings settings;              // without those that the declaration says now
  std::vector<std::string> notes;
};

// Takes a declaration of layout "table", which says the model alone: latent classes and their membership, the
// reference, a filter. What the columns mean is said by the settings, as in a fit of a table; group is the
// person. Columns of the membership are no inputs of the utilities. One class is no latent class but the
// plain logit. UsageError for a response that is no class and for keys that the table answers itself,
// DataError naming the line of a missing value.
RowsAsChoices rows_as_choices(const Table& table, const ChoiceDeclaration& written, const Settings& settings);

}  // namespace bl
