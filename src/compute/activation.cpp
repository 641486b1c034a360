#include "compute/activation.hpp"

#include <array>
#include <string>
#include <utility>

#include "bl/errors.hpp"

namespace bl {

namespace {

constexpr std::array<std::pair<Activation, std::string_view>, 7> kNames = {{
    {Activation::tanh, "tanh"},
    {Activation::identity, "identity"},
    {Activation::relu, "relu"},
    {Activation::softplus, "softplus"},
    {Activation::abs, "abs"},
    {Activation::square, "square"},
    {Activation::huber, "huber"},
}};

}  // namespace

std::string_view name(Activation activation) {
  for (const auto& [value, text] : kNames)
    if (value == activation) return text;
  return "";
}

Activation activation_from_name(std::string_view name) {
  std::string known;
  for (const auto& [value, text] : kNames) {
    if (text == name) return value;
    known += (known.empty() ? "" : ", ") + std::string(text);
  }
  throw UsageError("unknown activation '" + std::string(name) + "'; known: " + known);
}

}  // namespace bl
