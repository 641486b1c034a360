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

ConstraintRow row_of(const gibbs::SweepRow& from) {
  ConstraintRow row;
  row.lambda = from.setting.lambda;
  row.tau = from.setting.tau;
  row.note = from.note;
  row.proper = from.exact.has_value();
  row.sampled = from.sampled.has_value();
  if (from.exact) {
    row.exact_mean = from.exact->mean;
    row.exact_percentile_95 = from.exact->percentile_95;
    row.exact_share_within = from.exact->share_within;
  }
  if (from.sampled) {
    row.mean = from.sampled->mean;
    row.percentile_95 = from.sampled->percentile_95;
    row.share_within = from.sampled->share_within;
  }
  row.standard_error = from.standard_error;
  row.rhat = from.rhat;
  row.ess_bulk = from.ess_bulk;
  row.acceptance = from.acceptance;
  row.divergences = static_cast<std::size_t>(from.divergences);
  row.diverged_chains = static_cast<std::size_t>(from.diverged_chains);
  row.chains = static_cast<std::size_t>(from.chains);
  return row;
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
  std::vector<ConstraintRow> rows;
  for (const gibbs::SweepRow& row : gibbs::run_constraint_sweep(sweep, job)) rows.push_back(row_of(row));
  return rows;
}

}  // namespace bl
