#include "engine/chains.hpp"

#include "gibbs/conditional_density.hpp"

namespace bl {

template <class T>
gibbs::SamplerResult<T> sample_chains(gibbs::HybridDensity<T>& joint, const ChainPlan<T>& plan,
                                      const Context& job) {
  const bool classes = joint.classes() > 0;
  if (plan.free.empty())
    return classes ? gibbs::sample_hybrid<T>(joint, plan.box, plan.start, plan.options, job)
                   : gibbs::sample<T>(joint, plan.box, plan.start, plan.options, job);
  if (classes) {
    gibbs::ConditionalHybridDensity<T> conditional(joint, plan.free, plan.held);
    return gibbs::sample_hybrid<T>(conditional, plan.box, plan.start, plan.options, job);
  }
  const gibbs::ConditionalDensity<T> conditional(joint, plan.free, plan.held);
  return gibbs::sample<T>(conditional, plan.box, plan.start, plan.options, job);
}

template gibbs::SamplerResult<float> sample_chains(gibbs::HybridDensity<float>&, const ChainPlan<float>&,
                                                   const Context&);
template gibbs::SamplerResult<double> sample_chains(gibbs::HybridDensity<double>&, const ChainPlan<double>&,
                                                    const Context&);

}  // namespace bl
