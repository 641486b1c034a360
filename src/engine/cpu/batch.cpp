#include "engine/cpu/batch.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <functional>

#include "base/slices.hpp"
#include "compute/update_kernels.hpp"

namespace bl {

namespace {

constexpr Index kLanes = 8;
constexpr Index kSmallestChunk = 32;  // rows: below this a product is too thin to run well
constexpr Index kChunksPerBatch = 4;  // a small batch is still cut, so that several threads share it
// Numbers of intermediates below which a batch is not worth sharing between threads: some 20 microseconds.
constexpr double kSharedNumbers = 1 << 14;

}  // namespace

template <class T>
struct BatchEvaluator<T>::Pass {
  std::span<const std::int64_t> rows;
  const Noise* noise;
  double scale;
  Index chunk;
  Index chunks;
  Index lanes;
  bool with_gradient;
  bool apart;                        // the context's product is in context_
  MatrixView<const T> fetched = {};  // the context of the lanes' rows, where it had to be fetched
};

template <class T>
BatchEvaluator<T>::BatchEvaluator(const Objective<T>& objective, Context job)
    : objective_(&objective),
      job_(std::move(job)),
      lanes_(static_cast<std::size_t>(kLanes)),
      fetch_(objective.data(), job_.ranks()) {
  assert(objective.data().versions == nullptr || objective.data().held.empty());
}

template <class T>
template <class F>
void BatchEvaluator<T>::each_chunk(const Pass& pass, std::size_t lane, F&& call) {
  const auto n = static_cast<Index>(pass.rows.size());
  for (Index c = static_cast<Index>(lane); c < pass.chunks; c += pass.lanes)
    call(c * pass.chunk, std::min(pass.chunk, n - c * pass.chunk));
}

template <class T>
void BatchEvaluator<T>::run_lane(const Pass& pass, std::size_t lane_index) {
  Lane& lane = lanes_[lane_index];
  lane.loss = {};
  if (pass.with_gradient) objective_->network().clear(lane.sums);
  each_chunk(pass, lane_index, [&](Index from, Index count) {
    const auto rows = pass.rows.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(count));
    lane.workspace.given_context =
        pass.apart ? context_.context().row_range(from, count)
        : pass.fetched.data
            ? pass.fetched.row_range(chunk_places_[static_cast<std::size_t>(from / pass.chunk)], count)
            : MatrixView<const T>();
    lane.workspace.row_heads = pass.apart ? context_.heads().row_range(from, count) : MatrixView<T>();
    lane.loss.add(objective_->chunk(prepared_, rows, *pass.noise, pass.scale, lane.workspace,
                                    pass.with_gradient ? &lane.sums : nullptr));
  });
  if (pass.with_gradient && !pass.apart) objective_->network().gather(lane.sums);
}

template <class T>
LossSum BatchEvaluator<T>::evaluate(std::span<const T> parameters, std::span<const std::int64_t> rows,
                                    const Noise& noise, double scale, std::span<T> gradient) {
  if (rows.empty()) {
    std::fill(gradient.begin(), gradient.end(), T(0));
    return {};
  }
  const Network<T>& network = objective_->network();
  const auto n = static_cast<Index>(rows.size());
  const bool apart = !gradient.empty() && objective_->context_apart(n);
  fetch_.announce(rows);
  network.prepare(parameters, prepared_, &job_, apart);
  if (apart) {
    DatasetView<T> data = objective_->data();
    if (fetch_.needed()) data.context = fetch_.all(rows);
    for (auto next = static_cast<std::int64_t>(own_numbering_.size()); next < n; ++next)
      own_numbering_.push_back(next);
    context_.forward(data, fetch_.needed() ? std::span(own_numbering_).first(rows.size()) : rows,
                     noise.stream, network.context_weights(parameters), network.context_bias(parameters),
                     job_);
  }
  Pass pass{.rows = rows,
            .noise = &noise,
            .scale = scale,
            .chunk = 0,
            .chunks = 0,
            .lanes = 0,
            .with_gradient = !gradient.empty(),
            .apart = apart};
  const Index shared = std::max(kSmallestChunk, (n + kChunksPerBatch - 1) / kChunksPerBatch);
  const bool small = static_cast<double>(n) * objective_->numbers_per_row() < kSharedNumbers;
  pass.chunk = std::min(objective_->rows_per_chunk(), small ? n : shared);
  pass.chunks = (n + pass.chunk - 1) / pass.chunk;
  pass.lanes = std::min(kLanes, pass.chunks);
  if (fetch_.needed() && !apart) fetch_rows(pass);
  // One captured pointer each: std::function holds it without allocating.
  struct Call {
    BatchEvaluator* self;
    const Pass* pass;
    std::size_t first;
  } call{this, &pass, 0};
  const Shares shares(job_.ranks(), static_cast<std::size_t>(pass.lanes));
  call.first = shares.first();
  job_.run(shares.last() - shares.first(),
           [&call](std::size_t i) { call.self->run_lane(*call.pass, call.first + i); });
  if (job_.ranks()) exchange_lanes(pass);
  LossSum total;
  for (Index lane = 0; lane < pass.lanes; ++lane) total.add(lanes_[static_cast<std::size_t>(lane)].loss);
  if (pass.with_gradient) {
    if (apart) finish_context(static_cast<std::size_t>(pass.lanes), gradient);
    reduce(static_cast<std::size_t>(pass.lanes), apart ? network.after_context() : 0, gradient);
    network.to_raw(prepared_, gradient);
  }
  return total;
}

template <class T>
void BatchEvaluator<T>::fetch_rows(Pass& pass) {
  const Shares shares(job_.ranks(), static_cast<std::size_t>(pass.lanes));
  chunk_places_.assign(static_cast<std::size_t>(pass.chunks), -1);
  Index count = 0;
  for (std::size_t lane = shares.first(); lane < shares.last(); ++lane)
    each_chunk(pass, lane, [&](Index from, Index rows) {
      chunk_places_[static_cast<std::size_t>(from / pass.chunk)] = count;
      count += rows;
    });
  pass.fetched = fetch_.some(pass.rows, count, [&](Index position) {
    const Index chunk = position / pass.chunk, place = chunk_places_[static_cast<std::size_t>(chunk)];
    return place < 0 ? place : place + position - chunk * pass.chunk;
  });
}

// What a lane leaves behind: its loss and, of the gradient, its sums and the derivatives by heads of its
// rows.
template <class T>
void BatchEvaluator<T>::exchange_lanes(const Pass& pass) {
  const auto each_part = [&](std::size_t index, auto&& part) {
    Lane& lane = lanes_[index];
    part(std::span(&lane.loss, 1));
    if (!pass.with_gradient) return;
    // Lanes of other ranks have not been begun here.
    if (lane.sums.flat.empty()) objective_->network().clear(lane.sums);
    // Of the context's weights, where their product stands apart, a lane has nothing.
    const Index first = pass.apart ? objective_->network().after_context() : 0;
    part(std::span<T>(lane.sums.flat).subspan(static_cast<std::size_t>(first)));
    if (!pass.apart) return;
    InputGradient<T>& inputs = lane.sums.inputs[0];
    part(inputs.values.flat());
    part(inputs.classes.flat());
    each_chunk(pass, index, [&](Index from, Index count) {
      for (Index row = from; row < from + count; ++row)
        part(std::span<T>(context_.heads().row(row), static_cast<std::size_t>(context_.heads().cols)));
    });
  };
  exchange_.run(
      *job_.ranks(), static_cast<std::size_t>(pass.lanes),
      [&](std::size_t lane) {
        std::size_t bytes = 0;
        each_part(lane, [&](auto values) { bytes += values.size_bytes(); });
        return bytes;
      },
      [&](std::size_t lane, std::byte* to) {
        each_part(lane, [&]<class V>(std::span<V> values) { put(to, std::span<const V>(values)); });
      },
      [&](std::size_t lane, const std::byte* from) {
        each_part(lane, [&]<class V>(std::span<V> values) { take(from, values); });
      });
}

template <class T>
void BatchEvaluator<T>::finish_context(std::size_t lanes, std::span<T> gradient) {
  context_.backward(objective_->network().context_weights(gradient), job_);
  InputGradient<T>& sum = lanes_[0].sums.inputs[0];
  for (std::size_t lane = 1; lane < lanes; ++lane) {
    const InputGradient<T>& other = lanes_[lane].sums.inputs[0];
    for (const auto matrix : {&InputGradient<T>::values, &InputGradient<T>::classes})
      std::transform((sum.*matrix).flat().begin(), (sum.*matrix).flat().end(), (other.*matrix).flat().begin(),
                     (sum.*matrix).flat().begin(), std::plus<T>());
  }
  objective_->network().gather(lanes_[0].sums.inputs, gradient);
}

template <class T>
void BatchEvaluator<T>::reduce(std::size_t lanes, Index first, std::span<T> gradient) {
  for_slices(&job_, static_cast<Index>(gradient.size()) - first, [&](Index, Index from, Index to) {
    std::array<const T*, kLanes> parts{};
    for (std::size_t lane = 0; lane < lanes; ++lane)
      parts[lane] = lanes_[lane].sums.flat.data() + first + from;
    update_kernels<T>().sum_parts(parts.data(), static_cast<Index>(lanes), to - from,
                                  gradient.data() + first + from);
  });
}

template class BatchEvaluator<float>;
template class BatchEvaluator<double>;

}  // namespace bl
