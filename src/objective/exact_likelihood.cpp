// The likelihood of a number whose utility is piecewise linear in it: no nodes, so nothing can hide between
// them.
//
//   -log p = log of the integral of exp(u(x, y)) over the support - u(x, observed)
// and for a response in a slot, in the place of u(x, observed), the log of the same integral over the slot.
#include <algorithm>
#include <cmath>

#include "objective/objective.hpp"

namespace bl {

namespace {

// The slot that y lies well inside of; null where there is none.
const piecewise::Interval* slot_of(const std::vector<piecewise::Interval>& slots, double y) {
  constexpr double kEdge = 1e-3;  // of its width: in single precision a neighbour may lie on an end
  const auto after =
      std::upper_bound(slots.begin(), slots.end(), y,
                       [](double v, const piecewise::Interval& slot) { return v < slot.lower; });
  if (after == slots.begin()) return nullptr;
  const piecewise::Interval& slot = *(after - 1);
  const double edge = kEdge * (slot.upper - slot.lower);
  return y > slot.lower + edge && y < slot.upper - edge ? &slot : nullptr;
}

}  // namespace

// Where every row's lines start from: the heads at y = 0.
template <class T>
void Objective<T>::place_interval(std::span<const std::int64_t> rows, ObjectiveWorkspace<T>& ws) const {
  ws.classes.clear();
  ws.values.resize(static_cast<Index>(rows.size()), 1);
  std::fill(ws.values.flat().begin(), ws.values.flat().end(), T(0));
  for (std::size_t i = 0; i < rows.size(); ++i) ws.begin[i + 1] = static_cast<std::int32_t>(i + 1);
}

// -log p(y) of a row. With d_offsets, they and ws.d_slope, ws.d_gain receive factor times its derivatives.
template <class T>
double Objective<T>::exact_row(const T* offsets, double y, double factor, T* d_offsets,
                               ObjectiveWorkspace<T>& ws) const {
  const piecewise::LayerLines& lines = ws.lines;
  lines.breakpoints(offsets, spec_.exact->lower, spec_.exact->upper, ws.interval);
  const double log_z = lines.log_normalizer(ws.interval);
  const std::span<piecewise::HeadShare> observed(ws.observed.data(), d_offsets ? ws.observed.size() : 0);
  double seen = 0;
  if (const piecewise::Interval* slot = slot_of(spec_.exact->slots, y)) {
    lines.breakpoints(offsets, slot->lower, slot->upper, ws.slot);
    seen = lines.log_normalizer(ws.slot);
    if (d_offsets) lines.shares(offsets, ws.slot, observed);
  } else {
    seen = lines.at(offsets, y, observed);
  }
  if (!d_offsets) return log_z - seen;
  lines.shares(offsets, ws.interval, ws.expected);
  for (std::size_t h = 0; h < observed.size(); ++h) {
    const double by_gain = factor * lines.gain(static_cast<Index>(h));
    d_offsets[h] = static_cast<T>(by_gain * (ws.expected[h].by_offset - observed[h].by_offset));
    ws.d_slope[h] += by_gain * (ws.expected[h].by_slope - observed[h].by_slope);
    ws.d_gain[h] += factor * (ws.expected[h].value - observed[h].value);
  }
  return log_z - seen;
}

template <class T>
double Objective<T>::exact_likelihood(const PreparedParameters<T>& w, std::span<const std::int64_t> rows,
                                      double scale, ObjectiveWorkspace<T>& ws, GradientSum<T>* sums) const {
  ws.begin.resize(rows.size() + 1);
  ws.begin[0] = 0;
  place_interval(rows, ws);
  const Points<T> at = points(ws);
  const MatrixView<const T> heads = network_->heads(w, at, ws.network);
  ws.lines.prepare(*network_, w, spec_.temperature);
  const auto count = static_cast<std::size_t>(heads.cols);
  if (sums) {
    ws.d_heads.resize(heads.rows, heads.cols);
    ws.expected.resize(count);
    ws.observed.resize(count);
    ws.d_slope.assign(count, 0);
    ws.d_gain.assign(count, 0);
  }
  double loss = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto weight = static_cast<double>(data_.weight(rows[i]));
    const auto at_row = static_cast<Index>(i);
    loss += weight * exact_row(heads.row(at_row), static_cast<double>(data_.values(rows[i], 0)),
                               scale * weight, sums ? ws.d_heads.row(at_row) : nullptr, ws);
  }
  if (!sums) return loss;
  network_->heads_backward(at, ws.d_heads.view(), ws.network, *sums);
  for (std::size_t h = 0; h < count; ++h)
    sums->inputs[0].values(0, static_cast<Index>(h)) += static_cast<T>(ws.d_slope[h]);
  // gain = sign lambda readout / tau
  const BlockShape& shape = network_->block_shape(0);
  const Index lambda = network_->lambda_offset(), readout = network_->readout_offset();
  for (const HeadSection& section : shape.sections)
    for (Index j = 0; j < shape.blocks * section.heads_per_block; ++j) {
      const Index h = section.begin + j, block = j / section.heads_per_block;
      const double d = section.sign / spec_.temperature * ws.d_gain[static_cast<std::size_t>(h)];
      const double weight = readout < 0 ? 1 : static_cast<double>(w.readout(0, block));
      sums->flat[static_cast<std::size_t>(lambda + h)] += static_cast<T>(d * weight);
      if (readout >= 0)
        sums->flat[static_cast<std::size_t>(readout + block)] +=
            static_cast<T>(d * static_cast<double>(w.lambdas[0][static_cast<std::size_t>(h)]));
    }
  return loss;
}

#define BL_INSTANTIATE(T)                                                                                  \
  template void Objective<T>::place_interval(std::span<const std::int64_t>, ObjectiveWorkspace<T>&) const; \
  template double Objective<T>::exact_row(const T*, double, double, T*, ObjectiveWorkspace<T>&) const;     \
  template double Objective<T>::exact_likelihood(const PreparedParameters<T>&,                             \
                                                 std::span<const std::int64_t>, double,                    \
                                                 ObjectiveWorkspace<T>&, GradientSum<T>*) const;
BL_INSTANTIATE(float)
BL_INSTANTIATE(double)
#undef BL_INSTANTIATE

}  // namespace bl
