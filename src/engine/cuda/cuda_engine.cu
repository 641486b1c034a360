#include "engine/cuda/cuda_engine.cuh"

#include <algorithm>
#include <string>

#include "engine/cpu/cpu_engine.hpp"
#include "engine/cuda/chains.cuh"
#include "engine/cuda/cuda.hpp"

namespace bl::cuda {

namespace {

constexpr std::size_t kStepsAtOnce = 1024;  // between two questions whether to stop
// Host threads, which wait most of the time: for fits whose steps are short, and for others.
constexpr std::size_t kFitsAtOnce = 1024, kLongFitsAtOnce = 64;
constexpr double kShortStep = 1 << 18;  // intermediate numbers

// The numbers of an update rule, padded as the parameters are.
template <class T>
std::vector<T> decay_of(const OptimizerSpec& spec, const ParameterLayout& layout, const Placed<T>& placed) {
  std::vector<T> decay(static_cast<std::size_t>(layout.size()), T(0));
  for (const TensorInfo& tensor : layout.tensors())
    for (Index i = tensor.offset; i < tensor.offset + tensor.size(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      decay[at] =
          static_cast<T>(spec.decay.empty() ? (tensor.decays() ? spec.weight_decay : 0) : spec.decay[at]);
    }
  return placed.padded(decay);
}

}  // namespace

template <class T>
void CudaEngine<T>::place(const Objective<T>& objective) {
  if (const auto known = inherited_.find(&objective); known != inherited_.end()) {
    placed_.push_back(known->second);
    return;
  }
  for (const auto& [other, placed] : inherited_)
    if (same_but_weights(*other, objective)) {
      placed_.push_back(std::make_shared<const Placed<T>>(objective, placed, stream_));
      return;
    }
  placed_.push_back(std::make_shared<const Placed<T>>(objective, stream_));
}

template <class T>
std::unique_ptr<Engine<T>> CudaEngine<T>::another(const Context& context) const {
  auto engine = std::make_unique<CudaEngine<T>>(context);
  for (std::size_t i = 0; i < placed_.size(); ++i) engine->inherited_[this->loaded()[i]] = placed_[i];
  engine->meeting_ = meeting_;
  engine->beside_ = beside_;
  return engine;
}

template <class T>
void CudaEngine<T>::run(Request<T>& request, std::size_t from, std::size_t to) {
  std::size_t rows = 1;
  for (std::size_t b = from; b < to; ++b) rows = std::max(rows, request.batches[b].rows.size());
  const Device::Products products = this->context().device().products;
  if (fits_block(*request.placed, rows)) {
    if (request.learner && products == Device::Products::bf16) no_wide_products();
    if (meeting_ && !request.noise.given.data) return meeting_->run(request);
    Request<T>* one = &request;
    return run_requests<T>(std::span<Request<T>* const>(&one, 1), from, to, scratch_, stream_);
  }
  if (!streamed_) streamed_ = std::make_unique<Streamed<T>>(stream_, products);
  streamed_->run(request, from, to);
}

template <class T>
LossSum CudaEngine<T>::sum_of(const Plan& plan, const double* parts) const {
  LossSum sum;
  sum.loss = total_loss(plan, parts);
  sum.weight = parts[2];
  if (plan.kind == ObjectiveKind::hybrid) sum.discrete = parts[0], sum.continuous = parts[1];
  return sum;
}

template <class T>
const int* CudaEngine<T>::kept_rows(RowSet from, std::span<const std::int64_t> rows) {
  KeptRows& kept = kept_rows_[from];
  if (!std::equal(rows.begin(), rows.end(), kept.rows.begin(), kept.rows.end())) {
    kept.rows.assign(rows.begin(), rows.end());
    const std::vector<int> numbers(rows.begin(), rows.end());
    kept.there.write(numbers, stream_);
    check(cudaStreamSynchronize(stream_), "loading the batches");
  }
  return kept.there.data();
}

template <class T>
LossSum CudaEngine<T>::loss(RowSet from, const Batch& batch, const Noise& noise,
                            std::span<const T> parameters, std::span<T> gradient) {
  if (batch.rows.empty()) {
    std::fill(gradient.begin(), gradient.end(), T(0));
    return {};
  }
  const Placed<T>& placed = *placed_.at(from);
  // Without its gradient a loss of many rows may be that of several short batches.
  const std::size_t all = batch.rows.size(), most = gradient.empty() ? rows_of_loss(placed) : all;
  std::vector<Batch> parts;
  for (std::size_t begin = 0; begin < all; begin += most)
    parts.push_back({batch.rows.subspan(begin, std::min(most, all - begin)), batch.scale});
  Request<T> request;
  request.placed = &placed;
  request.batches = parts;
  request.noise = noise;
  request.parameters = parameters;
  request.gradient = gradient;
  if (!placed.has_versions()) request.rows = kept_rows(from, batch.rows);  // else they differ by the epoch
  request.beside = beside_;
  run(request, 0, parts.size());
  return sum_of(placed.resident_plan(), request.out.loss);
}

template <class T>
void CudaEngine<T>::write(const Network<T>& network, const UpdateSpec& spec, const LearnerState<T>& state) {
  layout_ = &network.layout();
  host_ = state;
  attached_ = nullptr;
  streamed_ = nullptr;
  learner_.spec = spec;
  // Every member by name: a new one does not compile until it is used here. The rate comes with the steps.
  const auto& [optimizer, clip_norm, average, bounds] = spec;
  const auto& [kind, learning_rate, beta1, beta2, epsilon, momentum, weight_decay, decay] = optimizer;
  learner_.rule = {.kind = kind,
                   .beta1 = beta1,
                   .beta2 = beta2,
                   .epsilon = epsilon,
                   .momentum = momentum,
                   .clip = clip_norm,
                   .average = average,
                   .decays = weight_decay != 0 || !decay.empty(),
                   .bounded = !bounds.empty()};
  learner_.steps = state.optimizer.steps;
  learner_.averaged = !state.averaged.empty();
}

template <class T>
void CudaEngine<T>::attach(RowSet from) {
  const PlacedPointer& wanted = placed_.at(from);
  if (attached_ == wanted) return;
  if (attached_) read(host_);
  const auto put = [&](Array<T>& to, const std::vector<T>& values) {
    std::vector<T> padded(wanted->model().slots.size(), T(0));
    if (!values.empty()) padded = wanted->padded(values);
    to.write(padded, stream_);
    check(cudaStreamSynchronize(stream_), "loading the parameters");
  };
  put(learner_.raw, host_.parameters);
  learner_.shown.reserve(wanted->model().slots.size());
  put(learner_.first, host_.optimizer.first);
  put(learner_.second, host_.optimizer.second);
  put(learner_.mean, host_.averaged);
  const std::vector<T> decay = decay_of(learner_.spec.optimizer, *layout_, *wanted);
  learner_.decay.write(decay, stream_);
  std::vector<Slot> slots = wanted->model().slots;
  for (std::size_t i = 0; i < learner_.spec.bounds.size(); ++i)
    slots[static_cast<std::size_t>(wanted->model().place[i])].bound =
        static_cast<std::uint8_t>(learner_.spec.bounds[i]);
  learner_.slots.write(slots, stream_);
  check(cudaStreamSynchronize(stream_), "loading the parameters");
  attached_ = wanted;
}

template <class T>
void CudaEngine<T>::read(LearnerState<T>& state) const {
  if (!attached_) {
    state.parameters = host_.parameters;
    state.averaged = host_.averaged;
    state.optimizer = host_.optimizer;
    return;
  }
  const auto get = [&](const Array<T>& from, std::vector<T>& values) {
    std::vector<T> padded(attached_->model().slots.size());
    from.read(padded, stream_);
    values.resize(static_cast<std::size_t>(layout_->size()));
    attached_->unpad(padded, values);
  };
  get(learner_.raw, state.parameters);
  state.averaged.clear();
  if (learner_.averaged && learner_.rule.average > 0) get(learner_.mean, state.averaged);
  state.optimizer.steps = learner_.steps;
  state.optimizer.first.clear();
  state.optimizer.second.clear();
  if (learner_.steps == 0) return;
  get(learner_.first, state.optimizer.first);
  if (learner_.rule.kind != OptimizerKind::sgd) get(learner_.second, state.optimizer.second);
}

template <class T>
StepReport CudaEngine<T>::step(RowSet from, const Batch& batch, const Noise& noise, double rate) {
  return steps({.from = from, .batches = std::span(&batch, 1), .noise = noise, .rate = rate}, {}).last;
}

template <class T>
StepsReport CudaEngine<T>::steps(const StepPlan& plan, const std::function<bool()>& should_stop) {
  attach(plan.from);
  const Plan& shape = attached_->resident_plan();
  Request<T> request;
  request.placed = attached_.get();
  request.batches = plan.batches;
  request.noise = plan.noise;
  request.rate = plan.rate;
  request.learner = &learner_;
  request.beside = beside_;
  StepsReport report;
  const std::size_t slice = meeting_ ? plan.batches.size() : kStepsAtOnce;
  for (std::size_t from = 0; from < plan.batches.size() && !report.stopped; from += slice) {
    run(request, from, std::min(from + slice, plan.batches.size()));
    report.last = {.loss = sum_of(shape, request.out.last),
                   .gradient_norm = request.out.last_norm,
                   .taken = request.out.last_taken != 0};
    if (!report.last.taken) break;
    report.stopped = should_stop && should_stop();
  }
  report.loss = sum_of(shape, request.out.loss);
  report.first_loss = request.out.first_mean;
  report.taken = static_cast<std::size_t>(request.out.taken);
  return report;
}

template <class T>
gibbs::SamplerResult<T> CudaEngine<T>::run_chains(const ChainPlan<T>& plan) {
  if (chains_not_on_gpu(plan).empty()) return run_chains_on_gpu(plan, this->context(), stream_);
  return CpuEngine<T>(this->context()).run_chains(plan);
}

template <class T>
std::size_t CudaEngine<T>::at_once(std::size_t count, double numbers_per_step) const {
  if (meeting_) return 1;  // one of several fits itself
  return std::min(count, numbers_per_step <= kShortStep ? kFitsAtOnce : kLongFitsAtOnce);
}

template <class T>
void CudaEngine<T>::together(std::size_t count, double numbers_per_step, const typename Engine<T>::Fit& fit) {
  if (meeting_) return Engine<T>::together(count, numbers_per_step, fit);
  const std::size_t crowd_size = std::max<std::size_t>(1, at_once(count, numbers_per_step));
  meeting_ = std::make_shared<Meeting<T>>(stream_);
  beside_ = static_cast<int>(crowd_size);
  const Context crowd = this->context().waiting(crowd_size);
  struct Presence {  // also where a fit throws
    Meeting<T>& meeting;
    explicit Presence(Meeting<T>& where) : meeting(where) { meeting.join(); }
    ~Presence() { meeting.leave(); }
  };
  const auto alone_again = [&] {
    meeting_ = nullptr;
    beside_ = 1;
  };
  try {
    crowd.run(count, [&](std::size_t i) {
      const std::unique_ptr<Engine<T>> engine = another(this->context().alone());
      for (const Objective<T>* objective : this->loaded()) engine->load(*objective);
      const Presence presence(*meeting_);
      fit(i, *engine);
    });
  } catch (...) {
    alone_again();
    throw;
  }
  alone_again();
}

Tuning& tuning() {
  static Tuning values;
  return values;
}

bool built() {
  return true;
}

std::vector<DeviceInfo> devices() {
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return {};
  }
  std::vector<DeviceInfo> out;
  for (int i = 0; i < std::min(count, 1); ++i) {  // the first is the one that is used
    cudaDeviceProp facts{};
    if (cudaGetDeviceProperties(&facts, i) != cudaSuccess) continue;
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);
    out.push_back({.name = facts.name,
                   .architecture = std::to_string(facts.major) + "." + std::to_string(facts.minor),
                   .memory = static_cast<double>(total),
                   .free_memory = static_cast<double>(free),
                   .multiprocessors = facts.multiProcessorCount});
  }
  return out;
}

std::string why_none() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  cudaGetLastError();
  if (status != cudaSuccess) return std::string("no GPU can be used (") + cudaGetErrorString(status) + ")";
  return count == 0 ? "there is no NVIDIA GPU" : "";
}

template <class T>
std::unique_ptr<Engine<T>> make_cuda_engine(const Context& context) {
  if (const std::string none = why_none(); !none.empty()) no_gpu(none.c_str());
  return std::make_unique<CudaEngine<T>>(context);
}

template class CudaEngine<float>;
template class CudaEngine<double>;
template std::unique_ptr<Engine<float>> make_cuda_engine(const Context&);
template std::unique_ptr<Engine<double>> make_cuda_engine(const Context&);

}  // namespace bl::cuda
