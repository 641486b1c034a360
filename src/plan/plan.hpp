// From settings and encoded data to architecture, objective and training: every "auto" is decided here.
#pragma once

#include <string>
#include <vector>

#include "bl/settings.hpp"
#include "features/response_space.hpp"
#include "objective/objective.hpp"
#include "training/trainer.hpp"

namespace bl {

// Whether some columns are encoded as curves.
bool has_bends(const Encoder& encoder);

// What stands in a utility: encoded columns, values (continuous responses, or attributes of alternatives) and
// classes (or alternatives).
struct UtilityInputs {
  Index context = 0;
  Index bends = 0;       // of the context: columns that bend a curve
  Index components = 0;  // of the context: columns of text
  Index values = 0, classes = 0;
  std::vector<std::string> names = {};  // of all, in this order; classes as "target=level"

  bool single_continuous() const { return classes == 0 && values == 1; }
};
UtilityInputs utility_inputs(const Encoder& encoder, const ResponseSpace& space);

// UsageError also where it needs more bytes than `memory` (0: those of this machine).
Architecture plan_architecture(const Settings& settings, const UtilityInputs& inputs, Index train_rows,
                               double memory = 0);

// A head that multiplies two curves could not be read as a sum of them: UsageError.
void refuse_products_of_curves(const Architecture& architecture, const Encoder& encoder);

// For a number as response, where what fits few rows best is too sure of itself. Chosen on validation rows of
// Boston housing (354 training rows); the prior that a decay stands for counts less among more rows.
double automatic_decay(double train_rows);

// How many networks are learned and joined. UsageError where that cannot be.
Index plan_members(const Settings& settings, const Architecture& architecture, Index automatic = 4);

// How many pay for themselves where nothing is asked: for classes with curves fewer among many rows.
Index automatic_members(const Settings& settings, const Encoder& encoder, Index train_rows);

// What a readout of 1 stands for while it is learned: the utility is this many times the network's. Its unit
// is 1 again in the model that is kept.
double plan_readout_unit(const Settings& settings, bool single_continuous);

// Starts of a fit to the minimum with standard errors; 0: an ordinary fit. UsageError where the settings
// contradict each other.
int plan_starts(const Settings& settings, const Architecture& architecture);

// The training range of each continuous response (encoded), three standard deviations wider, or what the user
// gave in raw units.
Support plan_support(const Settings& settings, const Encoder& encoder, const ResponseSpace& space,
                     const Matrix<double>& train_values);

// Values that a response of training rows repeats so often that a narrow peak may come to stand on each, the
// most frequent ones; empty for most responses.
std::vector<double> repeated_values(const Matrix<double>& train_values);

// What a normaliser of the likelihood is for: learning from, or judging what was learned. Judging takes
// another, finer rule: by the rule it was trained with a model looks best that hides its mass between the
// nodes.
enum class NormaliserUse { training, judging };

// The normaliser of a single response has nodes at `repeated` (encoded).
ObjectiveSpec plan_objective(const Settings& settings, const ResponseSpace& space, const Support& support,
                             const std::vector<double>& repeated = {},
                             NormaliserUse use = NormaliserUse::training);

// `curves`: some columns are encoded with bends.
TrainSpec plan_training(const Settings& settings, Index train_rows, bool single_continuous,
                        bool curves = false);

// The decay of every parameter where bends have their own.
std::vector<double> plan_decay(const Architecture& architecture, const Encoder& encoder, double of_weights,
                               double of_bends);

}  // namespace bl
