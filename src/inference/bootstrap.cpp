#include "inference/bootstrap.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/rank_gather.hpp"
#include "base/rank_shares.hpp"
#include "bl/errors.hpp"

namespace bl::inference {

namespace {

constexpr double kReached = 1e-4;  // gradient norm at which a resample counts as fitted

// How often each row is drawn.
std::vector<double> drawn_weights(const Objective<double>& objective, const BootstrapSpec& spec,
                                  std::size_t resample) {
  const auto rows = static_cast<std::size_t>(objective.data().rows);
  const RandomStream stream(spec.seed, Purpose::bootstrap);
  const std::size_t units =
      spec.clusters.empty()
          ? rows
          : static_cast<std::size_t>(*std::max_element(spec.clusters.begin(), spec.clusters.end())) + 1;
  std::vector<double> counts(units, 0), weights(rows);
  for (std::size_t i = 0; i < units; ++i) counts[stream.below(units, resample, i)] += 1;
  for (std::size_t i = 0; i < rows; ++i)
    weights[i] = objective.data().weight(static_cast<Index>(i)) *
                 counts[spec.clusters.empty() ? i : static_cast<std::size_t>(spec.clusters[i])];
  return weights;
}

// Raw directions from the estimate in which the loss of all rows has curvature 1, a column each: that of a
// resample has nearly, and a descent takes a few steps. None where the rows leave a direction open.
Eigen::MatrixXd directions_of(const ParameterLayout& layout, const Estimate& e) {
  if (!e.identification.directions.empty()) return {};
  const Eigen::LLT<Eigen::MatrixXd> root(e.total_weight * e.identification.inverse);
  if (root.info() != Eigen::Success) return {};
  return raw_slopes(layout, e.chart).asDiagonal() * e.chart.tangent * Eigen::MatrixXd(root.matrixL());
}

// From the estimate along these directions.
LocalMinimum descend_along(const Eigen::MatrixXd& directions, const Chart& chart, Loss& loss,
                           const MinimiserSpec& spec) {
  std::vector<double> raw = chart.raw, by_raw(raw.size());
  const auto place = [&](std::span<const double> point) {
    const Eigen::VectorXd move =
        directions * Eigen::Map<const Eigen::VectorXd>(point.data(), directions.cols());
    for (Index k = 0; k < move.size(); ++k) {
      const auto i = static_cast<std::size_t>(chart.positions[static_cast<std::size_t>(k)]);
      raw[i] = chart.raw[i] + move(k);
    }
  };
  Eigen::VectorXd free(directions.rows());
  const DifferentiableFunction<double> function = [&](std::span<const double> point,
                                                      std::span<double> gradient) {
    place(point);
    const double value = loss(raw, by_raw);
    for (Index k = 0; k < free.size(); ++k)
      free(k) = by_raw[static_cast<std::size_t>(chart.positions[static_cast<std::size_t>(k)])];
    Eigen::Map<Eigen::VectorXd>(gradient.data(), directions.cols()) = directions.transpose() * free;
    return value;
  };
  LocalMinimum end = descend(function, std::vector<double>(static_cast<std::size_t>(directions.cols()), 0.0),
                             spec, [&](std::int64_t) { return loss.job().should_stop(); });
  place(end.parameters);
  end.parameters = raw;
  return end;
}

// Those of every rank, for all of them. Of a resample without a minimum there are none.
void exchange_draws(std::vector<std::vector<double>>& found, std::size_t entries, Ranks& ranks) {
  Exchange().run(
      ranks, found.size(), [&](std::size_t) { return (entries + 1) * sizeof(double); },
      [&](std::size_t r, std::byte* to) {
        const double any = found[r].empty() ? 0 : 1;
        std::vector<double> draw = found[r];
        draw.resize(entries);
        put(to, std::span(&any, 1));
        put(to, std::span<const double>(draw));
      },
      [&](std::size_t r, const std::byte* from) {
        double any = 0;
        take(from, std::span(&any, 1));
        found[r].resize(any > 0 ? entries : 0);
        take(from, std::span(found[r]));
      });
}

}  // namespace

Bootstrap bootstrap(const Objective<double>& objective, const Estimate& estimate, const EstimateSpec& fit,
                    const BootstrapSpec& spec, const Context& job) {
  if (!spec.clusters.empty() && static_cast<Index>(spec.clusters.size()) != objective.data().rows)
    throw UsageError("there must be one cluster for every row");
  const Network<double>& network = objective.network();
  const ParameterMap map(network.architecture());
  const auto entries = estimate.chart.positions.size();
  std::vector<std::vector<double>> found(static_cast<std::size_t>(spec.resamples));
  std::vector<std::uint8_t> held(estimate.chart.states.size(), 1);
  for (const Index i : estimate.chart.positions) held[static_cast<std::size_t>(i)] = 0;
  const Eigen::MatrixXd directions = directions_of(network.layout(), estimate);
  std::atomic<Index> done = 0;
  Ranks* const ranks = job.ranks();
  const Shares shares(ranks, found.size());
  // Resamples are shared out whole: other ranks have no part in the steps of one.
  const auto engine = make_engine<double>(job.without_ranks());
  engine->load(objective);          // resamples are these rows with other weights
  constexpr double kShortStep = 0;  // resamples run side by side whatever their length
  engine->together(shares.last() - shares.first(), kShortStep, [&](std::size_t at, Engine<double>& own) {
    const std::size_t r = shares.first() + at;
    const std::vector<double> weights = drawn_weights(objective, spec, r);
    DatasetView<double> data = objective.data();
    data.weights = weights;
    const Objective<double> resampled(network, objective.spec(), data);
    Loss loss(resampled, fit.minimiser.seed, own);
    LocalMinimum end;
    end.gradient_norm = std::numeric_limits<double>::infinity();
    if (directions.size() > 0) end = descend_along(directions, estimate.chart, loss, fit.minimiser);
    if (!(end.gradient_norm <= kReached)) end = descend(loss, estimate.chart.raw, fit.minimiser, held);
    job.tell("resamples", ++done, static_cast<Index>(shares.last() - shares.first()));
    job.require_going();
    if (!(end.gradient_norm <= kReached)) return;
    const std::vector<double> values =
        map.effective(canonical_form(network.architecture(), end.parameters,
                                     {.reference = fit.minimiser.reference, .merge = false})
                          .parameters);
    for (const Index i : estimate.chart.positions) found[r].push_back(values[static_cast<std::size_t>(i)]);
  });
  if (ranks) exchange_draws(found, entries, *ranks);
  Bootstrap out;
  out.draws.resize(static_cast<Index>(found.size()), static_cast<Index>(entries));
  Index used = 0;
  for (const std::vector<double>& draw : found) {
    if (draw.size() != entries) {
      ++out.failed;
      continue;
    }
    for (std::size_t k = 0; k < entries; ++k) out.draws(used, static_cast<Index>(k)) = draw[k];
    ++used;
  }
  out.draws.conservativeResize(used, Eigen::NoChange);
  return out;
}

double bootstrap_error(const Bootstrap& bootstrap, const Eigen::VectorXd& coefficients) {
  if (bootstrap.draws.rows() < 2) return std::numeric_limits<double>::quiet_NaN();
  const Eigen::VectorXd values = bootstrap.draws * coefficients;
  return std::sqrt((values.array() - values.mean()).square().sum() / static_cast<double>(values.size() - 1));
}

}  // namespace bl::inference
