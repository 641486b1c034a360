// What a model is, before it has parameters: shapes, activations, skips. Indices only, no names.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "compute/activation.hpp"
#include "model/basis.hpp"

namespace bl {

// scalar: the response stands inside the utility BL(x, y). vector: one utility per class from one pass over
// x.
enum class Form { scalar, vector };

// What layer l >= 2 reads and adds (z the input, s the outputs of earlier layers).
enum class Skip {
  none,      // s_{l-1}
  input,     // [z ; s_{l-1}]
  dense,     // [z ; s_1 ; ... ; s_{l-1}]
  residual,  // s_{l-1}, and s_l += s_{l-1} (through a bias-free projection where widths differ)
};

enum class Sign { non_negative, free };

enum class HeadKind { utility = 0, inequality = 1, equality = 2 };
inline constexpr std::array<HeadKind, 3> kHeadKinds = {HeadKind::utility, HeadKind::inequality,
                                                       HeadKind::equality};
// "U", "C", "T".
std::string_view letter(HeadKind kind);

struct LayerSpec {
  Index blocks = 1;
  // One entry per head of a block of this layer: its degree, used by a first layer of monomials.
  std::array<std::vector<int>, 3> degrees = {{{1}, {1}, {1}}};

  Index heads(HeadKind kind) const {
    return static_cast<Index>(degrees[static_cast<std::size_t>(kind)].size());
  }
  Index heads_per_block() const;
  bool operator==(const LayerSpec&) const = default;
};

struct Readout {
  bool present = true;  // a single block has none: BL = B(z)
  bool bias = true;
  Sign sign = Sign::non_negative;
  bool operator==(const Readout&) const = default;
};

struct Architecture {
  InputShape input;
  Form form = Form::scalar;
  Index outputs = 1;  // vector form: the number of classes
  BasisSpec basis;    // of the first layer; later layers are affine in what they read
  std::vector<LayerSpec> layers;
  Skip skip = Skip::none;
  // phi, rho, psi: applied to utility, inequality and equality heads.
  std::array<Activation, 3> activations = {Activation::tanh, Activation::relu, Activation::abs};
  Sign lambda = Sign::non_negative;
  Readout readout;

  int degree() const;  // the largest of the first layer
  Activation activation(HeadKind kind) const { return activations[static_cast<std::size_t>(kind)]; }
  bool operator==(const Architecture&) const = default;
};

// One block of monomials without readout; one degree per head, an empty list drops the heads of that kind.
Architecture single_block(const InputShape& input, std::vector<int> utility, std::vector<int> inequality,
                          std::vector<int> equality);

// Layers of the given widths, one affine head of each kind per block, scalar form.
Architecture stacked(const InputShape& input, const std::vector<Index>& widths);

// The same in vector form: one output per class, free readout without bias.
Architecture stacked_vector(const InputShape& input, const std::vector<Index>& widths, Index classes);

// The activations that heads of this kind can use.
std::vector<Activation> activations_of(HeadKind kind);

// The identifiable variant: tanh, softplus, square; no readout bias; response-only first layer.
Architecture identifiable(Architecture architecture);

// Throws UsageError for a model that cannot be: no layers, no heads, an activation of the wrong kind, a basis
// whose training would not fit into memory_limit bytes (0: the memory of this machine), ...
void validate(const Architecture& architecture, double memory_limit = 0);

// Columns that layer l reads (for the first layer, the terms of its basis).
Index layer_input_size(const Architecture& architecture, std::size_t layer);

}  // namespace bl
