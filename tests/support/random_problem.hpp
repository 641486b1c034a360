// Small random learning problems of every kind, and their loss written a second time from the formulas.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "objective/batch.hpp"
#include "support/finite_differences.hpp"
#include "support/naive_model.hpp"

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
  hybrid_vector
};
inline constexpr Task kTasks[] = {Task::classes,    Task::vector,       Task::choice, Task::choice_named,
                                  Task::density_1d, Task::density_2d,   Task::dsm_1d, Task::dsm_3d,
                                  Task::hybrid,     Task::hybrid_vector};

inline std::string name(Task task) {
  constexpr const char* names[] = {"classes",    "vector", "choice", "choice_named", "density_1d",
                                   "density_2d", "dsm_1d", "dsm_3d", "hybrid",       "hybrid_vector"};
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
    case Task::dsm_1d:
      return {.context = 2, .values = 1, .classes = 0};
    case Task::density_2d:
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

  DatasetView<T> data() const {
    DatasetView<T> view{.rows = rows,
                        .context = context.view(),
                        .values = values.view(),
                        .classes = classes,
                        .weights = weights,
                        .alternatives = {}};
    if (!set_begin.empty())
      view.alternatives = {set_begin, attributes.view(), alternative_classes, available, chosen};
    return view;
  }
  Noise given_noise() const {
    return {.stream = RandomStream(1, Purpose::test), .sigma = spec.sigma, .given = noise.view()};
  }
};

template <class T>
void fill_normal(Matrix<T>& matrix, const RandomStream& random, std::uint64_t row, double deviation = 1) {
  for (std::size_t i = 0; i < matrix.flat().size(); ++i)
    matrix.flat()[i] = static_cast<T>(deviation * random.normal(row, i));
}

// Data for a task; the architecture's input must be input_shape(task).
template <class T>
Problem<T> random_problem(Task task, Architecture architecture, Index rows, std::uint64_t seed) {
  const RandomStream random(seed, Purpose::test);
  Problem<T> p;
  p.task = task;
  p.rows = rows;
  const InputShape& input = architecture.input;
  const auto n = static_cast<std::size_t>(rows);
  p.context.resize(rows, input.context);
  fill_normal(p.context, random, 1);
  p.weights.resize(n);
  for (std::size_t i = 0; i < n; ++i) p.weights[i] = static_cast<T>(0.5 + random.uniform(2, i));
  const auto classes = static_cast<std::uint64_t>(vector_form(task) ? architecture.outputs : input.classes);
  const bool choice = task == Task::choice || task == Task::choice_named;
  if (choice) {
    p.values.resize(rows, 0);
    p.set_begin = {0};
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint64_t size = 1 + random.below(4, 3, i);  // ragged, some with a single alternative
      p.chosen.push_back(static_cast<std::int32_t>(random.below(size, 4, i)));
      for (std::uint64_t j = 0; j < size; ++j) {
        const bool is_chosen = static_cast<std::int32_t>(j) == p.chosen.back();
        p.available.push_back(is_chosen || random.uniform(5, 8 * i + j) < 0.7);
        if (input.classes > 0)
          p.alternative_classes.push_back(static_cast<std::int32_t>(random.below(classes, 6, 8 * i + j)));
      }
      p.set_begin.push_back(p.set_begin.back() + static_cast<std::int64_t>(size));
    }
    p.attributes.resize(p.set_begin.back(), input.values);
    fill_normal(p.attributes, random, 7);
  } else {
    p.values.resize(rows, input.values);
    fill_normal(p.values, random, 8);
    for (std::size_t i = 0; classes > 0 && i < n; ++i)
      p.classes.push_back(static_cast<std::int32_t>(random.below(classes, 9, i)));
  }
  p.spec.temperature = 0.7;
  p.spec.sigma = 0.4;
  p.spec.gamma_discrete = 0.6;
  p.spec.gamma_continuous = 1.3;
  switch (task) {
    case Task::dsm_1d:
    case Task::dsm_3d:
      p.spec.kind = ObjectiveKind::score_matching;
      p.spec.draws = 2;
      break;
    case Task::hybrid:
    case Task::hybrid_vector:
      p.spec.kind = ObjectiveKind::hybrid;
      p.spec.draws = 2;
      break;
    case Task::density_1d:
      p.spec.rule = composite_rule({{-2.5}, {3}}, 1);
      break;
    case Task::density_2d:
      p.spec.rule = composite_rule({{-2.5, -2}, {3, 2.5}}, 1);
      break;
    default:
      break;
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

// z = [x ; v ; one-hot class]; class_index -1 for none.
template <class T>
std::vector<double> naive_input(const Problem<T>& p, Index row, std::span<const double> v, int class_index) {
  std::vector<double> z;
  for (Index j = 0; j < p.architecture.input.context; ++j)
    z.push_back(static_cast<double>(p.context(row, j)));
  z.insert(z.end(), v.begin(), v.end());
  for (int c = 0; c < p.architecture.input.classes; ++c) z.push_back(c == class_index ? 1 : 0);
  return z;
}

// Every loss of specification page 2, naively: no shared work, sums in the order of the formulas.
template <class T>
class NaiveLoss {
 public:
  NaiveLoss(const Problem<T>& problem, const ParameterLayout& layout, std::span<const double> parameters,
            NaiveModel::HeadVisitor visit = {})
      : p_(problem), model_(problem.architecture, layout, parameters), visit_(std::move(visit)) {}

  double mean() const {
    double sum = 0, weight = 0;
    for (Index i = 0; i < p_.rows; ++i) {
      const double w = static_cast<double>(p_.data().weight(i));
      double loss = 0;
      switch (p_.spec.kind) {
        case ObjectiveKind::likelihood:
          loss = cross_entropy(i);
          break;
        case ObjectiveKind::score_matching:
          loss = score_matching(i);
          break;
        case ObjectiveKind::hybrid:
          loss = p_.spec.gamma_discrete * cross_entropy(i) + p_.spec.gamma_continuous * score_matching(i);
          break;
      }
      sum += w * loss;
      weight += w;
    }
    return sum / weight;
  }

 private:
  std::vector<double> outputs(Index row, std::span<const double> v, int c, bool visited = true) const {
    return model_.outputs(naive_input(p_, row, v, c), visited ? visit_ : NaiveModel::HeadVisitor{});
  }
  std::vector<double> response(Index row) const {
    std::vector<double> v;
    for (Index j = 0; j < p_.values.cols(); ++j) v.push_back(static_cast<double>(p_.values(row, j)));
    return v;
  }

  static long double exponential(double v) { return std::exp(static_cast<long double>(v)); }

  double cross_entropy(Index row) const {
    const double tau = p_.spec.temperature;
    const auto i = static_cast<std::size_t>(row);
    long double sum = 0;  // its exponent range needs no shifting
    double numerator = 0;
    if (!p_.set_begin.empty()) {
      for (std::int64_t j = p_.set_begin[i]; j < p_.set_begin[i + 1]; ++j) {
        const auto at = static_cast<std::size_t>(j);
        if (!p_.available[at]) continue;
        std::vector<double> v;
        for (Index k = 0; k < p_.attributes.cols(); ++k)
          v.push_back(static_cast<double>(p_.attributes(j, k)));
        const double u = outputs(row, v, p_.alternative_classes.empty() ? -1 : p_.alternative_classes[at])[0];
        sum += exponential(u / tau);
        if (j - p_.set_begin[i] == p_.chosen[i]) numerator = u / tau;
      }
    } else if (vector_form(p_.task)) {
      const auto u = outputs(row, response(row), -1);
      for (const double one : u) sum += exponential(one / tau);
      numerator = u[static_cast<std::size_t>(p_.classes[i])] / tau;
    } else if (p_.architecture.input.classes > 0) {
      for (int c = 0; c < p_.architecture.input.classes; ++c)
        sum += exponential(outputs(row, response(row), c)[0] / tau);
      numerator = outputs(row, response(row), p_.classes[i])[0] / tau;
    } else {
      for (Index k = 0; k < p_.spec.rule.size(); ++k) {
        const std::span<const double> node(p_.spec.rule.nodes.row(k),
                                           static_cast<std::size_t>(p_.spec.rule.nodes.cols()));
        sum += exponential(p_.spec.rule.log_weights[static_cast<std::size_t>(k)] +
                           outputs(row, node, -1)[0] / tau);
      }
      numerator = outputs(row, response(row), -1)[0] / tau;
    }
    return static_cast<double>(std::log(sum) - numerator);
  }

  // grad_v BL by differences of the naive utility.
  double score_matching(Index row) const {
    const Index dims = p_.values.cols();
    const int c = p_.classes.empty() ? -1 : p_.classes[static_cast<std::size_t>(row)];
    const std::size_t output = vector_form(p_.task) ? static_cast<std::size_t>(c) : 0;
    double loss = 0;
    for (Index k = 0; k < p_.spec.draws; ++k) {
      std::vector<double> v = response(row);
      for (Index j = 0; j < dims; ++j)
        v[static_cast<std::size_t>(j)] += p_.spec.sigma * p_.noise(row, k * dims + j);
      outputs(row, v, c);
      for (Index j = 0; j < dims; ++j) {
        const Difference d = central_difference([&](double t) {
          std::vector<double> moved = v;
          moved[static_cast<std::size_t>(j)] += t;
          return outputs(row, moved, c, false)[output];
        });
        const double r = d.slope / p_.spec.temperature + p_.noise(row, k * dims + j) / p_.spec.sigma;
        loss += 0.5 * r * r / p_.spec.draws;
      }
    }
    return loss;
  }

  const Problem<T>& p_;
  NaiveModel model_;
  NaiveModel::HeadVisitor visit_;
};

// The library's mean loss and its gradient.
template <class T>
class LibraryLoss {
 public:
  LibraryLoss(const Problem<T>& problem, const Network<T>& network, ThreadPool& pool)
      : problem_(problem), objective_(network, problem.spec, problem.data()), evaluator_(objective_, pool) {
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
