#include "model/architecture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/joined.hpp"
#include "base/memory.hpp"
#include "bl/errors.hpp"

#ifdef NDEBUG
#error "every build keeps assertions: take -DNDEBUG out of the flags (CONTRIBUTING.md)"
#endif

namespace bl {

namespace {

// Utility heads want an odd function, inequality heads one that grows from zero, equality heads an even one.
bool suits(HeadKind kind, const ActivationFacts& f) {
  switch (kind) {
    case HeadKind::utility:
      return f.parity == Parity::odd && f.non_decreasing;
    case HeadKind::inequality:
      return f.least == 0 && f.non_decreasing;
    case HeadKind::equality:
      return f.least == 0 && f.parity == Parity::even;
  }
  return false;
}

void check_activation(const Architecture& a, HeadKind kind) {
  const std::vector<Activation> allowed = activations_of(kind);
  const Activation chosen = a.activation(kind);
  if (std::find(allowed.begin(), allowed.end(), chosen) != allowed.end()) return;
  throw UsageError(fmt::format("{} heads cannot use the activation '{}'; choose one of: {}", letter(kind),
                               name(chosen),
                               joined(allowed, ", ", [](Activation one) { return name(one); })));
}

void check_layer(const LayerSpec& layer, std::size_t number) {
  if (layer.blocks < 1) throw UsageError(fmt::format("layer {} has no blocks; give at least 1", number));
  if (layer.heads_per_block() == 0)
    throw UsageError(
        fmt::format("the blocks of layer {} have no heads; keep at least one of U, C, T", number));
  for (const auto& degrees : layer.degrees) {
    for (const int degree : degrees) {
      if (degree < 1)
        throw UsageError(fmt::format("a head of layer {} has degree {}; give 1 or more", number, degree));
    }
  }
}

// Parameters, gradients of two lanes and optimizer state, in float32: what the smallest training run holds.
constexpr double kBytesPerCoefficient = 4.0 * (1 + 2 + 2);

void check_basis_fits(const Architecture& a, double memory_limit) {
  const Index terms = basis_size(a.basis, a.input, a.degree());
  if (terms == 0) throw UsageError("the basis of the first layer is empty: there is no input it could read");
  const double coefficients =
      static_cast<double>(terms) * static_cast<double>(a.layers[0].blocks * a.layers[0].heads_per_block());
  const double limit = memory_limit > 0 ? memory_limit : physical_memory();
  if (coefficients * kBytesPerCoefficient <= limit) return;
  const std::string size =
      terms == std::numeric_limits<Index>::max() ? std::string("more than 9e18") : fmt::format("{}", terms);
  throw UsageError(
      fmt::format("a basis of degree {} on {} inputs has {} terms, and training its {:.3g} coefficients "
                  "would need {:.3g} GiB of {:.3g} GiB; lower `degree`, drop columns, or name the terms you "
                  "want with `terms`",
                  a.degree(), a.input.size(), size, coefficients,
                  coefficients * kBytesPerCoefficient / 0x1p30, limit / 0x1p30));
}

}  // namespace

std::string_view letter(HeadKind kind) {
  constexpr std::array<std::string_view, 3> letters = {"U", "C", "T"};
  return letters[static_cast<std::size_t>(kind)];
}

Index LayerSpec::heads_per_block() const {
  Index count = 0;
  for (const HeadKind kind : kHeadKinds) count += heads(kind);
  return count;
}

int Architecture::degree() const {
  int largest = 1;
  for (const auto& degrees : layers.at(0).degrees)
    for (const int degree : degrees) largest = std::max(largest, degree);
  return largest;
}

Architecture single_block(const InputShape& input, std::vector<int> utility, std::vector<int> inequality,
                          std::vector<int> equality) {
  Architecture a;
  a.input = input;
  a.basis.kind = BasisKind::monomials;
  a.layers = {
      LayerSpec{.blocks = 1, .degrees = {std::move(utility), std::move(inequality), std::move(equality)}}};
  a.readout.present = false;
  return a;
}

Architecture stacked(const InputShape& input, const std::vector<Index>& widths) {
  Architecture a;
  a.input = input;
  for (const Index width : widths) a.layers.push_back({.blocks = width});
  return a;
}

Architecture stacked_vector(const InputShape& input, const std::vector<Index>& widths, Index classes) {
  Architecture a = stacked(input, widths);
  a.form = Form::vector;
  a.outputs = classes;
  a.readout = {.present = true, .bias = false, .sign = Sign::free};
  return a;
}

Architecture identifiable(Architecture a) {
  a.activations = {Activation::tanh, Activation::softplus, Activation::square};
  a.readout.bias = false;
  a.basis.response_only = true;
  return a;
}

std::vector<Activation> activations_of(HeadKind kind) {
  std::vector<Activation> all;
  for (const Activation one : kActivations)
    if (suits(kind, facts(one))) all.push_back(one);
  return all;
}

void validate(const Architecture& a, double memory_limit) {
  if (a.layers.empty()) throw UsageError("a model needs at least one layer");
  if (a.input.context < 0 || a.input.values < 0 || a.input.classes < 0)
    throw UsageError("the numbers of context columns, response values and classes cannot be negative");
  for (std::size_t l = 0; l < a.layers.size(); ++l) check_layer(a.layers[l], l + 1);
  for (const HeadKind kind : kHeadKinds) check_activation(a, kind);
  if (!a.readout.present && (a.layers.size() != 1 || a.layers[0].blocks != 1))
    throw UsageError("only a single block can do without a readout");
  if (a.form == Form::scalar) {
    if (a.outputs != 1) throw UsageError("the scalar form has one output");
    if (a.input.values + a.input.classes == 0)
      throw UsageError("the scalar form needs a response inside the utility: values or classes");
  } else {
    if (!a.readout.present) throw UsageError("the vector form needs a readout, one row per class");
    if (a.outputs < 2) throw UsageError("the vector form needs at least two classes");
    if (a.input.classes != 0) throw UsageError("the vector form takes no one-hot class as input");
    if (a.basis.response_only)
      throw UsageError("an identifiable model keeps terms of the response only, so it needs the scalar form");
  }
  check_basis_fits(a, memory_limit);
}

std::vector<Term> layer_terms(const Architecture& a, std::size_t layer) {
  if (layer == 0) return basis_terms(a.basis, a.input, a.degree());
  std::vector<Term> terms;
  if (a.skip == Skip::input || a.skip == Skip::dense)
    for (Index i = 0; i < a.input.size(); ++i) terms.push_back({static_cast<std::int32_t>(i)});
  auto block = static_cast<std::int32_t>(a.input.size());
  for (std::size_t l = 0; l < layer; ++l)
    for (Index b = 0; b < a.layers[l].blocks; ++b, ++block)
      if (a.skip == Skip::dense || l + 1 == layer) terms.push_back({block});
  return terms;
}

Index layer_input_size(const Architecture& a, std::size_t layer) {
  if (layer == 0) return basis_size(a.basis, a.input, a.degree());
  Index size = a.layers[layer - 1].blocks;
  if (a.skip == Skip::input) size += a.input.size();
  if (a.skip == Skip::dense) {
    size = a.input.size();
    for (std::size_t l = 0; l < layer; ++l) size += a.layers[l].blocks;
  }
  return size;
}

}  // namespace bl
