// The utility written a second time, straight from the formulas and without any sharing of work: the truth
// that the library's scores are held against, and a witness of where the heads stand relative to kinks.
#pragma once

#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "model/architecture.hpp"
#include "model/parameters.hpp"

namespace bl::test {

inline double naive_activation(Activation activation, double a) {
  switch (activation) {
    case Activation::tanh:
      return std::tanh(a);
    case Activation::identity:
      return a;
    case Activation::relu:
      return a > 0 ? a : 0;
    case Activation::softplus:
      return a > 30 ? a : std::log1p(std::exp(a));
    case Activation::abs:
      return std::abs(a);
    case Activation::square:
      return a * a;
    case Activation::huber:
      return std::abs(a) <= 1 ? 0.5 * a * a : std::abs(a) - 0.5;
    case Activation::clip:
      return a < -1 ? -1 : a > 1 ? 1 : a;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// Where the first or second derivative jumps.
inline std::vector<double> kinks(Activation activation) {
  switch (activation) {
    case Activation::relu:
    case Activation::abs:
      return {0};
    case Activation::huber:
    case Activation::clip:
      return {-1, 1};
    default:
      return {};
  }
}

class NaiveModel {
 public:
  using HeadVisitor = std::function<void(Activation, double head)>;

  NaiveModel(const Architecture& architecture, const ParameterLayout& layout,
             std::span<const double> parameters)
      : a_(architecture), layout_(layout), parameters_(parameters) {
    terms_ = basis_terms(a_.basis, a_.input, a_.degree());
  }

  // All outputs at z = [x ; v ; one-hot class].
  std::vector<double> outputs(const std::vector<double>& z, const HeadVisitor& visit = {}) const {
    std::vector<std::vector<double>> s;
    for (std::size_t l = 0; l < a_.layers.size(); ++l) {
      std::vector<double> out = layer(l, layer_input(l, z, s), visit);
      if (a_.skip == Skip::residual && l > 0) add_residual(l, s.back(), out);
      s.push_back(std::move(out));
    }
    if (!a_.readout.present) return s.back();
    std::vector<double> scores(static_cast<std::size_t>(a_.outputs));
    for (std::size_t o = 0; o < scores.size(); ++o) {
      if (a_.readout.bias) scores[o] = value("readout/bias", o);
      for (std::size_t b = 0; b < s.back().size(); ++b)
        scores[o] += value("readout/weight", o * s.back().size() + b) * s.back()[b];
    }
    return scores;
  }

 private:
  double value(const std::string& name, std::size_t i) const {
    const TensorInfo& tensor = layout_.tensor(name);
    const double raw = parameters_[static_cast<std::size_t>(tensor.offset) + i];
    return tensor.sign == Sign::non_negative ? std::log1p(std::exp(raw)) : raw;
  }

  std::vector<double> layer_input(std::size_t l, const std::vector<double>& z,
                                  const std::vector<std::vector<double>>& s) const {
    std::vector<double> in;
    if (l == 0) {
      for (const Term& term : terms_) {
        in.push_back(1);
        for (const std::int32_t factor : term) in.back() *= z[static_cast<std::size_t>(factor)];
      }
      return in;
    }
    if (a_.skip == Skip::input || a_.skip == Skip::dense) in = z;
    for (std::size_t k = a_.skip == Skip::dense ? 0 : l - 1; k < l; ++k)
      in.insert(in.end(), s[k].begin(), s[k].end());
    return in;
  }

  std::vector<double> layer(std::size_t l, const std::vector<double>& in, const HeadVisitor& visit) const {
    std::vector<double> out(static_cast<std::size_t>(a_.layers[l].blocks), 0.0);
    for (const HeadKind kind : kHeadKinds) {
      const auto heads = static_cast<std::size_t>(a_.layers[l].heads(kind));
      const std::string prefix = "layers/" + std::to_string(l) + "/" + std::string(letter(kind)) + "/";
      const bool bias = layout_.contains(prefix + "bias");
      for (std::size_t row = 0; row < heads * out.size(); ++row) {
        double head = bias ? value(prefix + "bias", row) : 0;
        for (std::size_t j = 0; j < in.size(); ++j)
          head += value(prefix + "weight", row * in.size() + j) * in[j];
        if (visit) visit(a_.activation(kind), head);
        out[row / heads] += (kind == HeadKind::utility ? 1 : -1) * value(prefix + "lambda", row) *
                            naive_activation(a_.activation(kind), head);
      }
    }
    return out;
  }

  void add_residual(std::size_t l, const std::vector<double>& before, std::vector<double>& out) const {
    const std::string name = "projections/" + std::to_string(l);
    for (std::size_t i = 0; i < out.size(); ++i) {
      if (!layout_.contains(name)) {
        out[i] += before[i];
        continue;
      }
      for (std::size_t j = 0; j < before.size(); ++j)
        out[i] += value(name, i * before.size() + j) * before[j];
    }
  }

  const Architecture& a_;
  const ParameterLayout& layout_;
  std::span<const double> parameters_;
  std::vector<Term> terms_;
};

}  // namespace bl::test
