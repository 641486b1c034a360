#include "plan/fit_objective.hpp"

#include "plan/number_plan.hpp"

namespace bl {

FitObjective plan_fit_objective(const Settings& s, const ResponseSpace& space, const Encoder& encoder,
                                const Architecture& architecture, const Support& support,
                                const Matrix<double>& train_values) {
  // Smooth heads of an identifiable model make no peaks at repeated values.
  const std::vector<double> repeated = s.identifiable ? std::vector<double>{} : repeated_values(train_values);
  FitObjective out{.training = plan_objective(s, space, support, repeated),
                   .judging = plan_objective(s, space, support, repeated, NormaliserUse::judging)};
  use_exact_normaliser(s, architecture, encoder, support, out.training);
  use_exact_normaliser(s, architecture, encoder, support, out.judging);
  use_random_candidates(s, support, train_values, out.training, out.judging);
  return out;
}

}  // namespace bl
