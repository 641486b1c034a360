// Small random learning problems of every kind, and the library's loss on them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/context.hpp"
#include "base/random.hpp"
#include "engine/cpu/batch.hpp"

namespace bl::test {

enum class Task {
  classes,
  vector,
  choice,
  choice_named,
  density_1d,
  density_2d,
  dsm_1d,
  dsm_3d,
  hybrid,
  hybrid_vector,
  candidates_2d,
  density_exact
};
// Those that any architecture can have: all but the exact normaliser, which needs one layer of
// piecewise-linear heads.
inline constexpr Task kTasks[] = {
    Task::classes, Task::vector, Task::choice, Task::choice_named,  Task::density_1d,   Task::density_2d,
    Task::dsm_1d,  Task::dsm_3d, Task::hybrid, Task::hybrid_vector, Task::candidates_2d};

inline std::string name(Task task) {
  constexpr const char* names[] = {"classes",    "vector",        "choice",        "choice_named",
                                   "density_1d", "density_2d",    "dsm_1d",        "dsm_3d",
                                   "hybrid",     "hybrid_vector", "candidates_2d", "density_exact"};
  return names[static_cast<std::size_t>(task)];
}
inline bool vector_form(Task task) {
  return task == Task::vector || task == Task::hybrid_vector;
}

inline InputShape input_shape(Task task) {
  switch (task) {
    case Task::classes:
      return {.context = 2, .values = 0, .classes = 3};
    case Task::vector:
      return {.context = 3, .values = 0, .classes = 0};
    case Task::choice:
      return {.context = 1, .values = 2, .classes = 0};
    case Task::choice_named:
      return {.context = 1, .values = 1, .classes = 4};
    case Task::density_1d:
    case Task::density_exact:
    case Task::dsm_1d:
      return {.context = 2, .values = 1, .classes = 0};
    case Task::density_2d:
    case Task::candidates_2d:
      return {.context = 1, .values = 2, .classes = 0};
    case Task::dsm_3d:
      return {.context = 1, .values = 3, .classes = 0};
    case Task::hybrid:
      return {.context = 1, .values = 2, .classes = 3};
    case Task::hybrid_vector:
      return {.context = 1, .values = 1, .classes = 0};
  }
  return {};
}

template <class T>
struct Problem {
  Task task = Task::classes;
  Architecture architecture;
  ObjectiveSpec spec;
  Index rows = 0;
  Matrix<T> context, values, attributes;
  Matrix<double> noise;
  std::vector<std::int32_t> classes, alternative_classes, chosen;
  std::vector<std::int64_t> set_begin;
  std::vector<std::uint8_t> available;
  std::vector<T> weights;
  std::optional<RowVersions<T>> versions = {};

  DatasetView<T> data() const {
    DatasetView<T> view{.rows = rows,
                        .context = context.view(),
                        .values = values.view(),
                        .classes = classes,
                        .weights = weights,
                        .alternatives = {},
                        .held = {},
                        .versions = versions ? &*versions : nullptr};
    if (!set_begin.empty())
      view.alternatives = {set_begin, attributes.view(), alternative_classes, available, chosen};
    return view;
  }
  Noise given_noise() const {
    return {.stream = RandomStream(1, Purpose::test), .sigma = spec.sigma, .given = noise.view()};
  }
};

template <class T>
void fill_normal(Matrix<T>& matrix, const RandomStream& random, std::uint64_t row,
                 double standard_deviation = 1) {
  for (std::size_t i = 0; i < matrix.flat().size(); ++i)
    matrix.flat()[i] = static_cast<T>(standard_deviation * random.normal(row, i));
}

// Two versions of most rows: columns in another order, one of them without the row's value, with something
// added.
template <class T>
RowVersions<T> random_versions(Index columns) {
  const RandomStream random(11, Purpose::test);
  RowVersions<T> out{
      .source = Matrix<std::int32_t>(2, columns), .offset = Matrix<T>(2, columns), .share = 0.7};
  fill_normal(out.offset, random, 1);
  for (std::size_t i = 0; i < out.source.flat().size(); ++i)
    out.source.flat()[i] =
        static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(columns) + 1, 2, i)) - 1;
  return out;
}

// Ragged choice sets, some with a single alternative, some alternatives unavailable.
template <class T>
void add_choice_sets(Problem<T>& p, const InputShape& input, const RandomStream& random) {
  p.set_begin = {0};
  for (std::size_t i = 0; i < static_cast<std::size_t>(p.rows); ++i) {
    const std::uint64_t size = 1 + random.below(4, 3, i);
    p.chosen.push_back(static_cast<std::int32_t>(random.below(size, 4, i)));
    for (std::uint64_t j = 0; j < size; ++j) {
      const bool is_chosen = static_cast<std::int32_t>(j) == p.chosen.back();
      p.available.push_back(is_chosen || random.uniform(5, 8 * i + j) < 0.7);
      if (input.classes > 0)
        p.alternative_classes.push_back(
            static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(input.classes), 6, 8 * i + j)));
    }
    p.set_begin.push_back(p.set_begin.back() + static_cast<std::int64_t>(size));
  }
  p.attributes.resize(p.set_begin.back(), input.values);
  fill_normal(p.attributes, random, 7);
}

// Of two responses, around 80 rows.
inline std::shared_ptr<const Proposal> random_proposal() {
  const RandomStream random(9, Purpose::test);
  Matrix<double> values(80, 2);
  for (std::size_t i = 0; i < values.flat().size(); ++i)
    values.flat()[i] = std::clamp(0.7 * random.normal(1, i), -1.9, 2.4);
  return std::make_shared<const Proposal>(values, Support{{-2.5, -2}, {3, 2.5}});
}

inline ObjectiveSpec objective_of(Task task) {
  ObjectiveSpec spec;
  spec.temperature = 0.7;
  spec.sigma = 0.4;
  spec.gamma_discrete = 0.6;
  spec.gamma_continuous = 1.3;
  switch (task) {
    case Task::dsm_1d:
    case Task::dsm_3d:
      spec.kind = ObjectiveKind::score_matching;
      spec.draws = 2;
      break;
    case Task::hybrid:
    case Task::hybrid_vector:
      spec.kind = ObjectiveKind::hybrid;
      spec.draws = 2;
      break;
    case Task::vector:
      spec.label_smoothing = 0.1;
      break;
    case Task::density_1d:
      spec.rule = composite_rule({{-2.5}, {3}}, 1);
      break;
    case Task::density_2d:
      spec.rule = composite_rule({{-2.5, -2}, {3, 2.5}}, 1);
      break;
    case Task::candidates_2d:
      spec.random = {random_proposal(), 6};
      break;
    case Task::density_exact:
      spec.exact = ExactResponse{.lower = -2.5, .upper = 3, .slots = {{-0.5, 0.25}, {0.9, 1.5}}};
      break;
    default:
      break;
  }
  return spec;
}

// Data for a task; the architecture's input must be of its kind.
template <class T>
Problem<T> random_problem(Task task, Architecture architecture, Index rows, std::uint64_t seed) {
  const RandomStream random(seed, Purpose::test);
  Problem<T> p;
  p.task = task;
  p.rows = rows;
  p.spec = objective_of(task);
  const InputShape& input = architecture.input;
  p.context.resize(rows, input.context);
  fill_normal(p.context, random, 1);
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i)
    p.weights.push_back(static_cast<T>(0.5 + random.uniform(2, i)));
  if (task == Task::choice || task == Task::choice_named) {
    p.values.resize(rows, 0);
    add_choice_sets(p, input, random);
  } else {
    p.values.resize(rows, input.values);
    fill_normal(p.values, random, 8);
    const auto classes = static_cast<std::uint64_t>(vector_form(task) ? architecture.outputs : input.classes);
    for (std::size_t i = 0; classes > 0 && i < static_cast<std::size_t>(rows); ++i)
      p.classes.push_back(static_cast<std::int32_t>(random.below(classes, 9, i)));
  }
  p.noise.resize(rows, p.spec.draws * input.values);
  fill_normal(p.noise, random, 10);
  p.architecture = std::move(architecture);
  return p;
}

// Parameters that put heads on both sides of their kinks; masked entries stay zero.
inline std::vector<double> random_parameters(const ParameterLayout& layout, std::uint64_t seed) {
  const RandomStream random(seed, Purpose::test, 1);
  std::vector<double> parameters(static_cast<std::size_t>(layout.size()));
  for (const TensorInfo& tensor : layout.tensors()) {
    const double fan_in = static_cast<double>(tensor.cols);
    for (Index i = 0; i < tensor.size(); ++i) {
      const auto at = static_cast<std::size_t>(tensor.offset + i);
      const double z = random.normal(20, at);
      parameters[at] = tensor.role == TensorRole::lambda ? 0.5 + 0.3 * z : (1.2 / std::sqrt(fan_in)) * z;
      if (!layout.free_mask().empty() && !layout.free_mask()[at]) parameters[at] = 0;
    }
  }
  return parameters;
}

// The library's mean loss and its gradient.
template <class T>
class LibraryLoss {
 public:
  LibraryLoss(const Problem<T>& problem, const Network<T>& network, const Context& job)
      : problem_(problem), objective_(network, problem.spec, problem.data()), evaluator_(objective_, job) {
    rows_.resize(static_cast<std::size_t>(problem.rows));
    std::iota(rows_.begin(), rows_.end(), std::int64_t{0});
    for (Index i = 0; i < problem.rows; ++i) weight_ += static_cast<double>(problem.data().weight(i));
  }
  double operator()(std::span<const T> parameters, std::span<T> gradient = {}) {
    return evaluator_.evaluate(parameters, rows_, problem_.given_noise(), 1 / weight_, gradient).mean();
  }

 private:
  const Problem<T>& problem_;
  Objective<T> objective_;
  BatchEvaluator<T> evaluator_;
  std::vector<std::int64_t> rows_;
  double weight_ = 0;
};

}  // namespace bl::test
