#include "inference/minimiser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <numeric>

#include "bl/errors.hpp"
#include "training/lbfgs.hpp"

namespace bl::inference {

namespace {

constexpr double kSameLoss = 1e-7;        // losses of the same optimum
constexpr double kSameParameters = 1e-2;  // relative to 1 + |effective value|
// A loss that falls by less than this over so many iterations has stopped falling: a kink, or the limit of
// the arithmetic.
constexpr std::int64_t kStallIterations = 25;
constexpr double kStall = 1e-13;

// Starts run side by side whatever their length: there are as many of them as threads, or more.
constexpr double kShortStep = 0;

double norm(std::span<const double> values) {
  return std::sqrt(std::inner_product(values.begin(), values.end(), values.begin(), 0.0));
}

bool is_lower(const LocalMinimum& a, const LocalMinimum& b) {
  if (std::isnan(a.loss)) return false;
  return std::isnan(b.loss) || a.loss < b.loss;
}

// Of a search that was stopped.
void drop_unbegun(std::vector<LocalMinimum>& ends) {
  std::erase_if(ends, [](const LocalMinimum& end) { return end.parameters.empty(); });
}

int tries_of(const MinimiserSpec& spec) {
  return spec.tries > 0 ? std::max(spec.tries, spec.starts) : 4 * spec.starts;
}

// What descents that run side by side tell the outside, one at a time.
class SearchWatch {
 public:
  SearchWatch(const MinimiserSpec& spec, const Context& job)
      : job_(job), tries_(tries_of(spec)), starts_(spec.starts + static_cast<int>(spec.given.size())) {}

  // Between iterations: whether to stop.
  bool between() {
    {
      const std::lock_guard lock(mutex_);
      tell();
    }
    return job_.should_stop();
  }
  void end_try() {
    const std::lock_guard lock(mutex_);
    ++tries_done_;
    tell();
  }
  void end_start(double loss) {
    const std::lock_guard lock(mutex_);
    ++starts_done_;
    best_ = std::fmin(best_, loss);
    tell();
  }

 private:
  void tell() const {
    if (tries_done_ < tries_)
      job_.tell("starts tried", tries_done_, tries_);
    else
      job_.tell("starts at their minimum", starts_done_, starts_,
                std::isnan(best_) ? "" : fmt::format("lowest loss {:.6f}", best_));
  }

  const Context& job_;
  const int tries_, starts_;
  std::mutex mutex_;
  int tries_done_ = 0, starts_done_ = 0;
  double best_ = std::numeric_limits<double>::quiet_NaN();  // loss of a start that ended
};

LocalMinimum descend(Loss& loss, std::vector<double> raw, const MinimiserSpec& spec,
                     const std::vector<std::uint8_t>& held,
                     const std::function<bool(std::int64_t iteration)>& between) {
  const DifferentiableFunction<double> function = [&](std::span<const double> point,
                                                      std::span<double> gradient) {
    const double value = loss(point, gradient);
    for (std::size_t i = 0; i < held.size(); ++i)
      if (held[i]) gradient[i] = 0;
    return value;
  };
  return descend(function, std::move(raw), spec, between);
}

std::vector<std::vector<double>> promising_starts(const Objective<double>& objective,
                                                  const MinimiserSpec& spec, SearchWatch& watch,
                                                  Engine<double>& engine) {
  const Network<double>& network = objective.network();
  const int tries = tries_of(spec);
  std::vector<LocalMinimum> ends(static_cast<std::size_t>(tries));
  if (tries == 0) return {};
  MinimiserSpec brief = spec;
  brief.iterations = spec.try_iterations;
  engine.load(objective);
  engine.together(ends.size(), kShortStep, [&](std::size_t i, Engine<double>& own) {
    if (i > 0 && own.context().stopped()) return;
    Loss loss(objective, spec.seed, own, spec.try_rows, spec.noise);
    const std::uint64_t seed = spec.seed * static_cast<std::uint64_t>(tries) + i;
    ends[i] = descend(loss, spread_start(network.architecture(), network.layout(), seed), brief, {},
                      [&](std::int64_t) { return watch.between(); });
    watch.end_try();
  });
  drop_unbegun(ends);
  std::stable_sort(ends.begin(), ends.end(), is_lower);
  std::vector<std::vector<double>> starts;
  for (std::size_t i = 0; i < std::min(ends.size(), static_cast<std::size_t>(spec.starts)); ++i)
    starts.push_back(std::move(ends[i].parameters));
  return starts;
}

bool same_form(const ParameterMap& map, const LocalMinimum& a, const LocalMinimum& b) {
  if (!(std::abs(a.loss - b.loss) <= kSameLoss * (1 + std::abs(a.loss)))) return false;
  const std::vector<double> left = map.effective(a.parameters), right = map.effective(b.parameters);
  for (std::size_t i = 0; i < left.size(); ++i)
    if (std::abs(left[i] - right[i]) > kSameParameters * (1 + std::abs(left[i]))) return false;
  return true;
}

std::vector<Optimum> table_of(const Architecture& architecture, const std::vector<LocalMinimum>& ends) {
  const ParameterMap map(architecture);
  std::vector<Optimum> table;
  std::vector<const LocalMinimum*> first;
  for (const LocalMinimum& end : ends) {
    std::size_t t = 0;
    while (t < table.size() && !same_form(map, *first[t], end)) ++t;
    if (t == table.size()) {
      table.push_back({.loss = end.loss, .gradient_norm = end.gradient_norm});
      first.push_back(&end);
    }
    ++table[t].starts;
    table[t].gradient_norm = std::min(table[t].gradient_norm, end.gradient_norm);
    table[t].converged |= end.converged;
  }
  return table;
}

}  // namespace

bool same_optimum(const Architecture& architecture, const LocalMinimum& a, const LocalMinimum& b) {
  return same_form(ParameterMap(architecture), a, b);
}

std::vector<double> spread_start(const Architecture& architecture, const ParameterLayout& layout,
                                 std::uint64_t seed) {
  std::vector<double> raw(static_cast<std::size_t>(layout.size()));
  starting_values<double>(architecture, layout, seed, raw);
  const RandomStream stream(seed, Purpose::initial_values, 1);
  const auto& mask = layout.free_mask();
  for (const TensorInfo& tensor : layout.tensors())
    for (Index k = 0; k < tensor.size(); ++k) {
      const auto i = static_cast<std::size_t>(tensor.offset + k);
      if (!mask.empty() && !mask[i]) continue;
      const double z = stream.normal(0, i);
      if (tensor.role == TensorRole::lambda)
        raw[i] = tensor.sign == Sign::non_negative ? inverse_softplus(std::exp(0.5 * z)) : 1 + 0.5 * z;
      if (tensor.role == TensorRole::weight) raw[i] = z / std::sqrt(static_cast<double>(tensor.cols));
    }
  return raw;
}

LocalMinimum descend(Loss& loss, std::vector<double> raw, const MinimiserSpec& spec,
                     const std::vector<std::uint8_t>& held) {
  return descend(loss, std::move(raw), spec, held, [&](std::int64_t iteration) {
    loss.job().tell("iterations", iteration, 0);
    return loss.job().should_stop();
  });
}

LocalMinimum descend(const DifferentiableFunction<double>& function, std::vector<double> point,
                     const MinimiserSpec& spec, const std::function<bool(std::int64_t iteration)>& between) {
  const Lbfgs<double> optimizer;
  LbfgsState<double> state;
  LocalMinimum end;
  end.cause = fmt::format("all {} iterations were used", spec.iterations);
  double earlier = 0;
  while (end.iterations < spec.iterations) {
    const LbfgsStatus status = optimizer.iterate(function, point, state);
    const bool stop = between(++end.iterations);
    end.gradient_norm = norm(state.gradient);
    if (status == LbfgsStatus::not_finite) {
      end.cause = "the loss is not finite at the start";
      break;
    }
    if (end.gradient_norm <= spec.tolerance) {
      end.converged = true;
      end.cause = fmt::format("gradient norm {:.1e} is within {:.1e}", end.gradient_norm, spec.tolerance);
      break;
    }
    if (status == LbfgsStatus::no_descent) {
      end.cause = fmt::format("no lower point was found at gradient norm {:.1e}", end.gradient_norm);
      break;
    }
    if (end.iterations % kStallIterations == 0) {
      if (end.iterations > kStallIterations && earlier - state.value < kStall * (1 + std::abs(state.value))) {
        end.cause = fmt::format("the loss no longer falls at gradient norm {:.1e}", end.gradient_norm);
        break;
      }
      earlier = state.value;
    }
    if (stop) {
      end.cause = "stopped on request";
      break;
    }
  }
  end.loss = state.value;
  end.parameters = std::move(point);
  return end;
}

Minimisation minimise(const Objective<double>& objective, const MinimiserSpec& spec, Engine<double>& engine) {
  const Architecture& architecture = objective.network().architecture();
  SearchWatch watch(spec, engine.context());
  std::vector<std::vector<double>> starts = promising_starts(objective, spec, watch, engine);
  starts.insert(starts.end(), spec.given.begin(), spec.given.end());
  if (starts.empty()) throw UsageError("a minimum needs at least one start");
  std::vector<LocalMinimum> ends(starts.size());
  engine.load(objective);
  engine.together(starts.size(), kShortStep, [&](std::size_t i, Engine<double>& own) {
    if (i > 0 && own.context().stopped()) return;
    Loss loss(objective, spec.seed, own, 0, spec.noise);
    ends[i] = descend(loss, starts[i], spec, {}, [&](std::int64_t) { return watch.between(); });
    ends[i].parameters =
        canonical_form(architecture, ends[i].parameters, {.reference = spec.reference, .merge = false})
            .parameters;
    watch.end_start(ends[i].loss);
  });
  drop_unbegun(ends);
  std::stable_sort(ends.begin(), ends.end(), is_lower);
  if (!std::isfinite(ends.front().loss))
    throw NumericError("no start has a finite loss: " + ends.front().cause);
  Minimisation result;
  result.optima = table_of(architecture, ends);
  result.starts = static_cast<int>(ends.size());
  result.best = std::move(ends.front());
  result.interrupted = engine.context().stopped();
  return result;
}

}  // namespace bl::inference
