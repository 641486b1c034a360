#include "explain/coefficients.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "explain/expansion.hpp"
#include "explain/render.hpp"
#include "model/parameters.hpp"

namespace bl::explain {

namespace {

class CoefficientReader {
 public:
  CoefficientReader(const Architecture& a, std::span<const Variable> inputs,
                    std::span<const std::string> outputs, Units units)
      : a_(a), outputs_(outputs), units_(units), layout_(a) {
    problem_.variables.assign(inputs.begin(), inputs.end());
    for (std::size_t l = 0; l < a.layers.size(); ++l)
      for (Index b = 0; b < a.layers[l].blocks; ++b)
        problem_.variables.push_back({.name = block_name(l, b), .kind = VariableKind::block});
  }

  std::vector<Coefficient> read() {
    for (std::size_t l = 0; l < a_.layers.size(); ++l) read_layer(l);
    for (const TensorInfo& tensor : layout_.tensors()) {
      if (tensor.role == TensorRole::projection) read_projection(tensor);
      if (tensor.role == TensorRole::readout_weight || tensor.role == TensorRole::readout_bias)
        read_output(tensor);
    }
    return std::move(out_);
  }

 private:
  static std::string block_name(std::size_t layer, Index block) {
    return fmt::format("L{}.B{}", layer + 1, block + 1);
  }

  // "U", "C2", "L1.B2.T".
  std::string head_prefix(std::size_t layer, Index block, HeadKind kind, Index head) const {
    const bool alone = a_.layers.size() == 1 && a_.layers[0].blocks == 1;
    const std::string number = a_.layers[layer].heads(kind) > 1 ? std::to_string(head + 1) : "";
    return (alone ? "" : block_name(layer, block) + ".") + std::string(letter(kind)) + number;
  }

  void read_layer(std::size_t l) {
    const std::vector<Term> terms = layer_terms(a_, l);
    const Expansion expansion(terms, substitutions(problem_.variables, units_));
    for (Index b = 0; b < a_.layers[l].blocks; ++b)
      for (const HeadKind kind : kHeadKinds)
        for (Index h = 0; h < a_.layers[l].heads(kind); ++h)
          read_head(l, b, kind, h, expansion, terms.size());
  }

  void read_head(std::size_t l, Index block, HeadKind kind, Index h, const Expansion& expansion,
                 std::size_t terms) {
    const std::string prefix = fmt::format("layers/{}/{}/", l, letter(kind));
    const Index row = block * a_.layers[l].heads(kind) + h;
    const TensorInfo& weight = layout_.tensor(prefix + "weight");
    const std::string name = head_prefix(l, block, kind, h);
    std::vector<Coefficient> by_monomial;
    for (const auto& factors : expansion.monomials()) {
      Coefficient one{.of_utility = kind == HeadKind::utility, .layer = l};
      one.name = name + "." + (factors.empty() ? "constant" : factors_text(problem_, {.factors = factors}));
      one.of_response = std::any_of(factors.begin(), factors.end(), [&](const Factor& factor) {
        const Variable& v = problem_.variables[factor.variable];
        return v.response || v.kind == VariableKind::block;
      });
      one.of_bend = std::any_of(factors.begin(), factors.end(), [&](const Factor& factor) {
        return problem_.variables[factor.variable].kind == VariableKind::bend;
      });
      by_monomial.push_back(std::move(one));
    }
    for (std::size_t t = 0; t < terms; ++t)
      for (const auto& [monomial, factor] : expansion.parts(t))
        by_monomial[monomial].parts.emplace_back(weight.offset + row * weight.cols + static_cast<Index>(t),
                                                 static_cast<double>(factor));
    if (layout_.contains(prefix + "bias"))
      by_monomial[0].parts.emplace_back(layout_.tensor(prefix + "bias").offset + row, 1.0);
    // The constant after the terms, the weight before them.
    std::rotate(by_monomial.begin(), by_monomial.begin() + 1, by_monomial.end());
    out_.push_back({.name = name + ".lambda", .layer = l});
    out_.back().parts.emplace_back(layout_.tensor(prefix + "lambda").offset + row, 1.0);
    for (Coefficient& one : by_monomial)
      if (!one.parts.empty()) out_.push_back(std::move(one));
  }

  void read_projection(const TensorInfo& tensor) {
    for (Index i = 0; i < tensor.size(); ++i)
      add_single(fmt::format("{}.carry.{}", block_name(tensor.layer, i / tensor.cols),
                             block_name(tensor.layer - 1, i % tensor.cols)),
                 tensor.offset + i);
  }

  void read_output(const TensorInfo& tensor) {
    const bool weight = tensor.role == TensorRole::readout_weight;
    for (Index i = 0; i < tensor.size(); ++i) {
      const std::string what = weight ? "weight" : "constant";
      const std::string output =
          outputs_.empty() ? "" : fmt::format("[{}]", outputs_[static_cast<std::size_t>(i / tensor.cols)]);
      add_single(what + output + (weight ? "." + block_name(a_.layers.size() - 1, i % tensor.cols) : ""),
                 tensor.offset + i);
    }
  }

  void add_single(std::string name, Index position) {
    out_.push_back({.name = std::move(name)});
    out_.back().parts.emplace_back(position, 1.0);
  }

  const Architecture& a_;
  std::span<const std::string> outputs_;
  Units units_;
  ParameterLayout layout_;
  Problem problem_;
  std::vector<Coefficient> out_;
};

}  // namespace

std::vector<Coefficient> coefficients(const Architecture& architecture, std::span<const Variable> inputs,
                                      std::span<const std::string> outputs, Units units) {
  return CoefficientReader(architecture, inputs, outputs, units).read();
}

}  // namespace bl::explain
