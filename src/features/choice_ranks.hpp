// Rankings of alternatives: read as ranks of the entries of a set, and exploded into choices for the
// rank-ordered logit.
#pragma once

#include "features/choice_source.hpp"

namespace bl {

// The ranks of the set that begins at `from`, of a cell with codes from best to worst, "2 > 1 > 3": 1 for the
// best, 0 for those that it does not name. DataError naming the line.
void append_ranking(const ChoiceSource& source, Index row, std::size_t from, ChoiceData& data);

// The best of the set that begins at `from`: its position. A missing rank becomes 0. DataError naming the
// line for two of the same rank, a negative one, and where there is none.
std::int32_t best_ranked(const ChoiceSource& source, Index row, std::size_t from, ChoiceData& data);

// Every ranking as choices: the best among all, the second among the others, until one is left or no other
// has a rank. The choices of a ranking are one person's. Other data stay as they are.
ChoiceData exploded(const ChoiceData& data);

}  // namespace bl
