#include "simulation/planted_problem.hpp"

namespace bl::simulation {

ResponseKind PlantedProblem::kind() const {
  if (choice_sets) return ResponseKind::alternatives;
  if (architecture.input.values == 0) return ResponseKind::classes;
  return architecture.input.classes == 0 ? ResponseKind::continuous : ResponseKind::hybrid;
}

}  // namespace bl::simulation
