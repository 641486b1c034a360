// The utility and its derivatives in plain double-precision loops, to be read next to docs/model.md ("A
// block", "Layers"). Nothing is shared, reordered or skipped: slow, and easy to check.
#pragma once

#include <span>
#include <vector>

#include "model/architecture.hpp"
#include "model/parameters.hpp"

namespace bl::reference {

// An activation with its first and second derivative; at a kink their limit from the left.
struct Activated {
  double value, slope, curvature;
};
Activated activate(Activation activation, double head);

// One layer at one point: what it reads, its heads (utility, inequality, equality, block by block), its
// blocks; each with its derivative along a direction.
struct LayerTrace {
  std::vector<double> in, in_dot, heads, heads_dot, blocks, blocks_dot;
};

struct Trace {
  std::vector<LayerTrace> layers;
  std::vector<double> outputs, outputs_dot;
};

class Utility {
 public:
  // Architecture and layout must outlive this. `raw`: the parameters as they are stored.
  Utility(const Architecture& architecture, const ParameterLayout& layout, std::span<const double> raw);

  // Everything at z = [x ; v ; one-hot class], and its derivative along `direction` (empty: none).
  Trace trace(std::span<const double> z, std::span<const double> direction = {}) const;
  std::vector<double> outputs(std::span<const double> z) const { return trace(z).outputs; }

  // gradient += derivative by the raw parameters of
  //   sum over outputs o of  weights[o] outputs[o] + dot_weights[o] outputs_dot[o].
  void add_gradient(const Trace& at, std::span<const double> weights, std::span<const double> dot_weights,
                    std::span<double> gradient) const;

 private:
  // The heads of one kind in a layer; head h belongs to block h / per_block.
  struct Heads {
    const TensorInfo *weight, *bias, *lambda;  // bias may be null
    Activation activation;
    double sign;  // of its part in a block
    Index per_block;
  };
  // Sums of derivatives by the blocks of a layer and by their tangents.
  struct Adjoint {
    std::vector<double> blocks, blocks_dot;
  };

  double value(const TensorInfo& tensor, Index i) const;
  void deposit(const TensorInfo& tensor, Index i, double derivative, std::span<double> gradient) const;
  const TensorInfo* find(const std::string& name) const;
  void read_first(std::span<const double> z, std::span<const double> direction, LayerTrace& layer) const;
  void read_later(std::size_t l, std::span<const double> z, std::span<const double> direction,
                  const Trace& before, LayerTrace& layer) const;
  void add_heads(const Heads& heads, LayerTrace& layer) const;
  void add_residual(std::size_t l, const LayerTrace& before, LayerTrace& layer) const;
  void read_out(Trace& trace) const;
  Adjoint readout_gradient(const Trace& at, std::span<const double> weights,
                           std::span<const double> dot_weights, std::span<double> gradient) const;
  void layer_gradient(std::size_t l, const Trace& at, std::vector<Adjoint>& adjoints,
                      std::span<double> gradient) const;
  void residual_gradient(std::size_t l, const Trace& at, std::vector<Adjoint>& adjoints,
                         std::span<double> gradient) const;

  const Architecture& a_;
  const ParameterLayout& layout_;
  std::vector<double> raw_;
  std::vector<Term> terms_;
  std::vector<std::vector<Heads>> heads_;       // per layer
  std::vector<const TensorInfo*> projections_;  // per layer; null: none
  const TensorInfo *readout_, *readout_bias_;   // null: none
};

}  // namespace bl::reference
