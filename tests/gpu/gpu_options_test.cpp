// Every option of an objective and of an update rule, one at a time, on the GPU beside the reference engine:
// what the GPU left out would be a wrong number.
#include <functional>
#include <string>

#include "gpu/gpu_fixture.hpp"

namespace bl::test {
namespace {

constexpr Path kPaths[] = {Path::shared_memory, Path::heads_apart, Path::memory};

void take(Path path) {
  cuda::tuning() = {.wide_context = path == Path::heads_apart ? 0 : 4096, .streamed = path == Path::memory};
}

struct ObjectiveOption {
  std::string name;
  Task task;
  std::function<void(Problem<double>&)> set;
};

std::vector<ObjectiveOption> objective_options() {
  return {
      {"label_smoothing, scalar", Task::classes, [](auto& p) { p.spec.label_smoothing = 0.2; }},
      {"label_smoothing, vector", Task::vector, [](auto& p) { p.spec.label_smoothing = 0.3; }},
      {"temperature", Task::classes, [](auto& p) { p.spec.temperature = 1.9; }},
      {"versions, scalar", Task::classes,
       [](auto& p) { p.versions = random_versions<double>(p.context.cols()); }},
      {"versions, vector", Task::vector,
       [](auto& p) { p.versions = random_versions<double>(p.context.cols()); }},
      {"weights", Task::vector, [](auto& p) { p.weights.assign(p.weights.size(), 2.5); }},
      {"weights of zero", Task::choice, [](auto& p) { p.weights[3] = 0; }},
      {"no weights", Task::hybrid, [](auto& p) { p.weights.clear(); }},
      {"available", Task::choice_named, [](auto& p) { p.available.clear(); }},
      {"rule", Task::density_1d,
       [](auto& p) {
         p.spec.rule = composite_rule({{-3}, {4}}, 2);
       }},
      {"draws", Task::dsm_3d, [](auto& p) { p.spec.draws = 3; }},
      {"gamma_discrete", Task::hybrid, [](auto& p) { p.spec.gamma_discrete = 0; }},
      {"gamma_continuous", Task::hybrid_vector, [](auto& p) { p.spec.gamma_continuous = 0; }},
  };
}

TEST_F(Gpu, EveryOptionOfAnObjectiveCounts) {
  for (const ObjectiveOption& option : objective_options()) {
    const Fixture<double> plain(option.task, 20, 20, {4, 3});
    Problem<double> problem = plain.problem;
    option.set(problem);
    const Objective<double> changed(plain.network, problem.spec, problem.data());
    const std::vector<double>& at = plain.state.parameters;
    const Noise noise{RandomStream(5, Purpose::score_noise, 3), 0.3, {}};
    ReferenceEngine<double> reference(Context(1));
    const Evaluation truth = evaluate<double>(reference, changed, at, noise);
    const double before = evaluate<double>(reference, plain.objective, at, noise).sum.loss;
    ASSERT_GT(std::abs(truth.sum.loss - before), 1e-6) << option.name << " has no effect in this test";
    for (const Path path : kPaths) {
      SCOPED_TRACE(option.name + ", path " + std::to_string(static_cast<int>(path)));
      take(path);
      const Evaluation ours = evaluate<double>(*make_engine<double>(gpu_context()), changed, at, noise);
      EXPECT_NEAR(ours.sum.loss, truth.sum.loss, 1e-12 * (1 + std::abs(truth.sum.loss)));
      EXPECT_NEAR(ours.sum.weight, truth.sum.weight, 1e-12 * truth.sum.weight);
      expect_near(ours.gradient, truth.gradient, 1e-11);
    }
  }
}

struct UpdateOption {
  std::string name;
  OptimizerKind kind;
  std::function<void(UpdateSpec&, std::size_t parameters)> set;
};

std::vector<UpdateOption> update_options() {
  using enum OptimizerKind;
  const auto decay = [](UpdateSpec& s, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) s.optimizer.decay.push_back(0.1 * static_cast<double>(i % 3));
  };
  return {
      {"beta1", adam, [](auto& s, auto) { s.optimizer.beta1 = 0.5; }},
      {"beta2", adam, [](auto& s, auto) { s.optimizer.beta2 = 0.9; }},
      {"epsilon", adam, [](auto& s, auto) { s.optimizer.epsilon = 0.1; }},
      {"momentum", sgd, [](auto& s, auto) { s.optimizer.momentum = 0.3; }},
      {"weight_decay, adam", adam, [](auto& s, auto) { s.optimizer.weight_decay = 0.2; }},
      {"weight_decay, adamw", adamw, [](auto& s, auto) { s.optimizer.weight_decay = 0.2; }},
      {"weight_decay, sgd", sgd, [](auto& s, auto) { s.optimizer.weight_decay = 0.2; }},
      {"decay of each, adam", adam, decay},
      {"decay of each, adamw", adamw, decay},
      {"decay of each, sgd", sgd, decay},
      {"clip_norm", sgd, [](auto& s, auto) { s.clip_norm = 0.05; }},
      {"average", sgd, [](auto& s, auto) { s.average = 0.9; }},
      {"bounds", sgd,
       [](auto& s, std::size_t n) {
         for (std::size_t i = 0; i < n; ++i) s.bounds.push_back(static_cast<Bound>(i % 3));
       }},
  };
}

TEST_F(Gpu, EveryOptionOfAnUpdateCounts) {
  const Fixture<double> f(Task::vector, 70, 16, {4, 3});
  for (const UpdateOption& option : update_options()) {
    UpdateSpec plain, spec;
    plain.optimizer.kind = spec.optimizer.kind = option.kind;
    option.set(spec, f.state.parameters.size());
    ReferenceEngine<double> reference(Context(1)), before(Context(1));
    const LearnerState<double> truth = f.after_steps(reference, spec), base = f.after_steps(before, plain);
    ASSERT_TRUE(truth.parameters != base.parameters || truth.averaged != base.averaged)
        << option.name << " has no effect in this test";
    for (const Path path : kPaths) {
      SCOPED_TRACE(option.name + ", path " + std::to_string(static_cast<int>(path)));
      take(path);
      const LearnerState<double> ours = f.after_steps(*make_engine<double>(gpu_context()), spec);
      const double tolerance = option.kind == OptimizerKind::sgd ? 1e-12 : 1e-8;
      expect_near(ours.parameters, truth.parameters, tolerance);
      expect_near(ours.averaged, truth.averaged, tolerance);
    }
  }
}

}  // namespace
}  // namespace bl::test
