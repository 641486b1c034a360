#include "bl/reproduce.hpp"

#include <fmt/format.h>

#include "base/context.hpp"
#include "bl/errors.hpp"
#include "evidence/constraint_sweep.hpp"

namespace bl {

namespace {

gibbs::Method method_of(const std::string& name) {
  if (name == "hmc") return gibbs::Method::hmc;
  if (name == "mala") return gibbs::Method::mala;
  if (name == "langevin") return gibbs::Method::langevin;
  if (name == "paper") return gibbs::Method::paper;
  throw UsageError(fmt::format("unknown method '{}'; known: hmc, mala, langevin, paper", name));
}

}  // namespace

std::vector<ConstraintRow> reproduce_constraint(
    const ConstraintSweepOptions& options, const std::function<void(double, const std::string&)>& progress) {
  if (options.draws == 0 || options.chains == 0)
    throw UsageError("the sweep needs at least one draw and one chain");
  const Context job(options.threads, {.should_stop = options.should_stop, .on_progress = progress});
  gibbs::SweepOptions sweep;
  sweep.method = method_of(options.method);
  sweep.draws = static_cast<Index>(options.draws);
  sweep.chains_per_context = static_cast<Index>(options.chains);
  sweep.warmup = static_cast<Index>(options.warmup);
  sweep.seed = options.seed;
  return gibbs::run_constraint_sweep(sweep, job);
}

}  // namespace bl
