// What if: data changed, constraints dropped, weights scaled, and the learned problem solved again.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bl/model.hpp"

namespace bl {

struct Scenario {
  // "price *= 1.1": a feature, one of = += -= *= /=, and an expression over the columns of the data (for a
  // text column = and 'a level'). Applied one after the other, to every row.
  std::vector<std::string> set = {};
  std::vector<std::string> drop_constraints = {};                  // "L1.B2.C1"
  std::vector<std::pair<std::string, double>> scale_lambdas = {};  // "L1.B1.T1", factor
  std::size_t threads = 0;
};

struct ScenarioResult {
  // By predicted quantity (means, best responses, probabilities): its mean over the rows before and after,
  // the difference, and the smallest and largest change of a row.
  OutputTable summary;
  OutputTable rows;                // row, then every quantity before, after and their difference
  std::vector<std::string> notes;  // values beyond what the model has seen, numbers that are not exact
};

// UsageError for a scenario that changes nothing, names the model does not have and assignments that make no
// sense; DataError naming the row where a value is none.
ScenarioResult solve_scenario(const Model& model, const Data& data, const Scenario& scenario);

}  // namespace bl
