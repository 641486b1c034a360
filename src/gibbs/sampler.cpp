#include "gibbs/sampler.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <functional>

#include "bl/errors.hpp"
#include "gibbs/adaptation.hpp"
#include "gibbs/categorical.hpp"
#include "gibbs/chain_moves.hpp"

namespace bl::gibbs {

namespace {

// A row no chain has: numbers all chains share.
constexpr std::uint64_t kSharedRow = (std::uint64_t{1} << 48) - 1;
constexpr double kPaperStep = 1.4142135623730951e-2;  // e with e^2/2 = 1e-4
constexpr double kLangevinTarget = 0.98;
constexpr double kMalaTarget = 0.574;
constexpr double kHmcTarget = 0.8;
constexpr Index kMovesBetweenQuestions = 16;  // of a chunk, once chains no longer share what they learn

double target(const SamplerOptions& options) {
  if (options.target_acceptance > 0) return options.target_acceptance;
  if (options.method == Method::hmc) return kHmcTarget;
  return options.method == Method::mala ? kMalaTarget : kLangevinTarget;
}

template <class T>
class Run {
 public:
  Run(const LogDensity<T>& distribution, HybridDensity<T>* hybrid, const Box& box, MatrixView<const T> start,
      const SamplerOptions& options, const Context& job)
      : options_(options), job_(job), hybrid_(hybrid), moves_(distribution, box, start, options.seed) {
    sums_.resize(static_cast<std::size_t>(moves_.chunks()));
    if (hybrid_) {
      chosen_.resize(static_cast<std::size_t>(moves_.chains()));
      log_probabilities_.resize(moves_.chains(), hybrid_->classes());
    }
    settings_.adjusted = options.method != Method::paper;
    if (options.method == Method::paper) settings_.noise = std::sqrt(options.temperature);
    settings_.step = options.step > 0 ? options.step : kPaperStep;
    longest_time_ = settings_.step * static_cast<double>(options.max_leapfrog);
  }

  SamplerResult<T> operator()(const Statistic<T>* statistic) {
    job_.run(sums_.size(), [&](std::size_t chunk) { present(static_cast<Index>(chunk), 0); });
    if (options_.step == 0 && options_.method != Method::paper)
      adapt();
    else
      for (Index move = 0; move < options_.warmup; ++move) everyone(move, settings_at(move));
    if (options_.method == Method::langevin) settings_.adjusted = false;
    return keep_draws(statistic);
  }

 private:
  bool hmc() const { return options_.method == Method::hmc; }

  // Value and gradient where a chunk stands, after a draw of its classes where there are any.
  void present(Index chunk, std::uint32_t round) {
    if (hybrid_) {
      const Index from = moves_.first(chunk), count = moves_.size(chunk);
      const auto chosen =
          std::span(chosen_).subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(count));
      const auto log_probabilities = log_probabilities_.view().row_range(from, count);
      hybrid_->conditional_log_probabilities(from, moves_.points(chunk), log_probabilities);
      categorical_draws<T>(RandomStream(options_.seed, Purpose::sampler_class, round), from,
                           log_probabilities, chosen);
      hybrid_->set_classes(from, chosen);
    }
    moves_.refresh(chunk);
  }

  ChunkSums advance(Index chunk, Index move, const MoveSettings<T>& settings) {
    const auto number = static_cast<std::uint32_t>(move);
    if (hybrid_) present(chunk, number + 1);
    return moves_.advance(chunk, number, settings);
  }

  // hmc draws the length of each trajectory; the others make one step.
  MoveSettings<T> settings_at(Index move) const {
    MoveSettings<T> settings = settings_;
    if (hmc()) {
      const RandomStream stream(options_.seed, Purpose::sampler_accept, static_cast<std::uint32_t>(move));
      settings.leapfrog = steps_for(stream.uniform(kSharedRow, 0) * longest_time_);
    }
    return settings;
  }

  Index steps_for(double time) const {
    const double steps = std::ceil(time / settings_.step);
    return static_cast<Index>(std::clamp(steps, 1.0, static_cast<double>(options_.max_leapfrog)));
  }

  ChunkSums total() const {
    ChunkSums all;
    for (const ChunkSums& sums : sums_) {
      all.acceptance += sums.acceptance;
      all.divergences += sums.divergences;
      all.turned += sums.turned;
    }
    all.acceptance /= static_cast<double>(moves_.chains());
    return all;
  }

  // A move of the warm-up.
  ChunkSums everyone(Index move, const MoveSettings<T>& settings) {
    job_.require_going();
    job_.tell("warm-up moves", move, options_.warmup);
    const auto advance_chunk = [&](std::size_t chunk) {
      sums_[chunk] = advance(static_cast<Index>(chunk), move, settings);
      if (spread_)
        spread_->add(moves_.first(static_cast<Index>(chunk)), moves_.points(static_cast<Index>(chunk)));
    };
    job_.run(sums_.size(), std::ref(advance_chunk));  // by reference: nothing is allocated
    return total();
  }

  // Stan's rule: double or halve the step until the acceptance of a single leapfrog step crosses 0.8.
  double first_step(double step) {
    int direction = 0;
    for (int k = 0; k < 100; ++k, ++trials_) {
      MoveSettings<T> settings;
      settings.step = step;
      job_.run(sums_.size(), [&](std::size_t chunk) {
        sums_[chunk] = moves_.attempt(static_cast<Index>(chunk), trials_, settings);
      });
      const int wanted = total().acceptance > 0.8 ? 1 : -1;
      if (direction != 0 && wanted != direction) break;
      direction = wanted;
      step *= wanted > 0 ? 2.0 : 0.5;
    }
    return step;
  }

  void adapt() {
    const WarmupWindows windows(options_.warmup);
    RunningVariance<T> spread(moves_.chains(), moves_.position().cols());
    DualAveraging averaging(first_step(1.0), target(options_));
    TurningTime turning(4 * averaging.step());
    for (Index move = 0; move < options_.warmup; ++move) {
      settings_.step = averaging.step();
      MoveSettings<T> settings = settings_;
      settings.count_turned = hmc();
      settings.leapfrog = hmc() ? steps_for(turning.time()) : 1;
      spread_ = windows.collects(move) ? &spread : nullptr;
      const ChunkSums sums = everyone(move, settings);
      if (spread_) spread.end_round();
      averaging.update(sums.acceptance);
      const double turned = static_cast<double>(sums.turned) / static_cast<double>(moves_.chains());
      turning.update(turned, settings_.step, settings_.step * static_cast<double>(options_.max_leapfrog));
      if (windows.ends_at(move)) {
        std::vector<T> scale = moves_.scale();
        spread.scales(scale);
        moves_.set_scale(std::move(scale));
        spread.restart();
        averaging = DualAveraging(first_step(averaging.averaged_step()), target(options_));
        turning.restart(4 * averaging.step());
      }
    }
    spread_ = nullptr;
    settings_.step = averaging.averaged_step();
    longest_time_ = std::min(turning.time(), settings_.step * static_cast<double>(options_.max_leapfrog));
  }

  void store(const Statistic<T>* statistic, SamplerResult<T>& result, Index chunk, Index draw) {
    const Index from = moves_.first(chunk), count = moves_.size(chunk);
    const MatrixView<T> out = result.draws.rows(draw, from, count);
    const MatrixView<const T> points = moves_.points(chunk);
    if (statistic)
      statistic->compute(from, points, out);
    else
      for (Index i = 0; i < count; ++i) std::copy_n(points.row(i), points.cols, out.row(i));
    if (hybrid_) std::copy_n(chosen_.data() + from, count, result.classes.row(draw) + from);
  }

  SamplerResult<T> keep_draws(const Statistic<T>* statistic) {
    SamplerResult<T> result;
    const Index columns = statistic ? statistic->columns : moves_.position().cols();
    result.draws = Draws<T>(options_.draws, moves_.chains(), columns);
    if (hybrid_) result.classes.resize(options_.draws, moves_.chains());
    const Index moves = options_.draws * options_.thin;
    std::atomic<std::int64_t> done = 0;  // moves of all chains
    // Chains no longer share anything they learn: one parallel region for all draws.
    job_.run(sums_.size(), [&](std::size_t c) {
      const auto chunk = static_cast<Index>(c);
      sums_[c] = ChunkSums();
      for (Index k = 0; k < moves; ++k) {
        if (k % kMovesBetweenQuestions == 0) {
          job_.require_going();
          if (k > 0)
            job_.tell("moves", done += kMovesBetweenQuestions * moves_.size(chunk), moves * moves_.chains());
        }
        const Index move = options_.warmup + k;
        const ChunkSums sums = advance(chunk, move, settings_at(move));
        sums_[c].acceptance += sums.acceptance;
        sums_[c].divergences += sums.divergences;
        if ((k + 1) % options_.thin == 0) store(statistic, result, chunk, k / options_.thin);
      }
    });
    const ChunkSums sums = total();
    result.acceptance = sums.acceptance / static_cast<double>(moves);
    result.divergences = sums.divergences;
    result.step = settings_.step;
    result.leapfrog = hmc() ? steps_for(longest_time_) : 1;
    result.scale = moves_.scale();
    result.last = moves_.position();
    result.stopped = moves_.stopped();
    return result;
  }

  SamplerOptions options_;
  const Context& job_;
  HybridDensity<T>* hybrid_;
  ChainMoves<T> moves_;
  MoveSettings<T> settings_;
  double longest_time_ = 1;  // of a trajectory of hmc
  std::vector<ChunkSums> sums_;
  std::vector<std::int32_t> chosen_;
  Matrix<T> log_probabilities_;
  RunningVariance<T>* spread_ = nullptr;
  std::uint32_t trials_ = 1;  // 0 is left to callers who draw their starts from the same stream
};

template <class T>
SamplerResult<T> run(const LogDensity<T>& distribution, HybridDensity<T>* hybrid, const Box& box,
                     MatrixView<const T> start, const SamplerOptions& options, const Context& job,
                     const Statistic<T>* statistic) {
  check(options, start.rows);
  box.check(distribution.dimension());
  if (start.cols != distribution.dimension())
    throw UsageError(fmt::format("starts have {} columns, the distribution has {} dimensions", start.cols,
                                 distribution.dimension()));
  SamplerResult<T> result = Run<T>(distribution, hybrid, box, start, options, job)(statistic);
  const Index per_distribution =
      options.chains_per_distribution > 0 ? options.chains_per_distribution : start.rows;
  result.diagnostics = diagnose(result.draws, per_distribution, job);
  result.verdict = verdict(result.diagnostics, result.divergences, per_distribution);
  return result;
}

}  // namespace

void check(const SamplerOptions& options, Index chains) {
  const auto refuse = [](const std::string& text) { throw UsageError("sampler options: " + text); };
  if (chains < 1) refuse("at least one chain is needed");
  if (options.warmup < 0) refuse(fmt::format("warm-up is {}, must not be negative", options.warmup));
  if (options.draws < 1) refuse(fmt::format("draws is {}, must be at least 1", options.draws));
  if (options.thin < 1) refuse(fmt::format("thin is {}, must be at least 1", options.thin));
  if (options.max_leapfrog < 1)
    refuse(fmt::format("max_leapfrog is {}, must be at least 1", options.max_leapfrog));
  if (!(options.step >= 0) || !std::isfinite(options.step))
    refuse(fmt::format("step is {}, must be positive, or 0 to have it learned", options.step));
  if (options.step == 0 && options.warmup == 0 && options.method != Method::paper)
    refuse("without warm-up the step cannot be learned; give a step or some warm-up");
  if (!(options.target_acceptance >= 0 && options.target_acceptance < 1))
    refuse(fmt::format("target acceptance is {}, must be in (0, 1)", options.target_acceptance));
  if (!(options.temperature > 0))
    refuse(fmt::format("temperature is {}, must be positive", options.temperature));
  if (options.chains_per_distribution < 0 ||
      (options.chains_per_distribution > 0 && chains % options.chains_per_distribution != 0))
    refuse(fmt::format("{} chains cannot be shared out to distributions of {} chains each", chains,
                       options.chains_per_distribution));
}

template <class T>
SamplerResult<T> sample(const LogDensity<T>& distribution, const Box& box, MatrixView<const T> start,
                        const SamplerOptions& options, const Context& job, const Statistic<T>* statistic) {
  return run<T>(distribution, nullptr, box, start, options, job, statistic);
}

template <class T>
SamplerResult<T> sample_hybrid(HybridDensity<T>& distribution, const Box& box, MatrixView<const T> start,
                               const SamplerOptions& options, const Context& job,
                               const Statistic<T>* statistic) {
  return run<T>(distribution, &distribution, box, start, options, job, statistic);
}

template SamplerResult<float> sample(const LogDensity<float>&, const Box&, MatrixView<const float>,
                                     const SamplerOptions&, const Context&, const Statistic<float>*);
template SamplerResult<double> sample(const LogDensity<double>&, const Box&, MatrixView<const double>,
                                      const SamplerOptions&, const Context&, const Statistic<double>*);
template SamplerResult<float> sample_hybrid(HybridDensity<float>&, const Box&, MatrixView<const float>,
                                            const SamplerOptions&, const Context&, const Statistic<float>*);
template SamplerResult<double> sample_hybrid(HybridDensity<double>&, const Box&, MatrixView<const double>,
                                             const SamplerOptions&, const Context&, const Statistic<double>*);

}  // namespace bl::gibbs
