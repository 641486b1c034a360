#include "evidence/identification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "base/clock.hpp"
#include "bl/errors.hpp"
#include "check/recovery_round.hpp"
#include "evidence/known_models.hpp"
#include "evidence/slopes.hpp"
#include "plan/device_plan.hpp"

namespace bl {

namespace {

using simulation::known_model, simulation::known_models, simulation::likelihood_objective;
using simulation::PlantedProblem, simulation::Replication, simulation::Replicator, simulation::ResponseKind;

constexpr Index kBoundRows = 20000;  // simulated for the information bound

constexpr std::size_t kSmallestSize = 100;
constexpr double kNoise = 0.01;  // of score matching, balanced: its square is the bias
constexpr int kNoiseDraws = 2;

struct Case {
  const PlantedProblem* problem = nullptr;
  bool score_matching = false;

  ObjectiveSpec objective() const {
    ObjectiveSpec spec = likelihood_objective(*problem);
    if (!score_matching) return spec;
    spec = {};
    spec.temperature = problem->temperature;
    spec.kind = ObjectiveKind::score_matching;
    spec.sigma = kNoise;
    spec.draws = kNoiseDraws;
    return spec;
  }
  // Points that a row costs, for the time left.
  double points() const {
    if (score_matching) return 2 * kNoiseDraws;
    if (problem->kind() == ResponseKind::continuous)
      return static_cast<double>(likelihood_objective(*problem).rule.size());
    return problem->choice_sets ? problem->choice_sets->largest
                                : static_cast<double>(problem->class_names.size());
  }
};

// The density falls below e^-6 of its peak at both ends, so that score matching, which knows no ends, holds.
bool dies_out(const PlantedProblem& problem) {
  return problem.name == "single_number";
}

std::vector<Case> cases_of(const IdentificationOptions& spec) {
  std::vector<Case> cases;
  const auto add = [&](const PlantedProblem& problem) {
    cases.push_back({&problem, false});
    if (dies_out(problem)) cases.push_back({&problem, true});
  };
  for (const std::string& name : spec.models) add(known_model(name));
  if (spec.models.empty())
    for (const PlantedProblem& problem : known_models()) add(problem);
  return cases;
}

void check(const IdentificationOptions& spec) {
  if (spec.replications < 2) throw UsageError("coverage needs at least 2 replications");
  for (const std::size_t rows : spec.sizes)
    if (rows < kSmallestSize)
      throw UsageError(
          fmt::format("{} rows are too few to fit; give sizes of at least {}", rows, kSmallestSize));
  if (spec.coverage_rows < kSmallestSize)
    throw UsageError(
        fmt::format("{} rows are too few to fit; give at least {}", spec.coverage_rows, kSmallestSize));
}

std::vector<std::size_t> sizes_of(const IdentificationOptions& spec) {
  std::vector<std::size_t> sizes = spec.sizes;
  sizes.push_back(spec.coverage_rows);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// Data are a function of seed, model, size and replication; both objectives see the same.
std::uint64_t data_seed(const IdentificationOptions& spec, const PlantedProblem& problem, std::size_t rows,
                        std::size_t replication) {
  std::uint64_t seed = spec.seed;
  const auto mix = [&](std::uint64_t part) {
    seed = (seed ^ part) * 0x9E3779B97F4A7C15ULL + 0x2545F4914F6CDD1DULL;
  };
  mix(static_cast<std::uint64_t>(&problem - known_models().data()));
  mix(rows);
  mix(replication);
  return seed;
}

std::vector<std::string> names_at(const PlantedProblem& problem, const std::vector<Index>& positions) {
  const std::vector<std::string> all = parameter_names(problem);
  std::vector<std::string> names;
  for (const Index position : positions) names.push_back(all[static_cast<std::size_t>(position)]);
  return names;
}

class Progress {
 public:
  Progress(const std::vector<Case>& cases, const IdentificationOptions& spec, const Context& job)
      : job_(job) {
    for (const Case& one : cases)
      for (const std::size_t rows : sizes_of(spec))
        total_ += one.points() * static_cast<double>(rows) * static_cast<double>(replications_at(spec, rows));
  }
  void add(double points) {
    const std::lock_guard<std::mutex> lock(mutex_);
    done_ += points;
    const double share = done_ / total_;
    job_.tell(fmt::format("{:.0f}% of the replications, {}", 100 * share, time_left(job_.seconds(), share)));
  }

 private:
  const Context& job_;
  std::mutex mutex_;
  double total_ = 0, done_ = 0;
};

struct Task {
  std::size_t size = 0;
  std::size_t replication = 0;
};

IdentificationModel run_case(const Case& one, const IdentificationOptions& spec, const Context& job,
                             Progress& progress) {
  const PlantedProblem& problem = *one.problem;
  const Replicator replicator(
      problem, {.objective = one.objective(), .starts = spec.starts, .balanced_noise = one.score_matching});
  const std::vector<std::size_t> sizes = sizes_of(spec);
  std::vector<std::vector<Replication>> results(sizes.size());
  std::vector<Task> tasks;  // the longest first
  for (std::size_t s = sizes.size(); s-- > 0;) {
    results[s].resize(replications_at(spec, sizes[s]));
    for (std::size_t r = 0; r < results[s].size(); ++r) tasks.push_back({s, r});
  }
  constexpr double kShortStep = 0;  // replications run side by side whatever their length
  const auto engine = make_engine<double>(job);
  engine->together(tasks.size(), kShortStep, [&](std::size_t i, Engine<double>& own_engine) {
    const auto [s, r] = tasks[i];
    const std::uint64_t seed = data_seed(spec, problem, sizes[s], r);
    results[s][r] = replicator.run(
        simulate(problem, static_cast<Index>(sizes[s]), seed, own_engine.context()), seed, own_engine);
    progress.add(one.points() * static_cast<double>(sizes[s]));
  });
  const Target target = {
      names_at(problem, replicator.positions()), replicator.truth(),
      replicator.information_bound(simulate(problem, kBoundRows, data_seed(spec, problem, 0, 0), job),
                                   likelihood_objective(problem), job)};
  IdentificationModel out;
  out.name = problem.name;
  out.description = problem.description;
  out.objective = one.score_matching ? "score matching" : "likelihood";
  out.noise = one.score_matching ? kNoise : 0;
  std::vector<SizedErrors> errors;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    if (sizes[s] == spec.coverage_rows) out.coverage_size = s;
    out.sizes.push_back(recovery_round(sizes[s], results[s], target));
    errors.push_back({static_cast<double>(sizes[s]), scaled_errors(results[s], target)});
  }
  const Slope slope = slope_of_means(errors), pooled = slope_of_replications(errors);
  out.slope = slope.slope;
  out.slope_error = slope.standard_error;
  out.pooled_slope = pooled.slope;
  out.pooled_slope_error = pooled.standard_error;
  return out;
}

}  // namespace

std::size_t replications_at(const IdentificationOptions& spec, std::size_t rows) {
  if (rows == spec.coverage_rows) return spec.replications;
  const auto as_many_rows =
      static_cast<std::size_t>(static_cast<double>(spec.replications) *
                               static_cast<double>(spec.coverage_rows) / static_cast<double>(rows));
  return std::clamp(as_many_rows, std::max<std::size_t>(2, spec.replications / 5), spec.replications);
}

std::vector<IdentificationModel> reproduce_identification(
    const IdentificationOptions& spec, const std::function<void(double, const std::string&)>& progress) {
  check(spec);
  const double rows = static_cast<double>(spec.coverage_rows) * side_by_side(spec.replications);
  const Context job = Context(spec.threads, {.should_stop = spec.should_stop, .on_progress = progress})
                          .on(plan_device(spec.device, rows, "").device);
  const std::vector<Case> cases = cases_of(spec);
  Progress reporter(cases, spec, job);
  std::vector<IdentificationModel> out;
  for (const Case& one : cases) out.push_back(run_case(one, spec, job, reporter));
  return out;
}

}  // namespace bl
