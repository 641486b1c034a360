// Where a model is computed. An engine owns rows, parameters, the optimizer's state and chains on its device.
// Whoever trains decides which rows are used and when, and does not know where.
//
// Every verb is a batch of rows or more. Rows are named by their numbers, noise by a counter-based stream
// (seed, purpose, epoch), and sums are taken over lanes that shapes alone fix: so nothing depends on the
// number of threads, or on which device or rank holds a row. docs/design.md says how to add an engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "engine/chains.hpp"
#include "engine/update_rule.hpp"
#include "objective/objective.hpp"

namespace bl {

// Rows that an engine has loaded, by the order of loading.
using RowSet = std::size_t;

// Rows of one step. The gradient is scale times that of the sum of their losses.
struct Batch {
  std::span<const std::int64_t> rows;
  double scale = 1;
};

// Steps one after the other, from rows of one set.
struct StepPlan {
  RowSet from = 0;
  std::span<const Batch> batches;
  Noise noise;
  double rate = 0;  // learning rate
};

// One step: the loss and the norm of the gradient before it. Where either is not finite it is not taken.
struct StepReport {
  LossSum loss;
  double gradient_norm = 0;  // before clipping
  bool taken = false;
};

struct StepsReport {
  LossSum loss;           // of all steps taken, in their order
  double first_loss = 0;  // mean of the first
  StepReport last;        // the last that was tried
  std::size_t taken = 0;
  bool stopped = false;  // by the caller
};

template <class T>
class Engine {
 public:
  explicit Engine(Context context) : context_(std::move(context)) {}
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const Context& context() const { return context_; }

  // Takes the rows of an objective to the device, once: the same objective gives the same set. It must
  // live for as long as the engine is asked about it.
  RowSet load(const Objective<T>& objective);

  // Sum of the losses of these rows at given parameters. Where gradient is not empty it becomes batch.scale
  // times the derivative.
  virtual LossSum loss(RowSet from, const Batch& batch, const Noise& noise, std::span<const T> parameters,
                       std::span<T> gradient) = 0;

  // Takes a learner's state to the device; steps go on from it by this rule.
  virtual void write(const Network<T>& network, const UpdateSpec& spec, const LearnerState<T>& state) = 0;
  // And back.
  virtual void read(LearnerState<T>& state) const = 0;

  // One step of the update rule.
  virtual StepReport step(RowSet from, const Batch& batch, const Noise& noise, double rate) = 0;
  // Many steps: until one is not taken or should_stop, which is asked after every step, or less often by an
  // engine whose steps are short. It may be empty.
  virtual StepsReport steps(const StepPlan& plan, const std::function<bool()>& should_stop);

  // The same draws for any number of threads.
  virtual gibbs::SamplerResult<T> run_chains(const ChainPlan<T>& plan) = 0;

  // Several fits that do not depend on each other, of models of one shape: members, starts, resamples,
  // trials. fit(i, engine) gets an engine of its own that shares the loaded rows, on any thread. Handed over
  // as one piece of work, so that an engine may run steps of several fits as one. numbers_per_step:
  // intermediate numbers of a step. A fit is bit-identical whichever others run beside it and when they ask;
  // a GPU cuts its sums by how many they are. The exception of the lowest index is rethrown.
  using Fit = std::function<void(std::size_t, Engine<T>&)>;
  virtual void together(std::size_t count, double numbers_per_step, const Fit& fit);
  // How many of them run at once.
  virtual std::size_t at_once(std::size_t /*count*/, double /*numbers_per_step*/) const { return 1; }

 protected:
  // Objective number loaded().size() - 1 is new.
  virtual void place(const Objective<T>& objective) = 0;
  // An empty engine of the same kind.
  virtual std::unique_ptr<Engine<T>> another(const Context& context) const = 0;

  const std::vector<const Objective<T>*>& loaded() const { return loaded_; }

 private:
  Context context_;
  std::vector<const Objective<T>*> loaded_;
};

// The engine of this context's device.
template <class T>
std::unique_ptr<Engine<T>> make_engine(const Context& context);

}  // namespace bl
