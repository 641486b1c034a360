#include "engine/cuda/chains.cuh"

#include <algorithm>
#include <cmath>

#include "engine/cuda/chain_worker.cuh"
#include "engine/cuda/cuda.hpp"
#include "engine/cuda/lane_chains.cuh"
#include "engine/cuda/launch.cuh"
#include "engine/cuda/memory.cuh"
#include "engine/cuda/resident.cuh"

namespace bl::cuda {

namespace {

constexpr int kMostChains = 32;  // of a block
constexpr double kPaperStep = 1.4142135623730951e-2;

template <class T>
__global__ void __launch_bounds__(kChainThreads, 2) chains_kernel(const __grid_constant__ ChainLaunch<T> l) {
  extern __shared__ __align__(16) unsigned char memory[];
  const ChainArrays<T> a = chain_arrays(l, memory);
  const int first = static_cast<int>(blockIdx.x) * l.per_block;
  __shared__ Unset<Plan> plan_place;
  __shared__ Unset<Frame<T>> frame_place;
  Plan& plan = plan_place.value();
  Frame<T>& f = frame_place.value();
  if (threadIdx.x == 0) {
    plan = l.plan;
    f = {.plan = &plan,
         .step = nullptr,
         .data = l.data,
         .w = a.w,
         .g = nullptr,
         .ws = a.ws,
         .ld = l.ld,
         .first = 0,
         .source = Source::values,
         .per_row = 1,
         .row_loss = nullptr,
         .outer_heads = nullptr,
         .outer_ld = 0,
         .held_heads = l.plan.row_terms > 0 ? a.heads : nullptr,
         .point_rows = l.rows + first};
  }
  __syncthreads();
  ChainWorker<T>{l, a, plan, f, first, min(l.per_block, l.chains - first)}.run();
}

ObjectiveSpec sampling_spec(double temperature) {
  ObjectiveSpec spec;
  spec.kind = ObjectiveKind::score_matching;
  spec.temperature = temperature;
  return spec;
}

template <class T>
PlannedModel sampling_model(const ChainPlan<T>& plan) {
  return plan_model(plan.network.architecture(), plan.network.layout(), sampling_spec(plan.temperature),
                    Source::values, 1, {.split = true, .apart = true, .samples = true});
}

// Chains of a block: as many as fit, fewer where there are not enough for all multiprocessors.
template <class T>
bool choose_block(ChainLaunch<T>& l) {
  l.per_block = std::clamp((l.chains + processors() - 1) / processors(), 4, kMostChains);
  for (;; l.per_block /= 2) {
    l.ld = padded(l.per_block);
    if (chain_bytes(l) <= 110 * 1024 || (l.per_block <= 4 && chain_bytes(l) <= 220 * 1024)) return true;
    if (l.per_block <= 4) return false;
  }
}

// Its shape, without memory of the GPU.
template <class T>
ChainLaunch<T> launch_of(const ChainPlan<T>& plan) {
  ChainLaunch<T> l;
  l.plan = sampling_model(plan).plan;
  l.chains = static_cast<int>(plan.rows * plan.chains_per_row);
  return l;
}

template <class T>
void run_in_blocks(ChainLaunch<T>& l, cudaStream_t stream) {
  choose_block(l);
  const std::size_t bytes = chain_bytes(l);
  check(cudaFuncSetAttribute(chains_kernel<T>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(bytes)),
        "setting up a kernel");
  const auto blocks = static_cast<unsigned>((l.chains + l.per_block - 1) / l.per_block);
  chains_kernel<T><<<blocks, kChainThreads, bytes, stream>>>(l);
  check(cudaGetLastError(), "a launch");
}

}  // namespace

template <class T>
std::string chains_not_on_gpu(const ChainPlan<T>& plan) {
  const Architecture& a = plan.network.architecture();
  const gibbs::SamplerOptions& o = plan.options;
  if (a.form != Form::scalar || a.input.classes > 0)
    return "chains of classes and numbers together run on the processor";
  if (!plan.free.empty()) return "chains that hold some responses at given values run on the processor";
  if (a.layers.size() > kMostLayers) return "chains of so many layers run on the processor";
  if (!(o.step > 0) && o.method != gibbs::Method::paper)
    return "chains that learn their step run on the processor; `step` gives one";
  ChainLaunch<T> l = launch_of(plan);
  return lanes_of_chain(l) > 0 || choose_block(l)
             ? ""
             : "this model is too large for chains in the memory of a multiprocessor";
}

int lanes_of_chain(const ChainPlan<double>& plan) {
  return lanes_of_chain(launch_of(plan));
}

std::string why_chains_on_processor(const ChainPlan<double>& plan) {
  return devices().empty() ? "" : chains_not_on_gpu(plan);
}

namespace {

// What chains read on the GPU.
template <class T>
struct ChainInputs {
  Array<std::int32_t> term_begin, factors;
  Array<T> w, context, start, lower, upper;
  Array<int> rows;

  ChainInputs(const ChainPlan<T>& plan, ChainLaunch<T>& l, cudaStream_t stream) {
    const PlannedModel model = sampling_model(plan);
    l.plan = model.plan;
    term_begin.write(model.term_begin, stream);
    factors.write(model.factors, stream);
    l.plan.term_begin = term_begin.data();
    l.plan.factors = factors.data();
    std::vector<T> parameters(model.slots.size(), T(0));
    for (std::size_t i = 0; i < plan.parameters.size(); ++i) {
      const auto at = static_cast<std::size_t>(model.place[i]);
      parameters[at] = effective(model.slots[at], plan.parameters[i]);
    }
    const auto columns = static_cast<std::size_t>(plan.context.cols), stride = (columns + 3) / 4 * 4;
    std::vector<T> contexts(static_cast<std::size_t>(plan.rows) * stride + 4, T(0)), starts;
    for (Index i = 0; i < plan.rows && columns > 0; ++i)
      std::copy_n(plan.context.row(i), columns, contexts.data() + static_cast<std::size_t>(i) * stride);
    std::vector<int> row_of;
    for (Index i = 0; i < plan.start.rows; ++i) {
      starts.insert(starts.end(), plan.start.row(i), plan.start.row(i) + plan.start.cols);
      row_of.push_back(static_cast<int>(i / plan.chains_per_row));
    }
    const std::vector<T> lowest(plan.box.lower.begin(), plan.box.lower.end()),
        highest(plan.box.upper.begin(), plan.box.upper.end());
    w.write(parameters, stream);
    context.write(contexts, stream);
    start.write(starts, stream);
    lower.write(lowest, stream);
    upper.write(highest, stream);
    rows.write(row_of, stream);
    check(cudaStreamSynchronize(stream), "loading the chains");
    l.data.context_stride = static_cast<int>(stride);
    l.data.context = context.data();
    l.w = w.data();
    l.start = start.data();
    const auto none = [](double bound) { return std::isinf(bound); };
    l.bounded = !std::all_of(plan.box.lower.begin(), plan.box.lower.end(), none) ||
                !std::all_of(plan.box.upper.begin(), plan.box.upper.end(), none);
    l.lower = lower.data();
    l.upper = upper.data();
    l.rows = rows.data();
  }
};

// What they leave there.
template <class T>
struct ChainOutputs {
  std::size_t chains, numbers;
  Array<T> draws, last;
  Array<double> acceptance;
  Array<int> divergences, stopped, bad;

  ChainOutputs(ChainLaunch<T>& l, Index kept, cudaStream_t stream)
      : chains(static_cast<std::size_t>(l.chains)),
        numbers(chains * static_cast<std::size_t>(l.plan.values)),
        draws(numbers * static_cast<std::size_t>(kept)),
        last(numbers),
        acceptance(chains),
        divergences(chains),
        stopped(chains) {
    bad.write(std::span(&l.chains, 1), stream);
    l.draws = draws.data();
    l.last = last.data();
    l.acceptance = acceptance.data();
    l.divergences = divergences.data();
    l.stopped = stopped.data();
    l.bad_start = bad.data();
  }

  gibbs::SamplerResult<T> read(const ChainLaunch<T>& l, Index kept, cudaStream_t stream) const {
    int bad_start = 0;
    bad.read(std::span(&bad_start, 1), stream);
    if (bad_start < l.chains) bad_chain_start(bad_start);
    gibbs::SamplerResult<T> result;
    result.draws = gibbs::Draws<T>(kept, l.chains, l.plan.values);
    result.last.resize(l.chains, l.plan.values);
    std::vector<double> accepted(chains);
    std::vector<int> diverged(chains), stays(chains);
    acceptance.read(accepted, stream);
    divergences.read(diverged, stream);
    stopped.read(stays, stream);
    draws.read({&result.draws(0, 0, 0), numbers * static_cast<std::size_t>(kept)}, stream);
    last.read(result.last.flat(), stream);
    for (std::size_t i = 0; i < chains; ++i) {
      result.acceptance += accepted[i];
      result.divergences += diverged[i];
      result.stopped.push_back(static_cast<std::uint8_t>(stays[i]));
    }
    result.acceptance /= static_cast<double>(l.chains) * static_cast<double>(l.moves);
    return result;
  }
};

template <class T>
void check_starts(const ChainPlan<T>& plan) {
  for (Index i = 0; i < plan.start.rows; ++i)
    for (Index j = 0; j < plan.start.cols; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const double y = static_cast<double>(plan.start(i, j));
      if (!(y >= plan.box.lower[at] && y <= plan.box.upper[at])) outside_support(static_cast<long>(i), y);
    }
}

}  // namespace

template <class T>
gibbs::SamplerResult<T> run_chains_on_gpu(const ChainPlan<T>& plan, const Context& job, cudaStream_t stream) {
  const gibbs::SamplerOptions& o = plan.options;
  gibbs::check(o, plan.start.rows);
  plan.box.check(plan.network.architecture().input.values);
  check_starts(plan);
  ChainLaunch<T> l;
  const ChainInputs<T> inputs(plan, l, stream);
  l.chains = static_cast<int>(plan.start.rows);
  l.method = o.method;
  l.step = o.step > 0 ? o.step : kPaperStep;
  l.noise = o.method == gibbs::Method::paper ? std::sqrt(o.temperature) : 1;
  l.max_leapfrog = static_cast<int>(o.max_leapfrog);
  l.longest_time = l.step * static_cast<double>(o.max_leapfrog);
  l.warmup = static_cast<int>(o.warmup);
  l.moves = static_cast<int>(o.draws * o.thin);
  l.thin = static_cast<int>(o.thin);
  l.seed = o.seed;
  const ChainOutputs<T> outputs(l, o.draws, stream);
  if (const int lanes = lanes_of_chain(l); lanes > 0)
    run_lane_chains(l, lanes, stream);
  else
    run_in_blocks(l, stream);
  gibbs::SamplerResult<T> result = outputs.read(l, o.draws, stream);
  result.step = l.step;
  result.scale.assign(static_cast<std::size_t>(l.plan.values), T(1));
  result.leapfrog = o.method == gibbs::Method::hmc ? o.max_leapfrog : 1;
  const Index per_distribution = o.chains_per_distribution > 0 ? o.chains_per_distribution : plan.start.rows;
  result.diagnostics = gibbs::diagnose(result.draws, per_distribution, job);
  result.verdict = gibbs::verdict(result.diagnostics, result.divergences, per_distribution);
  return result;
}

#define BL_INSTANTIATE(T)                                         \
  template std::string chains_not_on_gpu<T>(const ChainPlan<T>&); \
  template gibbs::SamplerResult<T> run_chains_on_gpu<T>(const ChainPlan<T>&, const Context&, cudaStream_t);
BL_INSTANTIATE(float)
BL_INSTANTIATE(double)
#undef BL_INSTANTIATE

}  // namespace bl::cuda
