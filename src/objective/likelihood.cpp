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

// The observed value first, then random ones; all carry the normaliser, by the inverse of their density.
template <class T>
void Objective<T>::place_random(std::span<const std::int64_t> rows, const Noise& noise,
                                ObjectiveWorkspace<T>& ws) const {
  const Proposal& proposal = *spec_.random->proposal;
  const Index count = spec_.random->count + 1, dims = data_.values.cols;
  const double log_count = std::log(static_cast<double>(count));
  ws.classes.clear();
  ws.values.resize(static_cast<Index>(rows.size()) * count, dims);
  ws.log_weights.resize(rows.size() * static_cast<std::size_t>(count));
  ws.place.resize(static_cast<std::size_t>(dims));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Index first = static_cast<Index>(i) * count;
    ws.begin[i + 1] = static_cast<std::int32_t>(first + count);
    ws.numerator[i] = static_cast<std::int32_t>(first);
    for (Index k = 0; k < count; ++k) {
      double log_density = 0;
      if (k == 0) {
        std::copy_n(data_.values.row(rows[i]), dims, ws.place.begin());
        log_density = proposal.log_density(ws.place);
      } else {
        log_density = proposal.draw(noise.stream, static_cast<std::uint64_t>(rows[i]),
                                    static_cast<std::uint64_t>(k - 1), ws.place);
      }
      std::transform(ws.place.begin(), ws.place.end(), ws.values.row(first + k),
                     [](double v) { return static_cast<T>(v); });
      ws.log_weights[static_cast<std::size_t>(first + k)] = static_cast<T>(-log_density - log_count);
    }
  }
}

template <class T>
void Objective<T>::place_candidates(std::span<const std::int64_t> rows, const Noise& noise,
                                    ObjectiveWorkspace<T>& ws) const {
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
    case Candidates::random:
      return place_random(rows, noise, ws);
    case Candidates::interval:
      return;  // it is no set of points
  }
}

template <class T>
double Objective<T>::likelihood(const PreparedParameters<T>& w, std::span<const std::int64_t> rows,
                                const Noise& noise, double scale, ObjectiveWorkspace<T>& ws,
                                GradientSum<T>* sums) const {
  place_candidates(rows, noise, ws);
  const Points<T> at = points(ws);
  network_->forward(w, at, ws.network, sums == nullptr);
  const std::span<const T> scores = std::as_const(ws.network.scores).flat();
  if (sums) ws.d_scores.resize(ws.network.scores.rows(), ws.network.scores.cols());
  const T inverse_temperature = static_cast<T>(1 / spec_.temperature);
  const bool nodes = candidates_ == Candidates::nodes, random = candidates_ == Candidates::random;
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
      if (random) ws.logits[k] += ws.log_weights[begin + k];
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

// Without a context the nodes stand once for all rows of the chunk, after their observed values.
template <class T>
double Objective<T>::shared_likelihood(const PreparedParameters<T>& w, std::span<const std::int64_t> rows,
                                       double scale, ObjectiveWorkspace<T>& ws, GradientSum<T>* sums) const {
  const Index nodes = spec_.rule.size(), dims = data_.values.cols;
  const auto count = static_cast<Index>(rows.size());
  ws.classes.clear();
  ws.values.resize(count + nodes, dims);
  ws.begin.resize(rows.size() + 1);
  for (std::size_t i = 0; i <= rows.size(); ++i) ws.begin[i] = static_cast<std::int32_t>(i);
  ws.begin.back() = static_cast<std::int32_t>(count + nodes);
  for (Index i = 0; i < count; ++i)
    std::copy_n(data_.values.row(rows[static_cast<std::size_t>(i)]), dims, ws.values.row(i));
  for (Index k = 0; k < nodes * dims; ++k)
    ws.values.row(count)[k] = static_cast<T>(spec_.rule.nodes.data()[k]);
  const Points<T> at = points(ws);
  network_->forward(w, at, ws.network, sums == nullptr);
  const std::span<const T> scores = std::as_const(ws.network.scores).flat();
  const T inverse_temperature = static_cast<T>(1 / spec_.temperature);
  ws.logits.resize(static_cast<std::size_t>(nodes));
  for (std::size_t k = 0; k < ws.logits.size(); ++k)
    ws.logits[k] = scores[rows.size() + k] * inverse_temperature + static_cast<T>(spec_.rule.log_weights[k]);
  const T normaliser = log_sum_exp<T>(ws.logits);
  double loss = 0;
  T all = 0;  // of the rows' factors
  if (sums) ws.d_scores.resize(ws.network.scores.rows(), ws.network.scores.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const T weight = data_.weight(rows[i]);
    loss += static_cast<double>(weight) * static_cast<double>(normaliser - scores[i] * inverse_temperature);
    const T factor = static_cast<T>(scale) * weight * inverse_temperature;
    all += factor;
    if (sums) ws.d_scores.flat()[i] = -factor;
  }
  if (!sums) return loss;
  for (std::size_t k = 0; k < ws.logits.size(); ++k)
    ws.d_scores.flat()[rows.size() + k] = all * std::exp(ws.logits[k] - normaliser);
  network_->backward(w, at, ws.d_scores.view(), ws.network, *sums);
  return loss;
}

#define BL_INSTANTIATE(T)                                                                                 \
  template double Objective<T>::likelihood(const PreparedParameters<T>&, std::span<const std::int64_t>,   \
                                           const Noise&, double, ObjectiveWorkspace<T>&, GradientSum<T>*) \
      const;                                                                                              \
  template double Objective<T>::shared_likelihood(const PreparedParameters<T>&,                           \
                                                  std::span<const std::int64_t>, double,                  \
                                                  ObjectiveWorkspace<T>&, GradientSum<T>*) const;
BL_INSTANTIATE(float)
BL_INSTANTIATE(double)
#undef BL_INSTANTIATE

}  // namespace bl
