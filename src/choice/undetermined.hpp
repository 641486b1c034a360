// Coefficients of a linear utility that the choices do not determine, one by one and with the reason, so that
// the others keep their estimates and errors.
#pragma once

#include <string>
#include <vector>

#include "features/linear_terms.hpp"

namespace bl {

struct Undetermined {
  std::size_t term = 0;
  std::string reason;      // in a few words, to stand beside the coefficient
  bool runs_away = false;  // the likelihood rises for ever; else it is left out, at 0
};

// Without variation within choice sets; a combination of terms before it; or separated: wherever it differs
// between the chosen and another alternative, it differs in the same direction, so that the likelihood rises
// for ever. Situations with weight 0 do not count. Ordered by term.
std::vector<Undetermined> undetermined_terms(const std::vector<LinearTerm>& terms, const ChoiceData& data);

// Whether moving along this direction (an entry per term) raises or keeps the utility of every chosen
// alternative over each other one, and raises it over some: then no finite estimate is the best.
bool separates(const std::vector<LinearTerm>& terms, const ChoiceData& data,
               const std::vector<double>& direction);

// Terms that are separated in combination: where the coefficients of a fit decide the choice for certain,
// nothing is left that tells these terms apart, and their own combination separates the choices. `known` are
// those found before.
std::vector<Undetermined> separated_at(const std::vector<LinearTerm>& terms, const ChoiceData& data,
                                       const std::vector<double>& coefficients,
                                       const std::vector<Undetermined>& known);

// A sentence for a note about these coefficients.
std::string undetermined_words(const std::vector<LinearTerm>& terms, const std::vector<Undetermined>& found);

}  // namespace bl
