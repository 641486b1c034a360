#include "gibbs/diagnostics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "base/quantile.hpp"

namespace bl::gibbs {

namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Chain after chain, so that sums along a chain read memory in order.
struct Chains {
  std::vector<double> values;
  std::size_t length = 0;
  std::size_t count() const { return values.size() / length; }
  const double* chain(std::size_t c) const { return values.data() + c * length; }
};

// First and last half of every chain as chains of their own; the middle draw of an odd number is left out.
Chains split(MatrixView<const double> draws) {
  const Index half = draws.rows / 2;
  Chains chains;
  chains.length = static_cast<std::size_t>(half);
  chains.values.reserve(static_cast<std::size_t>(2 * half * draws.cols));
  for (Index c = 0; c < draws.cols; ++c)
    for (const Index start : {Index{0}, draws.rows - half})
      for (Index t = start; t < start + half; ++t) chains.values.push_back(draws(t, c));
  return chains;
}

// Normal scores of the ranks r among all draws (ties share their mean rank): Phi^-1((r - 3/8) / (n + 1/4)).
Chains rank_normalized(const Chains& chains) {
  const std::size_t n = chains.values.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto a, auto b) { return chains.values[a] < chains.values[b]; });
  Chains scores{std::vector<double>(n), chains.length};
  for (std::size_t from = 0, to = 0; from < n; from = to) {
    while (to < n && chains.values[order[to]] == chains.values[order[from]]) ++to;
    const double rank = (static_cast<double>(from + 1) + static_cast<double>(to)) / 2;
    const double score = normal_quantile((rank - 0.375) / (static_cast<double>(n) + 0.25));
    for (std::size_t k = from; k < to; ++k) scores.values[order[k]] = score;
  }
  return scores;
}

double mean_of(const double* x, std::size_t n) {
  return std::accumulate(x, x + n, 0.0) / static_cast<double>(n);
}

double variance_of(const double* x, std::size_t n) {
  const double mean = mean_of(x, n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += (x[i] - mean) * (x[i] - mean);
  return sum / static_cast<double>(n - 1);
}

std::vector<double> chain_means(const Chains& chains) {
  std::vector<double> means;
  for (std::size_t c = 0; c < chains.count(); ++c) means.push_back(mean_of(chains.chain(c), chains.length));
  return means;
}

double split_rhat(const Chains& chains) {
  const auto means = chain_means(chains);
  const double n = static_cast<double>(chains.length);
  double within = 0;
  for (std::size_t c = 0; c < chains.count(); ++c) within += variance_of(chains.chain(c), chains.length);
  within /= static_cast<double>(chains.count());
  const double between = n * variance_of(means.data(), means.size());
  return std::sqrt((between / within + n - 1) / n);
}

// Mean over chains of the autocovariance at one lag (divided by n, as posterior does).
double autocovariance(const Chains& chains, const std::vector<double>& means, std::size_t lag) {
  double total = 0;
  for (std::size_t c = 0; c < chains.count(); ++c) {
    const double* x = chains.chain(c);
    double sum = 0;
    for (std::size_t t = 0; t + lag < chains.length; ++t) sum += (x[t] - means[c]) * (x[t + lag] - means[c]);
    total += sum / static_cast<double>(chains.length);
  }
  return total / static_cast<double>(chains.count());
}

// Effective sample size of the mean: Geyer's initial monotone sequence on the combined autocorrelations.
double effective_size(const Chains& chains) {
  const auto means = chain_means(chains);
  const std::size_t n = chains.length;
  const double draws = static_cast<double>(n);
  const double mean_variance = autocovariance(chains, means, 0) * draws / (draws - 1);
  const double total_variance = mean_variance * (draws - 1) / draws +
                                variance_of(means.data(), means.size());  // split chains: at least two
  if (!(total_variance > 0)) return kNone;
  const auto correlation = [&](std::size_t lag) {
    return 1 - (mean_variance - autocovariance(chains, means, lag)) / total_variance;
  };
  std::vector<double> rho(n + 1, 0.0);
  double even = 1, odd = correlation(1);
  rho[0] = even;
  rho[1] = odd;
  std::size_t t = 0;
  while (t + 5 < n && even + odd > 0) {
    t += 2;
    even = correlation(t);
    odd = correlation(t + 1);
    if (even + odd >= 0) {
      rho[t] = even;
      rho[t + 1] = odd;
    }
  }
  const std::size_t last = t;
  if (even > 0) rho[last] = even;
  for (t = 2; t + 2 <= last; t += 2) {
    if (rho[t] + rho[t + 1] > rho[t - 2] + rho[t - 1]) {
      rho[t] = (rho[t - 2] + rho[t - 1]) / 2;
      rho[t + 1] = rho[t];
    }
  }
  const double size = static_cast<double>(chains.values.size());
  const double time =
      -1 + 2 * std::accumulate(rho.begin(), rho.begin() + static_cast<Index>(last), 0.0) + rho[last];
  return size / std::max(time, 1 / std::log10(size));
}

double quantile_effective_size(const Chains& chains, double quantile) {
  Chains below{std::vector<double>(chains.values.size()), chains.length};
  std::transform(chains.values.begin(), chains.values.end(), below.values.begin(),
                 [&](double x) { return x <= quantile ? 1.0 : 0.0; });
  return effective_size(below);
}

}  // namespace

double normal_quantile(double p) {
  const double tail = std::min(p, 1 - p);
  if (!(tail > 0))
    return p > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
  // A first guess to 5e-4 (Abramowitz and Stegun 26.2.23), then Halley's third-order steps on the upper tail.
  const double t = std::sqrt(-2 * std::log(tail));
  double x =
      t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  for (int k = 0; k < 2; ++k) {
    const double excess = std::erfc(x / std::numbers::sqrt2) / 2 - tail;
    const double newton = excess * std::sqrt(2 * std::numbers::pi) * std::exp(x * x / 2);
    x += newton / (1 - x * newton / 2);
  }
  return p < 0.5 ? -x : x;
}

Diagnostics diagnose(MatrixView<const double> draws) {
  Diagnostics result;
  std::vector<double> sorted;
  for (Index t = 0; t < draws.rows; ++t) sorted.insert(sorted.end(), draws.row(t), draws.row(t) + draws.cols);
  result.mean = mean_of(sorted.data(), sorted.size());
  result.sd = sorted.size() > 1 ? std::sqrt(variance_of(sorted.data(), sorted.size())) : kNone;
  result.rhat = result.ess_bulk = result.ess_tail = result.mcse_mean = kNone;
  std::sort(sorted.begin(), sorted.end());
  if (draws.rows < 6 || sorted.front() == sorted.back()) return result;

  const Chains chains = split(draws);
  const Chains scores = rank_normalized(chains);
  Chains folded = chains;
  const double median = quantile(sorted, 0.5);
  for (double& x : folded.values) x = std::abs(x - median);
  result.rhat = std::max(split_rhat(scores), split_rhat(rank_normalized(folded)));
  result.ess_bulk = effective_size(scores);
  result.ess_tail = std::min(quantile_effective_size(chains, quantile(sorted, 0.05)),
                             quantile_effective_size(chains, quantile(sorted, 0.95)));
  result.mcse_mean = result.sd / std::sqrt(effective_size(chains));
  return result;
}

template <class T>
std::vector<Diagnostics> diagnose(const Draws<T>& draws, Index chains_per_distribution, const Context& job) {
  const Index distributions = draws.chains() / chains_per_distribution;
  std::vector<Diagnostics> all(static_cast<std::size_t>(distributions * draws.columns()));
  job.run(all.size(), [&](std::size_t task) {
    const Index column = static_cast<Index>(task) / distributions,
                distribution = static_cast<Index>(task) % distributions;
    Matrix<double> values(draws.draws(), chains_per_distribution);
    for (Index t = 0; t < values.rows(); ++t)
      for (Index c = 0; c < chains_per_distribution; ++c)
        values(t, c) = static_cast<double>(draws(t, distribution * chains_per_distribution + c, column));
    all[task] = diagnose(values.view());
  });
  // NaN is the worst of all.
  const auto worse = [](double a, double b, bool larger) {
    if (std::isnan(a) || std::isnan(b)) return kNone;
    return larger ? std::max(a, b) : std::min(a, b);
  };
  std::vector<Diagnostics> result;
  for (Index column = 0; column < draws.columns(); ++column) {
    const auto* of = all.data() + column * distributions;
    Diagnostics d = of[0];
    double mean = 0, squares = 0, errors = 0;
    for (Index distribution = 0; distribution < distributions; ++distribution) {
      d.rhat = worse(d.rhat, of[distribution].rhat, true);
      d.ess_bulk = worse(d.ess_bulk, of[distribution].ess_bulk, false);
      d.ess_tail = worse(d.ess_tail, of[distribution].ess_tail, false);
      mean += of[distribution].mean / static_cast<double>(distributions);
      squares += (of[distribution].sd * of[distribution].sd + of[distribution].mean * of[distribution].mean) /
                 static_cast<double>(distributions);
      errors += of[distribution].mcse_mean * of[distribution].mcse_mean;
    }
    if (distributions > 1) d.sd = std::sqrt(std::max(0.0, squares - mean * mean));
    d.mean = mean;
    d.mcse_mean = std::sqrt(errors) / static_cast<double>(distributions);
    result.push_back(d);
  }
  return result;
}

template std::vector<Diagnostics> diagnose(const Draws<float>&, Index, const Context&);
template std::vector<Diagnostics> diagnose(const Draws<double>&, Index, const Context&);

}  // namespace bl::gibbs
