// What a utility reads of the other alternatives of its situation. Unlike terms, these follow from the whole
// choice set, so they change when any alternative is changed, added or withdrawn.
#pragma once

#include "features/choice_terms.hpp"

namespace bl {

// Fills in the summaries of all entries. Alternatives that lack an attribute do not count in its summaries;
// where no rival has it, the mean, smallest and largest are the own value, and the rank is 1/2.
void compute_rivals(const ChoiceSchema& schema, const LacksAttribute& lacks, ChoiceData& data);

// d summary of entry j / d attribute of entry k of the same situation; where several are the smallest or
// largest together, the mean of both sides. A rank is a step: 0.
double rival_slope(const RivalSummary& summary, const LacksAttribute& lacks, const ChoiceData& data,
                   std::size_t situation, std::size_t j, std::size_t k);

}  // namespace bl
