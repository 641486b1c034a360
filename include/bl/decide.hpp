// One class for every row from its probabilities, by what is wanted of the decisions.
#pragma once

#include <string>
#include <vector>

#include "bl/model.hpp"

namespace bl {

// accuracy: the most probable class. macro_f1: the class with the largest probability times its weight; the
// weights were found at the fit, for the highest macro F1 that is expected of the validation rows. cost: the
// class whose expected cost is least.
enum class Aim { accuracy, macro_f1, cost };
Aim aim_from_name(const std::string& name);  // UsageError

struct Decision {
  Aim aim = Aim::accuracy;
  // Of deciding class j where class i is true, [i][j], classes in the order of the model's response.
  std::vector<std::vector<double>> costs = {};
};

// A decision by costs from a file: a line for every true class, with its label in the first column, and a
// column for every class to decide for. DataError where a class is missing or a cost is no finite number.
Decision decision_by_costs(const Model& model, const std::string& path);

// The predictions of rows with the class decided anew. UsageError where the model does not predict a class
// alone, the costs do not fit, or no weights were found at its fit.
OutputTable decided(const Model& model, const Decision& decision, OutputTable predictions);

// The metrics of Model::evaluate, with accuracy and macro_f1 of these decisions and mean_cost where there are
// costs.
Evaluation evaluate_decisions(const Model& model, const Data& data, Part part, const Decision& decision,
                              const PredictOptions& options = {});

}  // namespace bl
