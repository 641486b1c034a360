#include "compute/activation.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "base/joined.hpp"
#include "bl/errors.hpp"
#include "compute/activation_kinds.hpp"

namespace bl {

const ActivationFacts& facts(Activation activation) {
  return with_kind(activation, [](auto kind) -> const ActivationFacts& { return decltype(kind)::facts; });
}

std::string_view name(Activation activation) {
  switch (activation) {
#define BL_NAME(value, Prefix) \
  case Activation::value:      \
    return #value;
    BL_ACTIVATIONS(BL_NAME)
#undef BL_NAME
  }
  return "";
}

std::string names_of_lines() {
  std::string out;
  for (const Activation one : kActivations)
    if (facts(one).lines) out.append(out.empty() ? "" : ", ").append(name(one));
  return out;
}

Activation activation_from_name(std::string_view text) {
  for (const Activation one : kActivations)
    if (name(one) == text) return one;
  throw UsageError("unknown activation '" + std::string(text) +
                   "'; known: " + joined(kActivations, ", ", [](Activation one) { return name(one); }));
}

std::string latex(Activation activation, std::string_view t) {
  return fmt::format(fmt::runtime(facts(activation).latex), t);
}

std::string html(Activation activation, std::string_view t) {
  return fmt::format(fmt::runtime(facts(activation).html), t);
}

double activate(Activation activation, double t) {
  return with_kind(activation, [t](auto kind) { return kind.value(t); });
}

double slope(Activation activation, double t) {
  return with_kind(activation, [t](auto kind) { return kind.slope(t, kind.value(t)); });
}

double slope_from_right(Activation activation, double t) {
  const bool jumps = kink_near(activation, t, 0) != nullptr;
  return slope(activation, jumps ? std::nextafter(t, std::numeric_limits<double>::infinity()) : t);
}

const double* kink_near(Activation activation, double t, double tolerance) {
  for (const double& kink : facts(activation).kinks)
    if (std::abs(t - kink) <= tolerance) return &kink;
  return nullptr;
}

}  // namespace bl
