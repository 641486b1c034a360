#include "predict/row_sampler.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "engine/engine.hpp"
#include "gibbs/network_density.hpp"
#include "gibbs/restricted_classes.hpp"
#include "plan/device_plan.hpp"

namespace bl {

namespace {

// Starts near the middle of the data: encoded responses have mean 0 and standard deviation 1.
Matrix<double> starts(const gibbs::Box& box, Index chains, std::uint64_t seed) {
  const RandomStream stream(seed, Purpose::sampler_start);
  Matrix<double> out(chains, box.dimension());
  for (Index i = 0; i < chains; ++i) {
    stream.fill_normal(static_cast<std::uint64_t>(i),
                       std::span<double>(out.row(i), static_cast<std::size_t>(out.cols())));
    box.clamp(std::span<double>(out.row(i), static_cast<std::size_t>(out.cols())));
  }
  return out;
}

gibbs::Box box_of(const Support& support, const std::vector<Index>& free) {
  gibbs::Box box;
  for (Index k = 0; k < support.dimension(); ++k) {
    if (!free.empty() && std::find(free.begin(), free.end(), k) == free.end()) continue;
    box.lower.push_back(support.lower[static_cast<std::size_t>(k)]);
    box.upper.push_back(support.upper[static_cast<std::size_t>(k)]);
  }
  return box;
}

// Chains that keep to the classes their rows allow. They run on the processor: engines know of no such
// restriction.
gibbs::SamplerResult<double> restricted_chains(const ChainPlan<double>& plan, const gibbs::Utility& utility,
                                               const Matrix<std::uint8_t>& allowed, const Context& job) {
  Matrix<double> context(plan.rows, plan.context.cols);
  for (Index i = 0; i < plan.rows && context.cols() > 0; ++i)
    std::copy_n(plan.context.row(i), context.cols(), context.row(i));
  gibbs::NetworkDensity<double> joint(plan.network, utility.prepared(), plan.temperature, std::move(context),
                                      plan.rows, plan.chains_per_row);
  gibbs::RestrictedClasses<double> restricted(joint, allowed.view(), plan.chains_per_row);
  return sample_chains<double>(restricted, plan, job);
}

DeviceChoice device_of(const ChainPlan<double>& plan, const RowSamplerOptions& options) {
  double heads = 0;  // of a point
  for (const LayerSpec& layer : plan.network.architecture().layers)
    heads += static_cast<double>(layer.blocks * layer.heads_per_block());
  const double numbers = static_cast<double>(plan.start.rows) * heads;
  if (options.allowed.rows() == 0) return plan_device(options.device, numbers, plan);
  const std::string only = "chains that keep to some classes run on the processor";
  return plan_device(options.device, numbers, only);
}

gibbs::SamplerResult<double> run_on(Device device, const ChainPlan<double>& plan, const Context& job) {
  return make_engine<double>(job.on(device))->run_chains(plan);
}

}  // namespace

RowSamples sample_rows(const gibbs::Utility& utility, const Matrix<double>& context,
                       const RowSamplerOptions& options, const Context& job) {
  const Index rows = context.rows(), chains = rows * options.chains;
  const gibbs::Box box = box_of(utility.support(), options.free);
  const Matrix<double> from = starts(box, chains, options.seed);
  Matrix<double> held(options.free.empty() ? 0 : chains, utility.values());
  for (Index i = 0; i < held.rows(); ++i)
    std::copy_n(options.held.row(i / options.chains), held.cols(), held.row(i));
  ChainPlan<double> plan{.network = utility.network(),
                         .parameters = utility.parameters(),
                         .temperature = utility.temperature(),
                         .context = context.view(),
                         .rows = rows,
                         .chains_per_row = options.chains,
                         .box = box,
                         .start = from.view(),
                         .free = options.free,
                         .held = held.view(),
                         .options = {}};
  plan.options.method = options.method;
  plan.options.warmup = options.warmup;
  plan.options.draws = (options.draws + options.chains - 1) / options.chains;
  plan.options.step = options.step;
  plan.options.temperature = utility.temperature();
  plan.options.chains_per_distribution = options.chains;
  plan.options.seed = options.seed;
  const DeviceChoice where = device_of(plan, options);
  const gibbs::SamplerResult<double> result = options.allowed.rows() > 0
                                                  ? restricted_chains(plan, utility, options.allowed, job)
                                                  : run_on(where.device, plan, job);

  RowSamples out;
  out.note = where.note;
  out.draws_per_row = options.draws;
  out.values.resize(rows * options.draws, utility.values());
  if (utility.classes() > 0) out.classes.resize(static_cast<std::size_t>(rows * options.draws));
  for (Index row = 0; row < rows; ++row) {
    for (Index d = 0; d < options.draws; ++d) {
      const Index chain = row * options.chains + d % options.chains, draw = d / options.chains;
      const Index at = row * options.draws + d;
      if (!options.free.empty()) std::copy_n(held.row(chain), held.cols(), out.values.row(at));
      for (Index k = 0; k < result.draws.columns(); ++k) {
        const Index column = options.free.empty() ? k : options.free[static_cast<std::size_t>(k)];
        out.values(at, column) = result.draws(draw, chain, k);
      }
      if (!out.classes.empty()) out.classes[static_cast<std::size_t>(at)] = result.classes(draw, chain);
    }
  }
  out.acceptance = result.acceptance;
  out.divergences = result.divergences;
  out.diagnostics = result.diagnostics;
  out.verdict = result.verdict;
  return out;
}

}  // namespace bl
