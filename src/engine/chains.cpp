#include "engine/chains.hpp"

#include "gibbs/conditional_density.hpp"

namespace bl {

template <class T>
gibbs::SamplerResult<T> sample_chains(gibbs::HybridDensity<T>& joint, const ChainPlan<T>& plan,
                                      ThreadPool& pool) {
  const bool classes = joint.classes() > 0;
  if (plan.free.empty())
    return classes ? gibbs::sample_hybrid<T>(joint, plan.box, plan.start, plan.options, pool)
                   : gibbs::sample<T>(joint, plan.box, plan.start, plan.options, pool);
  if (classes) {
    gibbs::ConditionalHybridDensity<T> conditional(joint, plan.free, plan.held);
    return gibbs::sample_hybrid<T>(conditional, plan.box, plan.start, plan.options, pool);
  }
  const gibbs::ConditionalDensity<T> conditional(joint, plan.free, plan.held);
  return gibbs::sample<T>(conditional, plan.box, plan.start, plan.options, pool);
}

template gibbs::SamplerResult<float> sample_chains(gibbs::HybridDensity<float>&, const ChainPlan<float>&,
                                                   ThreadPool&);
template gibbs::SamplerResult<double> sample_chains(gibbs::HybridDensity<double>&, const ChainPlan<double>&,
                                                    ThreadPool&);

}  // namespace bl
