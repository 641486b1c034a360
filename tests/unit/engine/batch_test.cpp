#include "engine/cpu/batch.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "support/random_problem.hpp"
#include "support/thread_ranks.hpp"

namespace bl {
namespace {

using test::Problem;
using test::Task;

// 300 x 120 weights of the context: wide enough for their product to stand apart.
template <class T>
Problem<T> wide_problem(Task task, Index rows) {
  InputShape input = test::input_shape(task);
  input.context = 300;
  Architecture a = test::vector_form(task) ? stacked_vector(input, {40, 3}, 3) : stacked(input, {40, 3});
  return test::random_problem<T>(task, a, rows, 7);
}

template <class T>
struct Evaluation {
  double loss;
  std::vector<T> gradient;
};

std::vector<std::int64_t> every_second(Index rows) {
  std::vector<std::int64_t> order;
  for (Index i = rows; i-- > 0;)
    if (i % 2 == 0) order.push_back(i);
  return order;
}

template <class T>
Evaluation<T> evaluate(const Objective<T>& objective, const Problem<T>& problem,
                       std::span<const T> parameters, std::size_t threads) {
  const Context job(threads);
  BatchEvaluator<T> evaluator(objective, job);
  Evaluation<T> out{0, std::vector<T>(parameters.size(), T(99))};
  const auto rows = every_second(problem.rows);
  // Twice: what the first left behind must not matter.
  for (int i = 0; i < 2; ++i)
    out.loss = evaluator.evaluate(parameters, rows, problem.given_noise(), 0.01, out.gradient).loss;
  return out;
}

// The same rows as one chunk, the context's product within it.
template <class T>
Evaluation<T> as_one_chunk(const Objective<T>& objective, const Problem<T>& problem,
                           std::span<const T> parameters) {
  const Network<T>& network = objective.network();
  PreparedParameters<T> prepared;
  network.prepare(parameters, prepared);
  ObjectiveWorkspace<T> workspace;
  GradientSum<T> sums;
  network.clear(sums);
  const auto rows = every_second(problem.rows);
  const LossSum loss = objective.chunk(prepared, rows, problem.given_noise(), 0.01, workspace, &sums);
  network.finish(prepared, sums);
  return {loss.loss, {sums.flat.begin(), sums.flat.end()}};
}

template <class T>
void expect_context_apart_changes_nothing(Task task, double tolerance) {
  SCOPED_TRACE(test::name(task));
  const auto problem = wide_problem<T>(task, 203);
  const Network<T> network(problem.architecture);
  const Objective<T> objective(network, problem.spec, problem.data());
  ASSERT_TRUE(objective.context_apart(102));
  const auto exact = test::random_parameters(network.layout(), 3);
  const std::vector<T> parameters(exact.begin(), exact.end());
  const auto apart = evaluate<T>(objective, problem, parameters, 1);
  const auto whole = as_one_chunk<T>(objective, problem, parameters);
  EXPECT_NEAR(apart.loss, whole.loss, tolerance * std::abs(whole.loss));
  T largest = 0;
  for (const T g : whole.gradient) largest = std::max(largest, std::abs(g));
  for (std::size_t i = 0; i < parameters.size(); ++i)
    ASSERT_NEAR(apart.gradient[i], whole.gradient[i], tolerance * static_cast<double>(largest)) << i;
  for (const std::size_t threads : {2U, 3U, 5U}) {
    const auto shared = evaluate<T>(objective, problem, parameters, threads);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(shared.loss), std::bit_cast<std::uint64_t>(apart.loss));
    EXPECT_EQ(shared.gradient, apart.gradient) << threads << " threads";
  }
  for (const std::size_t size : {2U, 3U, 8U})
    test::run_ranks(size, [&](std::size_t rank) {
      const auto shared = evaluate<T>(objective, problem, parameters, 2);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(shared.loss), std::bit_cast<std::uint64_t>(apart.loss));
      EXPECT_EQ(shared.gradient, apart.gradient) << "rank " << rank << " of " << size;
    });
}

// Sums of some hundred terms in another order: a few hundred roundings at most.
TEST(BatchEvaluator, TheContextApartGivesTheSameGradientOnAnyNumberOfThreads) {
  for (const Task task : {Task::classes, Task::vector, Task::choice, Task::choice_named}) {
    expect_context_apart_changes_nothing<double>(task, 1e-13);
    expect_context_apart_changes_nothing<float>(task, 1e-4);
  }
}

TEST(BatchEvaluator, TheContextStaysWhereItDoesNotPayOrCannotBeTakenOut) {
  const auto wide = wide_problem<double>(Task::classes, 8);
  const Network<double> network(wide.architecture);
  const Objective<double> objective(network, wide.spec, wide.data());
  EXPECT_TRUE(objective.context_apart(300));
  EXPECT_FALSE(objective.context_apart(301)) << "long batches";
  Architecture skipping = wide.architecture;
  skipping.skip = Skip::input;
  EXPECT_FALSE(Network<double>(skipping).wide_context()) << "another layer reads the context";
  Architecture narrow = wide.architecture;
  narrow.input.context = 200;
  EXPECT_FALSE(Network<double>(narrow).wide_context()) << "few weights";
  const auto scores = wide_problem<double>(Task::dsm_1d, 8);
  const Network<double> other(scores.architecture);
  EXPECT_FALSE(Objective<double>(other, scores.spec, scores.data()).context_apart(8)) << "score matching";
}

}  // namespace
}  // namespace bl
