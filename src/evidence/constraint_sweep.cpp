#include "evidence/constraint_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/quantile.hpp"
#include "bl/errors.hpp"
#include "compute/normal_rows.hpp"
#include "gibbs/distribution_1d.hpp"

namespace bl::gibbs {

namespace {

constexpr double kWithin = 0.1;
constexpr double kPercentile = 0.95;
// |T| mixes within a few steps; longer ones would only turn the sphere.
constexpr Index kLongestTrajectory = 8;
constexpr std::uint64_t kSeedStride = 0x9E3779B97F4A7C15;  // odd, from the golden ratio: far apart seeds
constexpr double kStable = 2;      // largest step times curvature of a stable explicit step
constexpr double kTailWidth = 12;  // half-width of the exact integral in standard deviations of T

// Row r of the stream: x of context r, or the start of chain r.
Matrix<double> normal_rows(std::uint64_t seed, Purpose purpose, Index rows, Index cols) {
  Matrix<double> out(rows, cols);
  fill_normal_rows({seed, purpose, 0}, 0, out.view());
  return out;
}

SweepFigures figures_of(std::vector<double> absolute) {
  SweepFigures figures;
  for (const double t : absolute) {
    figures.mean += t;
    figures.share_within += t <= kWithin;
  }
  figures.mean /= static_cast<double>(absolute.size());
  figures.share_within /= static_cast<double>(absolute.size());
  std::sort(absolute.begin(), absolute.end());
  figures.percentile_95 = quantile(absolute, kPercentile);
  return figures;
}

// Settings are the same problem at another scale: with the same random numbers their errors would be the same
// too.
std::uint64_t setting_seed(const SweepOptions& options, std::size_t number) {
  return options.seed + kSeedStride * (number + 1);
}

SamplerOptions sampler_options(const SweepOptions& options, const SweepSetting& setting, std::size_t number) {
  SamplerOptions sampler;
  sampler.method = options.method;
  sampler.warmup = options.warmup;
  sampler.draws = options.draws;
  sampler.max_leapfrog = kLongestTrajectory;
  sampler.temperature = setting.tau;
  sampler.chains_per_distribution = options.chains_per_context;
  sampler.seed = setting_seed(options, number);
  return sampler;
}

// Starts: standard normal directions at the length of x. The paper's update is given this as well, so what it
// does afterwards is not the fault of a far start.
Matrix<double> starts_on_sphere(std::uint64_t seed, Index dimension,
                                const std::vector<double>& chain_lengths) {
  auto starts =
      normal_rows(seed, Purpose::sampler_start, static_cast<Index>(chain_lengths.size()), dimension);
  for (Index i = 0; i < starts.rows(); ++i) {
    double squared = 0;
    for (Index j = 0; j < starts.cols(); ++j) squared += starts(i, j) * starts(i, j);
    const double factor = std::sqrt(chain_lengths[static_cast<std::size_t>(i)] / squared);
    for (Index j = 0; j < starts.cols(); ++j) starts(i, j) *= factor;
  }
  return starts;
}

// step_times_curvature: of the paper's update, 0 of others.
void fill_row(const SamplerResult<double>& result, double step_times_curvature, ConstraintRow& row) {
  std::vector<double> absolute;
  row.chains = static_cast<std::size_t>(result.draws.chains());
  for (Index c = 0; c < result.draws.chains(); ++c) {
    if (result.stopped[static_cast<std::size_t>(c)]) {
      ++row.diverged_chains;
      continue;
    }
    for (Index t = 0; t < result.draws.draws(); ++t) absolute.push_back(result.draws(t, c, 0));
  }
  row.acceptance = result.acceptance;
  row.divergences = static_cast<std::size_t>(result.divergences);
  const Diagnostics& diagnostics = result.diagnostics.front();
  row.standard_error = diagnostics.mcse_mean;
  row.rhat = diagnostics.rhat;
  row.ess_bulk = diagnostics.ess_bulk;
  row.sampled = !absolute.empty();
  if (row.sampled) {
    const SweepFigures sampled = figures_of(std::move(absolute));
    row.mean = sampled.mean;
    row.percentile_95 = sampled.percentile_95;
    row.share_within = sampled.share_within;
  }
  if (row.diverged_chains > 0) {
    row.note =
        fmt::format("diverged: {} of {} chains left the finite numbers", row.diverged_chains, row.chains);
    row.standard_error = row.rhat = row.ess_bulk = std::numeric_limits<double>::quiet_NaN();
  } else if (step_times_curvature > kStable) {
    row.note =
        fmt::format("unstable: step times curvature is {:.2f}, above {}: the chains swing about the sphere",
                    step_times_curvature, kStable);
  }
}

// The curvature of the log-density along the radius, at |y| = |x|, is 8 lambda |x|^2 / tau.
double radial_curvature(const SweepSetting& setting, const std::vector<double>& squared_lengths) {
  const double sum = std::accumulate(squared_lengths.begin(), squared_lengths.end(), 0.0);
  return 8 * setting.lambda / setting.tau * sum / static_cast<double>(squared_lengths.size());
}

ConstraintRow run_setting(const SweepOptions& options, std::size_t number, const Context& job) {
  const SweepSetting& setting = options.settings[number];
  ConstraintRow row;
  row.lambda = setting.lambda;
  row.tau = setting.tau;
  if (setting.lambda == 0) {
    row.note =
        "improper: at lambda = 0 the density is constant and has no finite integral without a support box";
    return row;
  }
  const auto squared_lengths = sweep_squared_lengths(options);
  const SweepFigures exact = exact_constraint_figures(setting, squared_lengths, options.dimension);
  row.proper = true;
  row.exact_mean = exact.mean;
  row.exact_percentile_95 = exact.percentile_95;
  row.exact_share_within = exact.share_within;
  std::vector<double> per_chain;
  for (const double length : squared_lengths)
    per_chain.insert(per_chain.end(), static_cast<std::size_t>(options.chains_per_context), length);
  const ConstraintDensity distribution(options.dimension, setting, per_chain);
  const auto starts = starts_on_sphere(setting_seed(options, number), options.dimension, per_chain);
  Statistic<double> absolute;
  absolute.columns = 1;
  absolute.compute = [&distribution](Index first, MatrixView<const double> points, MatrixView<double> out) {
    for (Index i = 0; i < points.rows; ++i)
      out(i, 0) = std::abs(distribution.constraint(first + i, points.row(i)));
  };
  const auto result = sample<double>(distribution, Box::unbounded(options.dimension), starts.view(),
                                     sampler_options(options, setting, number), job, &absolute);
  const bool paper = options.method == Method::paper;
  fill_row(result, paper ? result.step * result.step / 2 * radial_curvature(setting, squared_lengths) : 0.0,
           row);
  return row;
}

void check(const SweepOptions& options) {
  if (options.dimension < 1 || options.contexts < 1 || options.chains_per_context < 1)
    throw UsageError("constraint sweep: dimension, contexts and chains per context must be at least 1");
  for (const SweepSetting& setting : options.settings)
    if (!(setting.lambda >= 0) || !(setting.tau > 0))
      throw UsageError(
          fmt::format("constraint sweep: lambda {} must not be negative and tau {} must be positive",
                      setting.lambda, setting.tau));
}

}  // namespace

std::vector<SweepSetting> paper_sweep_settings() {
  std::vector<SweepSetting> settings;
  for (const double tau : {2.0, 1.0, 0.5, 0.25, 0.1, 0.05, 0.02, 0.01, 0.005}) settings.push_back({25, tau});
  for (const double lambda : {0.0, 1.0, 3.0, 10.0, 30.0, 100.0, 200.0, 500.0})
    settings.push_back({lambda, 0.05});
  return settings;
}

std::vector<double> sweep_squared_lengths(const SweepOptions& options) {
  const auto x = normal_rows(options.seed, Purpose::simulation, options.contexts, options.dimension);
  std::vector<double> lengths(static_cast<std::size_t>(options.contexts), 0.0);
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j) lengths[static_cast<std::size_t>(i)] += x(i, j) * x(i, j);
  return lengths;
}

SweepFigures exact_constraint_figures(const SweepSetting& setting, const std::vector<double>& squared_lengths,
                                      Index dimension) {
  const double power = static_cast<double>(dimension) / 2 - 1;
  const double strength = setting.lambda / setting.tau;
  const double sd = std::sqrt(0.5 / strength);
  std::vector<Distribution1d> distributions;
  for (const double squared_length : squared_lengths) {
    const auto log_density = [=](std::span<const double> t, std::span<double> out) {
      for (std::size_t i = 0; i < t.size(); ++i)
        out[i] = power * std::log1p(t[i] / squared_length) - strength * t[i] * t[i];
    };
    // The centre moves up by about power / |x|^2 variances; the end of the range has density zero, so stop
    // short.
    const double reach = kTailWidth * sd + power / squared_length * sd * sd * 2;
    distributions.emplace_back(log_density, std::max(-reach, -squared_length * (1 - 1e-12)), reach);
  }
  const double n = static_cast<double>(distributions.size());
  const auto share_below = [&](double t) {
    double sum = 0;
    for (const Distribution1d& distribution : distributions)
      sum += distribution.cdf(t) - distribution.cdf(-t);
    return sum / n;
  };
  SweepFigures figures;
  figures.share_within = share_below(kWithin);
  for (const Distribution1d& distribution : distributions)
    figures.mean +=
        distribution
            .expectation([](std::span<const double> t, std::span<double> out) {
              std::transform(t.begin(), t.end(), out.begin(), [](double v) { return std::abs(v); });
            })
            .value /
        n;
  double low = 0, high = 0;
  for (const Distribution1d& distribution : distributions)
    high = std::max({high, distribution.upper(), -distribution.lower()});
  for (int k = 0; k < 100; ++k) {
    const double middle = (low + high) / 2;
    (share_below(middle) < kPercentile ? low : high) = middle;
  }
  figures.percentile_95 = high;
  return figures;
}

ConstraintDensity::ConstraintDensity(Index dimension, SweepSetting setting,
                                     std::vector<double> squared_lengths)
    : dimension_(dimension),
      strength_(setting.lambda / setting.tau),
      squared_lengths_(std::move(squared_lengths)) {}

double ConstraintDensity::constraint(Index chain, const double* y) const {
  double squared = 0;
  for (Index j = 0; j < dimension_; ++j) squared += y[j] * y[j];
  return squared - squared_lengths_[static_cast<std::size_t>(chain)];
}

void ConstraintDensity::evaluate(Index first, MatrixView<const double> points, std::span<double> value,
                                 MatrixView<double> gradient) const {
  for (Index i = 0; i < points.rows; ++i) {
    const double t = constraint(first + i, points.row(i));
    value[static_cast<std::size_t>(i)] = -strength_ * t * t;
    if (!gradient.data) continue;
    const double factor = -4 * strength_ * t;
    for (Index j = 0; j < dimension_; ++j) gradient(i, j) = factor * points(i, j);
  }
}

std::vector<ConstraintRow> run_constraint_sweep(const SweepOptions& options, const Context& job) {
  check(options);
  std::vector<ConstraintRow> rows;
  for (std::size_t k = 0; k < options.settings.size(); ++k) {
    rows.push_back(run_setting(options, k, job.silent()));
    job.tell("settings", static_cast<std::int64_t>(rows.size()),
             static_cast<std::int64_t>(options.settings.size()));
  }
  return rows;
}

}  // namespace bl::gibbs
