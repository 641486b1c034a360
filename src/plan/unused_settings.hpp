// No setting is passed over in silence: one that was given and that the fit does not use is refused.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bl/settings.hpp"
#include "engine/update_rule.hpp"
#include "features/response_space.hpp"
#include "objective/objective.hpp"

namespace bl {

// What decides which settings count.
struct FitUse {
  bool linear = false;      // a linear utility of choices: none of a network's settings
  bool seeded = false;      // its draws or latent classes have the seed of the settings
  bool to_minimum = false;  // from several starts, with standard errors
  OptimizerKind optimizer = OptimizerKind::adam;
  ObjectiveKind objective = ObjectiveKind::likelihood;
  bool continuous = false;             // a response is
  bool single_continuous = false;      // the response is one number, a column of a table
  bool curves = false;                 // some columns are
  bool text = false;                   // some columns are running text
  bool table = false;                  // responses are columns of a table
  bool parts = false;                  // the caller says what each row is for
  std::optional<Settings> start = {};  // of the model to go on from, whose encoding is kept
};

// Of a table. UsageError for an objective that the response cannot have.
FitUse fit_use(const Settings& settings, const ResponseSpace& space, Index train_rows, int starts,
               const Encoder& encoder);

// A sentence for every setting that was given and has no effect, be it the default: its name, what it is for,
// what to do.
std::vector<std::string> unused_settings(const Settings& settings, const FitUse& use);

// UsageError with the first of these sentences, or the list itself where that is what is wanted.
std::vector<std::string> refused_or_listed(std::vector<std::string> unused, bool list);

}  // namespace bl
