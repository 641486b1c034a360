#include "inference/chart.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "inference/column_rules.hpp"

namespace bl::inference {

namespace {

class StateFinder {
 public:
  StateFinder(const ParameterMap& map, const std::vector<double>& effective, Index reference)
      : map_(map), a_(map.architecture()), values_(effective), reference_(reference) {
    states_.assign(effective.size(), ParameterState::free);
  }

  std::vector<ParameterState> run() {
    const auto& mask = map_.layout().free_mask();
    for (std::size_t i = 0; i < mask.size(); ++i)
      if (!mask[i]) states_[i] = ParameterState::absent;
    for (std::size_t l = 0; l < a_.layers.size(); ++l) layer(l);
    readout();
    return std::move(states_);
  }

 private:
  double at(Index i) const { return values_[static_cast<std::size_t>(i)]; }
  void set(Index i, ParameterState state) { states_[static_cast<std::size_t>(i)] = state; }

  void head(const HeadPlace& h, const ColumnRules& rules) {
    const Activation f = a_.activation(h.kind);
    const bool linear = facts(f).linear() && h.kind == HeadKind::utility;
    for (Index c = 0; c < h.columns; ++c) {
      const auto k = static_cast<std::size_t>(c);
      const bool unseen = linear && linear_to_output(a_, h.layer) && rules.context_only[k];
      if (rules.vanishes[k] || rules.same_as[k] != c || unseen) set(h.weights + c, ParameterState::absent);
    }
    for (const ColumnRules::Reference& one : rules.references) {
      const bool invisible = linear && linear_to_output(a_, h.layer) && one.context_only;
      const Index column = h.weights + one.by_class[static_cast<std::size_t>(reference_)];
      if (one.base != ColumnRules::kNone || invisible) set(column, ParameterState::fixed);
    }
    const bool passed_on = h.layer + 1 < a_.layers.size() && a_.skip != Skip::residual;
    if (h.bias >= 0 && linear && (linear_to_output(a_, h.layer) || passed_on))
      set(h.bias, ParameterState::absent);
    if (facts(f).degree > 0) set(h.lambda, ParameterState::fixed);
    if (at(h.lambda) != 0) return;
    for (Index c = 0; c < h.columns; ++c) set(h.weights + c, ParameterState::absent);
    if (h.bias >= 0) set(h.bias, ParameterState::absent);
    set(h.lambda, ParameterState::at_bound);
  }

  void layer(std::size_t l) {
    const ColumnRules rules = column_rules(a_, l);
    for (const HeadPlace& h : map_.heads())
      if (h.layer == l) head(h, rules);
  }

  // Blocks that nothing reads have been cleared, and their readers are zero.
  void unread_blocks() {
    for (std::size_t l = 0; l < a_.layers.size(); ++l)
      for (Index b = 0; b < a_.layers[l].blocks; ++b) {
        const std::vector<Index> readers = map_.readers(l, b);
        if (a_.skip == Skip::residual ||
            std::any_of(readers.begin(), readers.end(), [&](Index i) { return at(i) != 0; }))
          continue;
        for (const Index i : readers)
          set(i, map_.tensor_at(i).sign == Sign::non_negative ? ParameterState::at_bound
                                                              : ParameterState::absent);
        for (const HeadPlace& h : map_.heads())
          if (h.layer == l && h.block == b) clear(h);
      }
  }

  void clear(const HeadPlace& h) {
    for (Index c = 0; c < h.columns; ++c) set(h.weights + c, ParameterState::absent);
    if (h.bias >= 0) set(h.bias, ParameterState::absent);
    set(h.lambda, ParameterState::absent);
  }

  void readout() {
    for (const TensorInfo& tensor : map_.layout().tensors()) {
      const bool weight = tensor.role == TensorRole::readout_weight;
      if (!weight && tensor.role != TensorRole::readout_bias) continue;
      if (a_.form == Form::scalar) {
        for (Index i = tensor.offset; i < tensor.offset + tensor.size(); ++i) {
          if (!weight) set(i, ParameterState::absent);
          if (tensor.sign == Sign::non_negative && at(i) == 0) set(i, ParameterState::at_bound);
        }
        continue;
      }
      for (Index i = tensor.offset; i < tensor.offset + tensor.size(); ++i) {
        const Index row = (i - tensor.offset) / tensor.cols;
        const bool base = tensor.sign == Sign::non_negative ? at(i) == 0 : row == reference_;
        if (base) set(i, ParameterState::fixed);
      }
    }
    if (a_.readout.present) unread_blocks();
  }

  const ParameterMap& map_;
  const Architecture& a_;
  const std::vector<double>& values_;
  Index reference_;
  std::vector<ParameterState> states_;
};

// Gradient of the sum of the block's weights by the free entries; zero where it has none.
Eigen::VectorXd weight_gradient(const ParameterMap& map, const Chart& chart, std::size_t layer, Index block) {
  std::vector<double> by_entry(chart.effective.size(), 0.0);
  const auto value = [&](Index i) { return chart.effective[static_cast<std::size_t>(i)]; };
  for (const HeadKind kind : kHeadKinds)
    for (const HeadPlace& h : map.heads_of(layer, block, kind)) {
      const Activation f = map.architecture().activation(kind);
      const int degree = facts(f).degree;
      if (degree == 0) {
        by_entry[static_cast<std::size_t>(h.lambda)] = value(h.lambda) < 0 ? -1 : 1;
        continue;
      }
      const double norm = amplitude(h, f, chart.effective);
      if (!(norm > 0)) continue;
      for (Index i = h.weights; i < h.weights + h.columns; ++i)
        by_entry[static_cast<std::size_t>(i)] = degree == 2 ? 2 * value(i) : value(i) / norm;
      if (h.bias >= 0)
        by_entry[static_cast<std::size_t>(h.bias)] = degree == 2 ? 2 * value(h.bias) : value(h.bias) / norm;
    }
  Eigen::VectorXd gradient(static_cast<Index>(chart.positions.size()));
  for (std::size_t k = 0; k < chart.positions.size(); ++k)
    gradient(static_cast<Index>(k)) = by_entry[static_cast<std::size_t>(chart.positions[k])];
  return gradient;
}

// Orthonormal basis of what is orthogonal to the columns.
Eigen::MatrixXd complement(const Eigen::MatrixXd& columns, Index size) {
  if (columns.cols() == 0) return Eigen::MatrixXd::Identity(size, size);
  const Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(columns);
  const Eigen::MatrixXd q = qr.householderQ();
  return q.rightCols(size - qr.rank());
}

// Free entries that cannot move: the block's scale leaves a lone weight no direction.
void hold_lone_weights(Chart& chart) {
  constexpr double kMoves = 1e-9;
  std::vector<Index> positions;
  Eigen::MatrixXd tangent(chart.tangent.rows(), chart.tangent.cols());
  for (std::size_t k = 0; k < chart.positions.size(); ++k) {
    const auto row = static_cast<Index>(k);
    const Index position = chart.positions[k];
    if (chart.tangent.row(row).norm() < kMoves) {
      chart.states[static_cast<std::size_t>(position)] = ParameterState::scaled;
      continue;
    }
    tangent.row(static_cast<Index>(positions.size())) = chart.tangent.row(row);
    positions.push_back(position);
  }
  chart.tangent = tangent.topRows(static_cast<Index>(positions.size()));
  chart.positions = std::move(positions);
}

}  // namespace

Chart make_chart(const Architecture& architecture, std::vector<double> raw, Index reference) {
  const ParameterMap map(architecture);
  Chart chart;
  chart.effective = map.effective(raw);
  chart.raw = std::move(raw);
  chart.states = StateFinder(map, chart.effective, reference).run();
  for (std::size_t i = 0; i < chart.states.size(); ++i)
    if (chart.states[i] == ParameterState::free) chart.positions.push_back(static_cast<Index>(i));
  const auto size = static_cast<Index>(chart.positions.size());
  Eigen::MatrixXd held(size, 0);
  for (std::size_t l = 0; architecture.readout.present && l < architecture.layers.size(); ++l)
    for (Index b = 0; !map.continues(l) && b < architecture.layers[l].blocks; ++b) {
      const Eigen::VectorXd gradient = weight_gradient(map, chart, l, b);
      if (!(gradient.norm() > 0)) continue;
      held.conservativeResize(Eigen::NoChange, held.cols() + 1);
      held.rightCols(1) = gradient;
    }
  chart.tangent = complement(held, size);
  hold_lone_weights(chart);
  return chart;
}

Chart plain_chart(const Architecture& architecture, std::vector<double> raw, std::vector<Index> positions) {
  Chart chart;
  chart.effective = ParameterMap(architecture).effective(raw);
  chart.raw = std::move(raw);
  chart.states.assign(chart.raw.size(), ParameterState::fixed);
  for (const Index i : positions) chart.states[static_cast<std::size_t>(i)] = ParameterState::free;
  chart.positions = std::move(positions);
  const auto size = static_cast<Index>(chart.positions.size());
  chart.tangent = Eigen::MatrixXd::Identity(size, size);
  return chart;
}

namespace {

Eigen::VectorXd by_free_entry(const ParameterLayout& layout, const Chart& chart, double otherwise,
                              double (*f)(double effective)) {
  Eigen::VectorXd out = Eigen::VectorXd::Constant(static_cast<Index>(chart.positions.size()), otherwise);
  for (const TensorInfo& tensor : layout.tensors())
    for (std::size_t k = 0; tensor.sign == Sign::non_negative && k < chart.positions.size(); ++k) {
      const Index i = chart.positions[k];
      if (i >= tensor.offset && i < tensor.offset + tensor.size())
        out(static_cast<Index>(k)) = f(chart.effective[static_cast<std::size_t>(i)]);
    }
  return out;
}

}  // namespace

// raw = log(exp(effective) - 1): slope 1 / (1 - exp(-effective)).
Eigen::VectorXd raw_slopes(const ParameterLayout& layout, const Chart& chart) {
  return by_free_entry(layout, chart, 1, [](double effective) { return -1 / std::expm1(-effective); });
}

Eigen::VectorXd raw_curvatures(const ParameterLayout& layout, const Chart& chart) {
  return by_free_entry(layout, chart, 0, [](double effective) {
    return -std::exp(-effective) / std::pow(std::expm1(-effective), 2);
  });
}

std::vector<double> moved(const ParameterLayout& layout, const Chart& chart, const Eigen::VectorXd& move) {
  const Eigen::VectorXd step = chart.tangent * move;
  std::vector<double> raw = chart.raw;
  for (std::size_t k = 0; k < chart.positions.size(); ++k) {
    const auto i = static_cast<std::size_t>(chart.positions[k]);
    raw[i] = chart.effective[i] + step(static_cast<Index>(k));
  }
  for (const TensorInfo& tensor : layout.tensors()) {
    if (tensor.sign != Sign::non_negative) continue;
    for (const Index position : chart.positions) {
      if (position < tensor.offset || position >= tensor.offset + tensor.size()) continue;
      double& value = raw[static_cast<std::size_t>(position)];
      value = value > 0 ? std::max(inverse_softplus(value), kRawZero) : kRawZero;
    }
  }
  return raw;
}

}  // namespace bl::inference
