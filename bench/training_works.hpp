// The training works of the end-to-end benchmark: shapes, data made from a planted rule, and what they cost.
#pragma once

#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "objective/objective.hpp"

namespace bl::bench {

struct Work {
  std::string name;
  std::string title;
  Architecture architecture;
  ObjectiveKind objective;
  Index rows;
  Index batch;
  Index epochs;
};

inline constexpr double kLearningRate = 1e-3;
inline constexpr double kSigma = 0.5;
inline constexpr std::uint64_t kSeed = 1;

inline Work score_work(std::string name, const std::vector<Index>& widths, Index responses, Index rows,
                       Index batch, Index epochs) {
  Architecture a = stacked({.context = 12, .values = responses, .classes = 0}, widths);
  a.readout.sign = Sign::free;  // as in the published package
  std::string title = "score matching, [";
  for (const Index width : widths) title += (title.back() == '[' ? "" : ",") + std::to_string(width);
  title += "], 12 features, " + std::to_string(responses) + " response(s)";
  return {std::move(name), std::move(title), std::move(a), ObjectiveKind::score_matching, rows, batch,
          epochs};
}

inline Work class_work(std::string name, std::string title, Architecture a, Index rows, Index batch,
                       Index epochs) {
  a.readout.sign = Sign::free;
  return {std::move(name), std::move(title), std::move(a), ObjectiveKind::likelihood, rows, batch, epochs};
}

// The rows of the table in docs/speed.md. The numbers of epochs make a run of PyTorch last about a second.
inline std::vector<Work> training_works() {
  return {
      score_work("score_2_1", {2, 1}, 1, 303, 64, 60),
      score_work("score_36_6", {36, 6}, 1, 4096, 256, 10),
      score_work("score_36_6_wide", {36, 6}, 8, 4096, 256, 10),
      class_work("two_classes", "two classes, scalar form, [36,6], 105 features",
                 stacked({.context = 105, .values = 0, .classes = 2}, {36, 6}), 4096, 256, 6),
      class_work("ten_classes_scalar", "ten classes, scalar form, [88], 784 features",
                 stacked({.context = 784, .values = 0, .classes = 10}, {88}), 1024, 64, 3),
      class_work("ten_classes_vector", "ten classes, vector form, [88], 784 features",
                 stacked_vector({.context = 784, .values = 0, .classes = 0}, {88}, 10), 4096, 64, 4),
      class_work("four_classes_vector", "four classes, vector form, [512,128], 128 features",
                 stacked_vector({.context = 128, .values = 0, .classes = 0}, {512, 128}, 4), 4096, 256, 3),
  };
}

inline Work find_work(const std::string& name) {
  for (Work& work : training_works())
    if (work.name == name) return work;
  throw std::runtime_error("no work '" + name + "'");
}

// Contexts are standard normal; classes and values follow a random linear rule with noise.
struct WorkData {
  Matrix<float> context, values;
  std::vector<std::int32_t> classes;
  Matrix<double> noise;  // of the losses that are compared

  explicit WorkData(const Work& work) {
    const InputShape& input = work.architecture.input;
    const Index outputs = work.architecture.form == Form::vector ? work.architecture.outputs : input.classes;
    const RandomStream random(kSeed, Purpose::test);
    context.resize(work.rows, input.context);
    random.fill_normal(0, context.flat());
    Matrix<float> rule(std::max(outputs, input.values), input.context), error(work.rows, rule.rows());
    random.fill_normal(1, rule.flat());
    random.fill_normal(2, error.flat());
    values.resize(work.rows, input.values);
    noise.resize(work.rows, input.values);
    random.fill_normal(3, noise.flat());
    for (Index i = 0; i < work.rows; ++i) {
      Index best = 0;
      float highest = -INFINITY;
      for (Index o = 0; o < rule.rows(); ++o) {
        float utility = error(i, o);
        for (Index j = 0; j < input.context; ++j)
          utility += context(i, j) * rule(o, j) / std::sqrt(static_cast<float>(input.context));
        if (o < input.values) values(i, o) = utility / std::sqrt(2.0F);
        if (utility > highest) highest = utility, best = o;
      }
      if (outputs > 0) classes.push_back(static_cast<std::int32_t>(best));
    }
  }

  DatasetView<float> view() const {
    return {.rows = context.rows(),
            .context = context.view(),
            .values = values.view(),
            .classes = classes,
            .weights = {},
            .alternatives = {}};
  }
};

// Floating-point operations of the matrix products that one row of a likelihood needs, forward and backward.
// The first layer needs no derivative by its inputs, and its product with the context is shared by a row's
// candidates.
inline double product_operations_per_row(const Architecture& a) {
  const double candidates = a.form == Form::scalar ? static_cast<double>(a.input.classes) : 1;
  double operations = 0, inputs = static_cast<double>(a.input.context);
  for (std::size_t l = 0; l < a.layers.size(); ++l) {
    const double heads = static_cast<double>(a.layers[l].blocks * a.layers[l].heads_per_block());
    operations += l == 0 ? 4 * inputs * heads : 6 * inputs * heads * candidates;
    inputs = static_cast<double>(a.layers[l].blocks);
  }
  return operations + 6 * inputs * static_cast<double>(a.outputs) * candidates;
}

}  // namespace bl::bench
