// The engine of an NVIDIA GPU. Rows, parameters and the optimizer's state stay on it; an epoch is one launch
// for models that fit into a block's shared memory (resident.cu), a recorded graph per step for larger ones
// (streamed.cu). Fits side by side are one launch (batcher.cu).
#pragma once

#include <map>
#include <memory>
#include <vector>

#include "engine/cuda/batcher.cuh"
#include "engine/cuda/streamed.cuh"
#include "engine/engine.hpp"

namespace bl::cuda {

// Rows of a batch on the GPU: losses are asked for at the same ones again and again.
struct KeptRows {
  std::vector<std::int64_t> rows;
  Array<int> there;
};

template <class T>
class CudaEngine : public Engine<T> {
 public:
  using Engine<T>::Engine;
  ~CudaEngine() override { cudaStreamSynchronize(stream_); }  // before its memory is handed on

  LossSum loss(RowSet from, const Batch& batch, const Noise& noise, std::span<const T> parameters,
               std::span<T> gradient) override;
  void write(const Network<T>& network, const UpdateSpec& spec, const LearnerState<T>& state) override;
  void read(LearnerState<T>& state) const override;
  StepReport step(RowSet from, const Batch& batch, const Noise& noise, double rate) override;
  StepsReport steps(const StepPlan& plan, const std::function<bool()>& should_stop) override;
  gibbs::SamplerResult<T> run_chains(const ChainPlan<T>& plan) override;
  void together(std::size_t count, double numbers_per_step, const typename Engine<T>::Fit& fit) override;
  std::size_t at_once(std::size_t count, double numbers_per_step) const override;

 protected:
  void place(const Objective<T>& objective) override;
  std::unique_ptr<Engine<T>> another(const Context& context) const override;

 private:
  using PlacedPointer = std::shared_ptr<const Placed<T>>;
  void attach(RowSet from);  // the learner's state in the order of these rows' model
  void run(Request<T>& request, std::size_t from, std::size_t to);
  const int* kept_rows(RowSet from, std::span<const std::int64_t> rows);
  LossSum sum_of(const Plan& plan, const double* parts) const;

  Stream stream_;
  std::vector<PlacedPointer> placed_;
  std::map<const Objective<T>*, PlacedPointer> inherited_;
  std::shared_ptr<Meeting<T>> meeting_;
  int beside_ = 1;  // fits that run side by side
  std::map<RowSet, KeptRows> kept_rows_;
  Scratch<T> scratch_;
  std::unique_ptr<Streamed<T>> streamed_;
  Learner<T> learner_;
  LearnerState<T> host_;  // what was written, until steps need it
  const ParameterLayout* layout_ = nullptr;
  PlacedPointer attached_;  // null: the state is host_
};

}  // namespace bl::cuda
