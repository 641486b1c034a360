#include "gibbs/network_density.hpp"

#include <algorithm>

namespace bl::gibbs {

namespace {

constexpr Index kMostContextHeads = Index{1} << 24;  // numbers
static_assert(kChainsPerChunk % kLanePoints == 0);

}  // namespace

template <class T>
NetworkDensity<T>::NetworkDensity(const Network<T>& network, const PreparedParameters<T>& parameters,
                                  double temperature, Matrix<T> context, Index rows, Index chains_per_row)
    : network_(network),
      parameters_(parameters),
      inverse_temperature_(static_cast<T>(1 / temperature)),
      context_(std::move(context)),
      chains_per_row_(chains_per_row) {
  const Index chains = rows * chains_per_row;
  if (classes() > 0) chain_classes_.assign(static_cast<std::size_t>(chains), 0);
  scratch_.resize(static_cast<std::size_t>((chains + kChainsPerChunk - 1) / kChainsPerChunk));
  if (LaneNetwork<T>::supports(network.architecture())) prepare_lanes(chains);
}

template <class T>
void NetworkDensity<T>::prepare_lanes(Index chains) {
  lanes_.emplace(network_, parameters_);
  const Index tiles = (chains + kLanePoints - 1) / kLanePoints;
  if (tiles > kMostContextHeads / lanes_->context_heads_size()) return lanes_.reset();
  context_heads_.resize(tiles, lanes_->context_heads_size());
  Matrix<T> tile(kLanePoints, context_.cols());
  for (Index t = 0; t < tiles; ++t) {
    const Index count = std::min(kLanePoints, chains - t * kLanePoints);
    for (Index p = 0; p < count; ++p)
      std::copy_n(context_.row((t * kLanePoints + p) / chains_per_row_), context_.cols(), tile.row(p));
    lanes_->context_heads(tile.view().row_range(0, count), context_heads_.row(t));
  }
}

// Chain i is lane i % kLanePoints of its tile; lanes that are not asked for stand at zero.
template <class T>
void NetworkDensity<T>::evaluate_in_lanes(Index first, MatrixView<const T> points, std::span<T> value,
                                          MatrixView<T> gradient) const {
  Scratch& s = scratch_of(first);
  const auto size = static_cast<std::size_t>(dimension() * kLanePoints);
  s.lane_values.resize(size);
  s.lane_gradient.resize(size);
  s.lane_scores.resize(static_cast<std::size_t>(kLanePoints));
  for (Index from = 0; from < points.rows;) {
    const Index lane = (first + from) % kLanePoints, count = std::min(kLanePoints - lane, points.rows - from);
    if (count < kLanePoints) std::fill(s.lane_values.begin(), s.lane_values.end(), T(0));
    for (Index p = 0; p < count; ++p)
      for (Index k = 0; k < points.cols; ++k)
        s.lane_values[static_cast<std::size_t>(k * kLanePoints + lane + p)] = points(from + p, k);
    lanes_->evaluate(context_heads_.row((first + from) / kLanePoints), s.lane_values.data(),
                     inverse_temperature_, s.lanes, s.lane_scores.data(),
                     gradient.data ? s.lane_gradient.data() : nullptr);
    std::copy_n(s.lane_scores.data() + lane, count, value.data() + from);
    for (Index p = 0; p < count && gradient.data; ++p)
      for (Index k = 0; k < points.cols; ++k)
        gradient(from + p, k) = s.lane_gradient[static_cast<std::size_t>(k * kLanePoints + lane + p)];
    from += count;
  }
}

template <class T>
Index NetworkDensity<T>::classes() const {
  const Architecture& a = network_.architecture();
  return a.form == Form::vector ? a.outputs : a.input.classes;
}

template <class T>
MatrixView<const T> NetworkDensity<T>::place(Index first, Index chains, Index copies, Scratch& s) const {
  const Index first_row = first / chains_per_row_;
  const Index rows = (first + chains - 1) / chains_per_row_ - first_row + 1;
  s.begin.resize(static_cast<std::size_t>(rows) + 1);
  s.begin[0] = 0;
  for (Index r = 0; r < rows; ++r) {
    const Index end = std::min((first_row + r + 1) * chains_per_row_ - first, chains);
    s.begin[static_cast<std::size_t>(r) + 1] = static_cast<std::int32_t>(end * copies);
  }
  if (context_.cols() == 0) return {nullptr, rows, 0, 0};
  return context_.view().row_range(first_row, rows);
}

template <class T>
void NetworkDensity<T>::evaluate(Index first, MatrixView<const T> points, std::span<T> value,
                                 MatrixView<T> gradient) const {
  if (lanes_) return evaluate_in_lanes(first, points, value, gradient);
  Scratch& s = scratch_of(first);
  const Index n = points.rows;
  const MatrixView<const T> context = place(first, n, 1, s);
  const std::span<const std::int32_t> chosen(chain_classes_.data() + (chain_classes_.empty() ? 0 : first),
                                             chain_classes_.empty() ? 0 : static_cast<std::size_t>(n));
  const Points<T> at{context, s.begin, points, one_hot() ? chosen : std::span<const std::int32_t>{}};
  network_.forward(parameters_, at, s.network, gradient.data == nullptr);
  const auto output = [&](Index p) {
    return network_.outputs() > 1 ? static_cast<Index>(chosen[static_cast<std::size_t>(p)]) : 0;
  };
  for (Index p = 0; p < n; ++p)
    value[static_cast<std::size_t>(p)] = s.network.scores(p, output(p)) * inverse_temperature_;
  if (!gradient.data) return;
  s.d_scores.resize(n, network_.outputs());
  std::fill(s.d_scores.flat().begin(), s.d_scores.flat().end(), T(0));
  for (Index p = 0; p < n; ++p) s.d_scores(p, output(p)) = inverse_temperature_;
  network_.value_gradient(parameters_, at, s.d_scores.view(), s.network, gradient);
}

template <class T>
void NetworkDensity<T>::conditional_log_probabilities(Index first, MatrixView<const T> points,
                                                      MatrixView<T> out) const {
  Scratch& s = scratch_of(first);
  const Index n = points.rows, copies = one_hot() ? classes() : 1;
  const MatrixView<const T> context = place(first, n, copies, s);
  MatrixView<const T> values = points;
  s.classes.clear();
  if (one_hot()) {
    s.values.resize(n * copies, points.cols);
    for (Index p = 0; p < n * copies; ++p) {
      std::copy_n(points.row(p / copies), points.cols, s.values.row(p));
      s.classes.push_back(static_cast<std::int32_t>(p % copies));
    }
    values = s.values.view();
  }
  network_.forward(parameters_, {context, s.begin, values, s.classes}, s.network, true);
  const T* scores = s.network.scores.data();
  for (Index p = 0; p < n; ++p)
    for (Index c = 0; c < out.cols; ++c) out(p, c) = scores[p * out.cols + c] * inverse_temperature_;
}

template <class T>
void NetworkDensity<T>::set_classes(Index first, std::span<const std::int32_t> chosen) {
  std::copy(chosen.begin(), chosen.end(), chain_classes_.begin() + first);
}

template class NetworkDensity<float>;
template class NetworkDensity<double>;

}  // namespace bl::gibbs
