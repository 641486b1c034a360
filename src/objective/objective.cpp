#include "objective/objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bl/errors.hpp"

namespace bl {

void LossSum::add(const LossSum& other) {
  loss += other.loss;
  weight += other.weight;
  discrete += other.discrete;
  continuous += other.continuous;
}

template <class T>
Objective<T>::Objective(const Network<T>& network, ObjectiveSpec spec, const DatasetView<T>& data)
    : network_(&network), spec_(std::move(spec)), data_(data) {
  const Architecture& a = network.architecture();
  if (!(spec_.temperature > 0) || std::isinf(spec_.temperature))
    throw UsageError(fmt::format("the temperature must be positive and finite, not {}", spec_.temperature));
  if (spec_.label_smoothing != 0 &&
      (spec_.kind != ObjectiveKind::likelihood || a.input.values > 0 || !data_.alternatives.begin.empty()))
    throw UsageError("`label_smoothing` is for the likelihood of classes");
  if (spec_.kind != ObjectiveKind::likelihood) {
    if (a.input.values == 0) throw UsageError("score matching needs a continuous response");
    if (!(spec_.sigma > 0)) throw UsageError(fmt::format("sigma must be positive, not {}", spec_.sigma));
    if (spec_.draws < 1)
      throw UsageError(fmt::format("score matching needs at least one draw, not {}", spec_.draws));
  }
  if (!data_.alternatives.begin.empty()) {
    candidates_ = Candidates::alternatives;
    if (spec_.kind != ObjectiveKind::likelihood)
      throw UsageError("a choice among alternatives is learned by likelihood; use `objective` = likelihood");
    if (a.form == Form::vector)
      throw UsageError(
          "a choice among alternatives needs the scalar form: their attributes stand in the utility");
  } else if (spec_.exact) {
    candidates_ = Candidates::interval;
    check_exact();
  } else if (a.form == Form::vector) {
    candidates_ = Candidates::outputs;
  } else if (a.input.classes > 0) {
    candidates_ = Candidates::classes;
  } else {
    candidates_ = spec_.random ? Candidates::random : Candidates::nodes;
    check_continuous();
  }
  check_data();
}

template <class T>
void Objective<T>::check_exact() const {
  const Architecture& a = network_->architecture();
  if (spec_.kind != ObjectiveKind::likelihood || !piecewise::has_lines(a))
    throw UsageError(
        "exact normalisers are for the likelihood of one number in one layer whose activations are straight "
        "between their kinks (" +
        names_of_lines() + ")");
  if (!(spec_.exact->lower < spec_.exact->upper)) throw UsageError("the support is empty");
}

template <class T>
void Objective<T>::check_continuous() const {
  const Index values = network_->architecture().input.values;
  if (spec_.kind == ObjectiveKind::hybrid) throw UsageError("the hybrid objective needs a class response");
  if (spec_.kind != ObjectiveKind::likelihood) return;
  const Index dimension = spec_.random ? spec_.random->proposal->dimension() : spec_.rule.nodes.cols();
  if (dimension != values)
    throw UsageError(fmt::format("the {} {} dimensions, the response {}",
                                 spec_.random ? "proposal has" : "quadrature rule has", dimension, values));
  if (spec_.random && spec_.random->count < 1)
    throw UsageError(fmt::format("a row needs at least one random candidate, not {}", spec_.random->count));
}

template <class T>
void Objective<T>::check_data() const {
  const Architecture& a = network_->architecture();
  const auto require = [](bool condition, const std::string& message) {
    if (!condition) throw DataError(message);
  };
  const auto rows = static_cast<std::size_t>(data_.rows);
  require(data_.rows > 0, "there are no rows to learn from");
  require(data_.context.cols == a.input.context &&
              (a.input.context == 0 || data_.context.rows == data_.rows || !data_.held.empty()),
          fmt::format("the data have {} context columns and {} rows of them, the model expects {} and {}",
                      data_.context.cols, data_.context.rows, a.input.context, data_.rows));
  require(data_.weights.empty() || data_.weights.size() == rows, "there must be one weight per row");
  if (candidates_ == Candidates::alternatives) {
    const auto& alternatives = data_.alternatives;
    require(alternatives.begin.size() == rows + 1 && alternatives.chosen.size() == rows,
            "there must be one choice set and one choice per row");
    const auto count = static_cast<std::size_t>(alternatives.begin.back());
    require(
        alternatives.attributes.cols == a.input.values &&
            (a.input.values == 0 || alternatives.attributes.rows == alternatives.begin.back()),
        fmt::format(
            "there are {} alternatives with {} attributes, the choice sets and the model expect {} and {}",
            alternatives.attributes.rows, alternatives.attributes.cols, count, a.input.values));
    require(alternatives.classes.size() == (a.input.classes == 0 ? 0 : count),
            "the alternatives' identities are given, one each, exactly when the model has classes");
    require(alternatives.available.empty() || alternatives.available.size() == count,
            "the availability of the alternatives is given for all of them or for none");
    for (std::size_t i = 0; i < rows; ++i) {
      const std::int64_t size = alternatives.begin[i + 1] - alternatives.begin[i];
      const std::int32_t chosen = alternatives.chosen[i];
      require(size > 0, fmt::format("row {}: the choice set is empty", i + 1));
      require(chosen >= 0 && chosen < size,
              fmt::format("row {}: choice {} of {} alternatives", i + 1, chosen, size));
      require(alternatives.available.empty() ||
                  alternatives.available[static_cast<std::size_t>(alternatives.begin[i] + chosen)] != 0,
              fmt::format("row {}: the chosen alternative {} is not available", i + 1, chosen));
    }
    for (const std::int32_t c : alternatives.classes)
      require(c >= 0 && c < a.input.classes, fmt::format("alternative {} of {}", c, a.input.classes));
    return;
  }
  require(data_.values.cols == a.input.values && (a.input.values == 0 || data_.values.rows == data_.rows),
          fmt::format("the data have {} response columns, the model expects {}", data_.values.cols,
                      a.input.values));
  const Index classes = a.form == Form::vector ? a.outputs : a.input.classes;
  require(classes == 0 || data_.classes.size() == rows, "there must be one class per row");
  for (std::size_t i = 0; i < data_.classes.size(); ++i)
    require(data_.classes[i] >= 0 && data_.classes[i] < classes,
            fmt::format("row {}: class {} of {}", i + 1, data_.classes[i], classes));
}

template <class T>
double Objective<T>::average_candidates() const {
  const Architecture& a = network_->architecture();
  if (spec_.kind == ObjectiveKind::score_matching) return spec_.draws;
  switch (candidates_) {
    case Candidates::outputs:
      return 1;
    case Candidates::classes:
      return static_cast<double>(
          std::max<Index>(a.input.classes, spec_.kind == ObjectiveKind::hybrid ? spec_.draws : 1));
    case Candidates::interval:
      return 1;
    case Candidates::alternatives:
      return static_cast<double>(data_.alternatives.begin.back()) / static_cast<double>(data_.rows);
    case Candidates::random:
      return spec_.random->count + 1;
    case Candidates::nodes:
      break;
  }
  return shared_normaliser() ? 1 : static_cast<double>(spec_.rule.size() + 1);
}

template <class T>
double Objective<T>::numbers_per_row() const {
  return static_cast<double>(network_->numbers_per_point()) * average_candidates();
}

template <class T>
Index Objective<T>::rows_per_chunk() const {
  // The workspace stays in a second-level cache, unless the parameters do not either: then a chunk is long
  // enough to make up for reading them and for the gradient that each lane keeps.
  constexpr double kWorkspace = 1 << 19, kLargest = 1 << 22;
  const double size = static_cast<double>(sizeof(T));
  const double bytes =
      std::clamp(2 * size * static_cast<double>(network_->layout().size()), kWorkspace, kLargest);
  const double points =
      std::clamp(bytes / (size * static_cast<double>(network_->numbers_per_point())), 32.0, 1024.0);
  return std::max<Index>(1, static_cast<Index>(points / average_candidates()));
}

template <class T>
bool Objective<T>::context_apart(Index rows) const {
  // The product's result, which passes between threads, is then smaller than the weights, which do not.
  return spec_.kind == ObjectiveKind::likelihood && rows <= data_.context.cols && network_->wide_context();
}

template <class T>
LossSum Objective<T>::chunk(const PreparedParameters<T>& w, std::span<const std::int64_t> rows,
                            const Noise& noise, double scale, ObjectiveWorkspace<T>& ws,
                            GradientSum<T>* sums) const {
  LossSum sum;
  for (const std::int64_t row : rows) sum.weight += static_cast<double>(data_.weight(row));
  if (!ws.given_context.data) gather_context(rows, noise, ws);
  switch (spec_.kind) {
    case ObjectiveKind::likelihood:
      sum.loss = candidates_ == Candidates::interval ? exact_likelihood(w, rows, scale, ws, sums)
                 : shared_normaliser()               ? shared_likelihood(w, rows, scale, ws, sums)
                                                     : likelihood(w, rows, noise, scale, ws, sums);
      break;
    case ObjectiveKind::score_matching:
      sum.loss = score_matching(w, rows, noise, scale, ws, sums);
      break;
    case ObjectiveKind::hybrid:
      sum.discrete = likelihood(w, rows, noise, scale * spec_.gamma_discrete, ws, sums);
      sum.continuous = score_matching(w, rows, noise, scale * spec_.gamma_continuous, ws, sums);
      sum.loss = spec_.gamma_discrete * sum.discrete + spec_.gamma_continuous * sum.continuous;
      break;
  }
  return sum;
}

template <class T>
void Objective<T>::gather_context(std::span<const std::int64_t> rows, const Noise& noise,
                                  ObjectiveWorkspace<T>& ws) const {
  ws.context.resize(static_cast<Index>(rows.size()), data_.context.cols);
  for (std::size_t i = 0; i < rows.size() && data_.context.cols > 0; ++i)
    data_.read_context(rows[i], noise.stream, ws.context.row(static_cast<Index>(i)));
}

template <class T>
Points<T> Objective<T>::points(const ObjectiveWorkspace<T>& ws) const {
  return {ws.given_context.data ? ws.given_context : ws.context.view(), ws.begin, ws.values.view(),
          ws.classes, ws.row_heads};
}

template class Objective<float>;
template class Objective<double>;

}  // namespace bl
