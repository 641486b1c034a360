// BL/tau as the samplers read it, point by point through the plain utility.
#pragma once

#include <algorithm>
#include <vector>

#include "engine/chains.hpp"
#include "engine/reference/utility.hpp"

namespace bl::reference {

template <class T>
class Density : public gibbs::HybridDensity<T> {
 public:
  explicit Density(const ChainPlan<T>& plan)
      : plan_(plan),
        a_(plan.network.architecture()),
        raw_(plan.parameters.begin(), plan.parameters.end()),
        utility_(a_, plan.network.layout(), raw_),
        chosen_(static_cast<std::size_t>(plan.rows * plan.chains_per_row), 0) {}

  Index dimension() const override { return a_.input.values; }
  Index classes() const override { return a_.form == Form::vector ? a_.outputs : a_.input.classes; }

  void evaluate(Index first, MatrixView<const T> points, std::span<T> value,
                MatrixView<T> gradient) const override {
    for (Index i = 0; i < points.rows; ++i) {
      const Index c = chosen_[static_cast<std::size_t>(first + i)];
      const std::vector<double> z = point(first + i, points.row(i), c);
      value[static_cast<std::size_t>(i)] = static_cast<T>(utility_.outputs(z)[output(c)] / plan_.temperature);
      for (Index j = 0; gradient.data && j < dimension(); ++j) {
        std::vector<double> direction(z.size(), 0.0);
        direction[static_cast<std::size_t>(a_.input.context + j)] = 1;
        gradient(i, j) =
            static_cast<T>(utility_.trace(z, direction).outputs_dot[output(c)] / plan_.temperature);
      }
    }
  }
  void conditional_log_probabilities(Index first, MatrixView<const T> points,
                                     MatrixView<T> out) const override {
    for (Index i = 0; i < points.rows; ++i)
      for (Index c = 0; c < classes(); ++c)
        out(i, c) = static_cast<T>(utility_.outputs(point(first + i, points.row(i), c))[output(c)] /
                                   plan_.temperature);
  }
  void set_classes(Index first, std::span<const std::int32_t> chosen) override {
    std::copy(chosen.begin(), chosen.end(), chosen_.begin() + first);
  }

 private:
  std::size_t output(Index c) const { return a_.form == Form::vector ? static_cast<std::size_t>(c) : 0; }
  std::vector<double> point(Index chain, const T* v, Index c) const {
    std::vector<double> z;
    for (Index j = 0; j < a_.input.context; ++j)
      z.push_back(static_cast<double>(plan_.context(chain / plan_.chains_per_row, j)));
    for (Index j = 0; j < a_.input.values; ++j) z.push_back(static_cast<double>(v[j]));
    for (Index k = 0; k < a_.input.classes; ++k) z.push_back(k == c ? 1 : 0);
    return z;
  }

  const ChainPlan<T>& plan_;
  const Architecture& a_;
  std::vector<double> raw_;
  Utility utility_;
  std::vector<std::int32_t> chosen_;  // per chain
};

}  // namespace bl::reference
