#include "plan/number_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"
#include "features/column_kind.hpp"

namespace bl {

bool plans_exact_number(const Settings& s) {
  const auto lines = [](const std::string& activation) {
    return activation == "auto" || facts(activation_from_name(activation)).lines;
  };
  const bool affine =
      s.degree <= 1 && s.terms.empty() && s.degree_u.empty() && s.degree_c.empty() && s.degree_t.empty();
  return affine && !s.single && !s.identifiable && s.starts == 0 && s.panels == 0 && s.optimizer != "lbfgs" &&
         s.skip == "none" && s.layers.value().find(',') == std::string::npos &&
         (s.objective == "auto" || s.objective == "likelihood") && lines(s.utility) && lines(s.inequality) &&
         lines(s.equality);
}

NumberPolicy plan_number_policy(const Settings& s, const Schema& schema) {
  const auto responses = schema.with_role(Role::response);
  const bool exact = responses.size() == 1 && facts(responses[0]->type).number() && plans_exact_number(s);
  if (!exact) {
    if (s.response_transform == "log" || s.response_transform == "asinh")
      throw UsageError(
          fmt::format("`response_transform` = {} is for one number in one layer whose activations are "
                      "straight between their kinks ({}), so that its distribution is exact; leave out the "
                      "settings of other models, or transform the column in the file",
                      in_quotes(s.response_transform), names_of_lines()));
    return {};
  }
  NumberPolicy policy;
  policy.point_masses = s.point_masses == "auto";
  policy.transform = s.response_transform == "none"    ? NumberPolicy::Transform::none
                     : s.response_transform == "log"   ? NumberPolicy::Transform::log
                     : s.response_transform == "asinh" ? NumberPolicy::Transform::asinh
                                                       : NumberPolicy::Transform::automatic;
  return policy;
}

void use_exact_normaliser(const Settings& s, const Architecture& a, const Encoder& encoder,
                          const Support& support, ObjectiveSpec& objective) {
  if (objective.kind != ObjectiveKind::likelihood || s.panels > 0 || !piecewise::has_lines(a) ||
      a.input.classes > 0)
    return;
  objective.rule = {};
  objective.exact = ExactResponse{.lower = support.lower[0], .upper = support.upper[0]};
  for (const ResponseEncoding& response : encoder.responses())
    for (const Slot& slot : encoded_slots(response))
      objective.exact->slots.push_back({slot.lower, slot.upper});
}

bool plans_random_candidates(const Settings& s) {
  return s.panels == 0 && s.optimizer != "lbfgs" && s.starts == 0 && !s.identifiable;
}

void use_random_candidates(const Settings& s, const Support& support, const Matrix<double>& train_values,
                           ObjectiveSpec& training, ObjectiveSpec& judging) {
  constexpr int kToJudge = 1024;
  if (training.kind != ObjectiveKind::likelihood || training.exact || support.dimension() == 0 ||
      !plans_random_candidates(s))
    return;
  training.rule = {};
  training.random.emplace();
  training.random->proposal = std::make_shared<const Proposal>(train_values, support);
  if (support.dimension() <= kMostRuleDimensions) return;
  judging.random = training.random;
  judging.random->count = kToJudge;
}

std::vector<double> exact_starting_values(const Architecture& a, std::uint64_t seed) {
  constexpr double kBias = 0.5;
  const ParameterLayout layout(a);
  std::vector<double> parameters(static_cast<std::size_t>(layout.size()));
  starting_values<double>(a, layout, seed, parameters);
  const RandomStream random(seed, Purpose::initial_values, 1);
  const double by_context = 1 / std::sqrt(static_cast<double>(std::max<Index>(1, a.input.context)));
  for (std::size_t t = 0; t < layout.tensors().size(); ++t) {
    const TensorInfo& tensor = layout.tensors()[t];
    if (tensor.role != TensorRole::weight && tensor.role != TensorRole::bias) continue;
    for (Index i = 0; i < tensor.size(); ++i) {
      const bool response =
          i % tensor.cols == a.input.context;  // whose standard deviation is 1, like the sum of
                                               // all features
      const double size = tensor.role == TensorRole::bias ? kBias : response ? 1 : by_context;
      parameters[static_cast<std::size_t>(tensor.offset + i)] =
          size * random.normal(t, static_cast<std::uint64_t>(i));
    }
  }
  return parameters;
}

}  // namespace bl
