#include "engine/update_rule.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "bl/errors.hpp"

namespace bl {

namespace {

constexpr std::array<std::pair<OptimizerKind, std::string_view>, 4> kNames = {{
    {OptimizerKind::adam, "adam"},
    {OptimizerKind::adamw, "adamw"},
    {OptimizerKind::sgd, "sgd"},
    {OptimizerKind::lbfgs, "lbfgs"},
}};

}  // namespace

std::string_view name(OptimizerKind kind) {
  for (const auto& [value, text] : kNames)
    if (value == kind) return text;
  return "";
}

OptimizerKind optimizer_from_name(std::string_view name) {
  for (const auto& [value, text] : kNames)
    if (text == name) return value;
  throw UsageError("unknown optimizer '" + std::string(name) + "'; known: adam, adamw, sgd, lbfgs");
}

double averaging_weight(const UpdateSpec& spec, std::int64_t steps) {
  const auto taken = static_cast<double>(steps);
  return std::min(spec.average, taken / (taken + 10));
}

}  // namespace bl
