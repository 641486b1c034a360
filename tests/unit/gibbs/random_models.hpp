// Small random models of every kind of response, and their utilities written a second time from the formulas.
#pragma once

#include <string>
#include <vector>

#include "base/random.hpp"
#include "support/kinks.hpp"
#include "support/random_problem.hpp"

namespace bl::gibbs {

struct ModelCase {
  std::string name;
  Architecture architecture;
  Index classes() const {
    return architecture.form == Form::vector ? architecture.outputs : architecture.input.classes;
  }
};

// In vector form a continuous part may stand beside the classes: one utility of (x, v) for each of them.
inline std::vector<ModelCase> model_cases() {
  std::vector<ModelCase> cases;
  cases.push_back({"classes", stacked({.context = 2, .values = 0, .classes = 3}, {4, 2})});
  cases.push_back({"vector", stacked_vector({.context = 3, .values = 0, .classes = 0}, {4, 3}, 4)});
  cases.push_back({"values", stacked({.context = 2, .values = 2, .classes = 0}, {5, 3})});
  cases.push_back({"no_context", stacked({.context = 0, .values = 3, .classes = 0}, {4, 2})});
  cases.push_back({"hybrid", stacked({.context = 1, .values = 2, .classes = 3}, {4, 2})});
  cases.push_back({"hybrid_vector", stacked_vector({.context = 2, .values = 1, .classes = 0}, {4, 3}, 3)});
  // Without skips and classes: evaluated with the points in vector lanes, each kind of activation once.
  for (const auto& [name, activations] :
       {std::pair{"lanes", std::array{Activation::tanh, Activation::relu, Activation::abs}},
        std::pair{"lanes_smooth", std::array{Activation::tanh, Activation::softplus, Activation::square}},
        std::pair{"lanes_clip", std::array{Activation::clip, Activation::softplus, Activation::abs}},
        std::pair{"lanes_huber", std::array{Activation::identity, Activation::relu, Activation::huber}}}) {
    cases.push_back({name, stacked({.context = 3, .values = 2, .classes = 0}, {7, 3})});
    cases.back().architecture.activations = activations;
  }
  cases.back().architecture.layers[0].degrees = {{{1, 1}, {1}, {1, 1, 1}}};
  cases.push_back({"lanes_block", single_block({.context = 2, .values = 3, .classes = 0}, {1}, {1, 1}, {1})});
  cases.back().architecture.basis.kind = BasisKind::affine;
  ModelCase block{"block", single_block({.context = 1, .values = 1, .classes = 2}, {2}, {1}, {2})};
  cases.push_back(block);
  cases[2].architecture.skip = Skip::dense;
  cases[4].architecture.skip = Skip::input;
  cases[5].architecture.skip = Skip::residual;
  return cases;
}

template <class T>
Matrix<T> normal_matrix(Index rows, Index cols, std::uint64_t seed) {
  Matrix<T> out(rows, cols);
  test::fill_normal(out, RandomStream(seed, Purpose::test), 1);
  return out;
}

// BL(x, v, c) of one model, naively. Class -1: none.
class NaiveUtility {
 public:
  NaiveUtility(const Architecture& architecture, std::vector<double> parameters)
      : architecture_(architecture), layout_(architecture_), parameters_(std::move(parameters)) {}

  template <class T>
  double operator()(const T* x, const T* v, std::int32_t c, const test::HeadVisitor& visit = {}) const {
    const reference::Utility model(architecture_, layout_, parameters_);
    const InputShape& input = architecture_.input;
    std::vector<double> z;
    for (Index j = 0; j < input.context; ++j) z.push_back(static_cast<double>(x[j]));
    for (Index j = 0; j < input.values; ++j) z.push_back(static_cast<double>(v[j]));
    for (Index j = 0; j < input.classes; ++j) z.push_back(j == c ? 1 : 0);
    const bool vector = architecture_.form == Form::vector;
    const reference::Trace trace = model.trace(z);
    if (visit) test::visit_heads(trace, architecture_, visit);
    return trace.outputs[vector ? static_cast<std::size_t>(c) : 0];
  }

 private:
  Architecture architecture_;
  ParameterLayout layout_;
  std::vector<double> parameters_;
};

}  // namespace bl::gibbs
