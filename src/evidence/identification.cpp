#include "evidence/identification.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>

#include "base/clock.hpp"
#include "bl/errors.hpp"

namespace bl::simulation {

namespace {

constexpr int kPanels = 4;  // of 8 nodes: off by less than a fifth of an error at 32,000 rows
constexpr Index kSmallestSize = 100;
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
    if (problem->kind() == ResponseKind::continuous) return 8 * kPanels;
    return problem->choice_sets ? problem->choice_sets->largest
                                : static_cast<double>(problem->class_names.size());
  }
};

// The density falls below e^-6 of its peak at both ends, so that score matching, which knows no ends, holds.
bool dies_out(const PlantedProblem& problem) {
  return problem.name == "single_number";
}

std::vector<Case> cases_of(const IdentificationSpec& spec) {
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

void check(const IdentificationSpec& spec) {
  if (spec.replications < 2) throw UsageError("coverage needs at least 2 replications");
  for (const Index rows : spec.sizes)
    if (rows < kSmallestSize)
      throw UsageError(
          fmt::format("{} rows are too few to fit; give sizes of at least {}", rows, kSmallestSize));
  if (spec.coverage_rows < kSmallestSize)
    throw UsageError(
        fmt::format("{} rows are too few to fit; give at least {}", spec.coverage_rows, kSmallestSize));
}

std::vector<Index> sizes_of(const IdentificationSpec& spec) {
  std::vector<Index> sizes = spec.sizes;
  sizes.push_back(spec.coverage_rows);
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

// Data are a function of seed, model, size and replication; both objectives see the same.
std::uint64_t data_seed(const IdentificationSpec& spec, const PlantedProblem& problem, Index rows,
                        std::size_t replication) {
  std::uint64_t seed = spec.seed;
  const auto mix = [&](std::uint64_t part) {
    seed = (seed ^ part) * 0x9E3779B97F4A7C15ULL + 0x2545F4914F6CDD1DULL;
  };
  mix(static_cast<std::uint64_t>(&problem - known_models().data()));
  mix(static_cast<std::uint64_t>(rows));
  mix(replication);
  return seed;
}

class Progress {
 public:
  Progress(const std::vector<Case>& cases, const IdentificationSpec& spec, const Context& job) : job_(job) {
    for (const Case& one : cases)
      for (const Index rows : sizes_of(spec))
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

ModelEvidence run_case(const Case& one, const IdentificationSpec& spec, const Context& job,
                       Progress& progress) {
  const PlantedProblem& problem = *one.problem;
  const Replicator replicator(
      problem, {.objective = one.objective(), .starts = spec.starts, .balanced_noise = one.score_matching});
  const std::vector<Index> sizes = sizes_of(spec);
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
    results[s][r] = replicator.run(simulate(problem, sizes[s], seed, own_engine.context()), seed, own_engine);
    progress.add(one.points() * static_cast<double>(sizes[s]));
  });
  ModelEvidence out;
  out.name = problem.name;
  out.description = problem.description;
  out.score_matching = one.score_matching;
  out.noise = one.score_matching ? kNoise : 0;
  const std::vector<std::string> names = parameter_names(problem);
  for (const Index position : replicator.positions())
    out.parameters.push_back(names[static_cast<std::size_t>(position)]);
  const std::vector<double> bound =
      replicator.information_bound(simulate(problem, spec.bound_rows, data_seed(spec, problem, 0, 0), job),
                                   likelihood_objective(problem), job);
  std::vector<SizedErrors> errors;
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    if (sizes[s] == spec.coverage_rows) out.coverage_size = s;
    out.sizes.push_back(size_evidence(sizes[s], results[s], replicator.truth(), bound));
    errors.push_back({static_cast<double>(sizes[s]), out.sizes.back().errors});
  }
  out.slope = slope_of_means(errors);
  out.pooled_slope = slope_of_replications(errors);
  return out;
}

}  // namespace

ObjectiveSpec likelihood_objective(const PlantedProblem& problem) {
  ObjectiveSpec spec;
  spec.temperature = problem.temperature;
  if (problem.kind() == ResponseKind::continuous) spec.rule = composite_rule(problem.support, kPanels);
  return spec;
}

std::size_t replications_at(const IdentificationSpec& spec, Index rows) {
  if (rows == spec.coverage_rows) return spec.replications;
  const auto as_many_rows =
      static_cast<std::size_t>(static_cast<double>(spec.replications) *
                               static_cast<double>(spec.coverage_rows) / static_cast<double>(rows));
  return std::clamp(as_many_rows, std::max<std::size_t>(2, spec.replications / 5), spec.replications);
}

std::vector<ModelEvidence> identification_evidence(const IdentificationSpec& spec, const Context& job) {
  check(spec);
  const std::vector<Case> cases = cases_of(spec);
  Progress reporter(cases, spec, job);
  std::vector<ModelEvidence> out;
  for (const Case& one : cases) out.push_back(run_case(one, spec, job, reporter));
  return out;
}

}  // namespace bl::simulation
