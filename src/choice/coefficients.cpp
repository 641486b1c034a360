// The coefficients of a linear utility with their errors.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/unknown.hpp"
#include "bl/choice.hpp"
#include "features/linear_terms.hpp"
#include "fitted/choice_utility.hpp"

namespace bl {

namespace {

// Twelve columns, the first of them empty.
std::string number_text(double value) {
  const std::string text = fmt::format("{:.6f}", value);
  return fmt::format("{:>12}", text.size() < 12 ? text : fmt::format("{:.4e}", value));
}

std::string error_text(double value) {
  return std::isnan(value) ? fmt::format("{:>12}", "-") : number_text(value);
}

// Why a coefficient has no errors, by position; empty where it has.
std::vector<std::string> reasons_of(const Model& model, std::size_t count) {
  std::vector<std::string> out(count);
  const auto& inference = model.impl().stored.inference;
  if (!inference) return out;
  for (const auto& position : inference->facts.value("at_bound", nlohmann::json::array()))
    if (const auto k = position.get<std::size_t>(); k < count) out[k] = "at the bound of its sign";
  for (const auto& position : inference->facts.value("on_ridge", nlohmann::json::array()))
    if (const auto k = position.get<std::size_t>(); k < count) out[k] = "runs away";
  for (const auto& held : inference->facts.value("held", nlohmann::json::array()))
    if (const auto k = held.at(0).get<std::size_t>(); k < count) out[k] = held.at(1).get<std::string>();
  return out;
}

}  // namespace

std::vector<ChoiceCoefficient> coefficients(const Model& model) {
  std::vector<ChoiceCoefficient> out;
  if (!model.is_choice()) return out;
  const StoredModel& stored = model.impl().stored;
  const ChoiceResponse& choice = *stored.choice();
  if (!choice.schema.linear && !choice.schema.beyond_logit()) return out;
  if (choice.schema.beyond_logit()) {
    for (const std::string& name : beyond_names(choice.schema, utility_parameters(stored)))
      out.push_back({name, choice.beyond[out.size()], kUnknown, kUnknown, kUnknown});
  } else {
    for (const LinearTerm& term : linear_terms(choice.schema, choice.alternatives))
      out.push_back({term.name, stored.parameters[out.size()], kUnknown, kUnknown, kUnknown});
  }
  if (!stored.inference) return out;
  const std::size_t size = stored.inference->positions.size();
  const auto error = [&](const std::vector<double>& covariance, std::size_t i) {
    return covariance.empty() ? kUnknown : std::sqrt(covariance[i * size + i]);
  };
  for (std::size_t i = 0; i < size; ++i) {
    const auto position = static_cast<std::size_t>(stored.inference->positions[i]);
    if (position >= out.size()) continue;
    out[position].standard_error = error(stored.inference->classical, i);
    out[position].robust_error = error(stored.inference->robust, i);
    out[position].clustered_error = error(stored.inference->cluster, i);
  }
  for (const auto& position : stored.inference->facts.value("on_ridge", nlohmann::json::array()))
    if (const auto k = position.get<std::size_t>(); k < out.size())
      out[k].standard_error = out[k].robust_error = out[k].clustered_error = kUnknown;
  return out;
}

std::string coefficients_text(const Model& model) {
  const std::vector<ChoiceCoefficient> all = coefficients(model);
  const bool clustered =
      std::any_of(all.begin(), all.end(), [](const auto& one) { return !std::isnan(one.clustered_error); });
  std::string out = fmt::format("{:<24}{:>12}{:>12}{:>12}{}\n",
                                model.impl().choice().schema.beyond_logit() ? "parameters" : "linear utility",
                                "estimate", "s.e.", "robust s.e.", clustered ? "  by person" : "");
  const std::vector<std::string> reasons = reasons_of(model, all.size());
  for (std::size_t k = 0; k < all.size(); ++k) {
    const ChoiceCoefficient& one = all[k];
    const double estimate = one.estimate == 0 ? 0 : one.estimate;  // no minus before a zero
    const bool fits = one.name.size() < 24;                        // else on a line of its own
    if (!fits) out += one.name + "\n";
    const std::string name = fits ? one.name : "";
    out += reasons[k].empty() ? fmt::format("{:<24}{}{}{}{}\n", name, number_text(estimate),
                                            error_text(one.standard_error), error_text(one.robust_error),
                                            clustered ? error_text(one.clustered_error).substr(1) : "")
                              : fmt::format("{:<24}{}  ({})\n", name, number_text(estimate), reasons[k]);
  }
  return out;
}

}  // namespace bl
