// Terms of a utility: what is computed from the attributes of an alternative and the columns of the person,
// such as log(time) or cost * income. They stand behind the attributes in ChoiceData, and follow them.
#pragma once

#include <functional>
#include <vector>

#include "features/choice_data.hpp"

namespace bl {

// Whether an entry does not have an attribute of the schema. Its terms of that attribute are then 0.
using LacksAttribute = std::function<bool(std::size_t entry, std::size_t attribute)>;

// What the schema says: alternatives that declare no such attribute, and the outside option.
LacksAttribute lacks_by_schema(const ChoiceSchema& schema, const ChoiceData& data);

// Fills in the terms of all entries from their attributes and the columns that terms read. DataError naming
// the situation where one is no number.
void compute_terms(const ChoiceSchema& schema, const LacksAttribute& lacks, ChoiceData& data);

// d term / d attribute of every entry, others held: entries x terms.
Matrix<double> term_slopes(const ChoiceSchema& schema, const ChoiceData& data, std::size_t attribute);

// Attributes of an alternative that were declared with a column that this one is computed from as well: when
// it changes, they would have to. Columns of several alternatives (wide), or that are the same for all
// alternatives of a situation (long), are the person's and do not count.
std::vector<std::string> computed_with(const ChoiceSchema& schema, const ChoiceData& data,
                                       const std::string& alternative, std::size_t attribute);

}  // namespace bl
