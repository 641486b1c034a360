// The likelihood over candidates: where they stand, and their log-probabilities and gradients.
#include <algorithm>
#include <cmath>
#include <utility>

#include "compute/log_sum_exp.hpp"
#include "objective/objective.hpp"

namespace bl {

// One point per class, the continuous part of the response (if any) repeated.
template <class T>
void Objective<T>::place_classes(std::span<const std::int64_t> rows, ObjectiveWorkspace<T>& ws) const {
  const bool outputs = candidates_ == Candidates::outputs;
  const Index scores = outputs ? network_->outputs() : network_->architecture().input.classes;
  const Index per_row = outputs ? 1 : scores;
  const auto n = static_cast<Index>(rows.size());
  ws.classes.resize(outputs ? 0 : static_cast<std::size_t>(n * per_row));
  ws.values.resize(n * per_row, data_.values.cols);
  for (Index i = 0; i < n; ++i) {
    const std::int64_t row = rows[static_cast<std::size_t>(i)];
    ws.begin[static_cast<std::size_t>(i) + 1] = static_cast<std::int32_t>((i + 1) * per_row);
    ws.numerator[static_cast<std::size_t>(i)] =
        static_cast<std::int32_t>(i * scores) + data_.classes[static_cast<std::size_t>(row)];
    for (Index c = 0; c < per_row; ++c) {
      const Index p = i * per_row + c;
      if (!outputs) ws.classes[static_cast<std::size_t>(p)] = static_cast<std::int32_t>(c);
      if (data_.values.cols > 0) std::copy_n(data_.values.row(row), data_.values.cols, ws.values.row(p));
    }
  }
}

// The available alternatives of each row; the others are not even evaluated.
template <class T>
void Objective<T>::place_alternatives(std::span<const std::int64_t> rows, ObjectiveWorkspace<T>& ws) const {
  const auto& all = data_.alternatives;
  Index most = 0;
  for (const std::int64_t row : rows)
    most += static_cast<Index>(all.begin[static_cast<std::size_t>(row) + 1] -
                               all.begin[static_cast<std::size_t>(row)]);
  ws.values.resize(most, all.attributes.cols);
  ws.classes.clear();
  std::int32_t p = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = static_cast<std::size_t>(rows[i]);
    for (std::int64_t j = all.begin[row]; j < all.begin[row + 1]; ++j) {
      if (!all.available.empty() && !all.available[static_cast<std::size_t>(j)]) continue;
      if (j - all.begin[row] == all.chosen[row]) ws.numerator[i] = p;
      if (all.attributes.cols > 0) std::copy_n(all.attributes.row(j), all.attributes.cols, ws.values.row(p));
      if (!all.classes.empty()) ws.classes.push_back(all.classes[static_cast<std::size_t>(j)]);
      ++p;
    }
    ws.begin[i + 1] = p;
  }
  ws.values.resize(p, all.attributes.cols);
}

// The observed value first, then the nodes, which alone carry the normaliser.
template <class T>
void Objective<T>::place_nodes(std::span<const std::int64_t> rows, ObjectiveWorkspace<T>& ws) const {
  const Index nodes = spec_.rule.size();
  const Index dims = data_.values.cols;
  ws.classes.clear();
  ws.values.resize(static_cast<Index>(rows.size()) * (nodes + 1), dims);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Index first = static_cast<Index>(i) * (nodes + 1);
    ws.begin[i + 1] = static_cast<std::int32_t>(first + nodes + 1);
    ws.numerator[i] = static_cast<std::int32_t>(first);
    std::copy_n(data_.values.row(rows[i]), dims, ws.values.row(first));
    for (Index k = 0; k < nodes * dims; ++k)
      ws.values.row(first + 1)[k] = static_cast<T>(spec_.rule.nodes.data()[k]);
  }
}

template <class T>
void Objective<T>::place_candidates(std::span<const std::int64_t> rows, ObjectiveWorkspace<T>& ws) const {
  ws.begin.resize(rows.size() + 1);
  ws.begin[0] = 0;
  ws.numerator.resize(rows.size());
  switch (candidates_) {
    case Candidates::outputs:
    case Candidates::classes:
      return place_classes(rows, ws);
    case Candidates::alternatives:
      return place_alternatives(rows, ws);
    case Candidates::nodes:
      return place_nodes(rows, ws);
    case Candidates::interval:
      return place_interval(rows, ws);
  }
}

template <class T>
double Objective<T>::likelihood(const PreparedParameters<T>& w, std::span<const std::int64_t> rows,
                                double scale, ObjectiveWorkspace<T>& ws, GradientSum<T>* sums) const {
  place_candidates(rows, ws);
  const Points<T> at = points(ws);
  network_->forward(w, at, ws.network, sums == nullptr);
  const std::span<const T> scores = std::as_const(ws.network.scores).flat();
  if (sums) ws.d_scores.resize(ws.network.scores.rows(), ws.network.scores.cols());
  const T inverse_temperature = static_cast<T>(1 / spec_.temperature);
  const bool nodes = candidates_ == Candidates::nodes;
  const T smoothed = static_cast<T>(spec_.label_smoothing);
  double loss = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto outputs = static_cast<std::size_t>(network_->outputs());
    const std::size_t begin = static_cast<std::size_t>(ws.begin[i]) * outputs + (nodes ? 1 : 0);
    const std::size_t count = static_cast<std::size_t>(ws.begin[i + 1]) * outputs - begin;
    const auto numerator = static_cast<std::size_t>(ws.numerator[i]);
    ws.logits.resize(count);
    for (std::size_t k = 0; k < count; ++k) {
      ws.logits[k] = scores[begin + k] * inverse_temperature;
      if (nodes) ws.logits[k] += static_cast<T>(spec_.rule.log_weights[k]);
    }
    const T normaliser = log_sum_exp<T>(ws.logits);
    const T row_weight = data_.weight(rows[i]);
    T observed = scores[numerator] * inverse_temperature;
    if (smoothed > 0) {
      T mean = 0;
      for (const T logit : ws.logits) mean += logit / static_cast<T>(count);
      observed += smoothed * (mean - observed);
    }
    loss -= static_cast<double>(row_weight) * static_cast<double>(observed - normaliser);
    if (!sums) continue;
    const T factor = static_cast<T>(scale) * row_weight * inverse_temperature;
    const std::span<T> d = ws.d_scores.flat();
    const T spread = smoothed / static_cast<T>(count);
    for (std::size_t k = 0; k < count; ++k)
      d[begin + k] = factor * (std::exp(ws.logits[k] - normaliser) - spread);
    if (nodes)
      d[numerator] = -factor;
    else
      d[numerator] -= factor * (1 - smoothed);
  }
  if (sums) network_->backward(w, at, ws.d_scores.view(), ws.network, *sums);
  return loss;
}

#define BL_INSTANTIATE(T)                                                                                    \
  template void Objective<T>::place_candidates(std::span<const std::int64_t>, ObjectiveWorkspace<T>&) const; \
  template double Objective<T>::likelihood(const PreparedParameters<T>&, std::span<const std::int64_t>,      \
                                           double, ObjectiveWorkspace<T>&, GradientSum<T>*) const;
BL_INSTANTIATE(float)
BL_INSTANTIATE(double)
#undef BL_INSTANTIATE

}  // namespace bl
