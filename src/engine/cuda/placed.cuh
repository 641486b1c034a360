// The rows of an objective and the shape of its model, on the GPU.
#pragma once

#include <memory>
#include <vector>

#include "engine/cuda/launch.cuh"
#include "engine/cuda/memory.cuh"

namespace bl::cuda {

template <class T>
class Placed {
 public:
  Placed(const Objective<T>& objective, cudaStream_t stream);
  // Of rows that are there already, and weigh otherwise now.
  Placed(const Objective<T>& objective, std::shared_ptr<const Placed> like, cudaStream_t stream);

  // For blocks with the parameters in shared memory, and for launches over memory of the GPU. Both keep the
  // parameters in the same order.
  const Plan& resident_plan() const { return model().plan; }
  const Plan& streamed_plan() const { return like_ ? like_->streamed_plan() : streamed_.plan; }
  bool apart() const { return apart_; }
  const PlannedModel& model() const { return like_ ? like_->model() : resident_; }
  const Data<T>& data() const { return data_; }
  const Slot* slots() const { return like_ ? like_->slots() : slots_.data(); }
  bool same_shape(const Placed& other) const;
  bool has_versions() const { return versions_ != nullptr; }
  // Where a row lies in the version that the epoch of this stream reads.
  int place_of(std::int64_t row, const RandomStream& epoch) const {
    return static_cast<int>(versions_ ? row + rows_ * versions_->of(epoch, row) : row);
  }

  std::vector<T> padded(std::span<const T> parameters) const;
  void unpad(std::span<const T> from, std::span<T> parameters) const;

 private:
  void place_weights(const Objective<T>& objective, cudaStream_t stream);
  void place_context(const Objective<T>& objective, cudaStream_t stream);
  // Versions of rows stand behind all rows, version after version.
  void place_versions(const RowVersions<T>& versions, int rows, int stride, cudaStream_t stream);
  void place_alternatives(const Objective<T>& objective, cudaStream_t stream);
  void place_proposal(const Objective<T>& objective, cudaStream_t stream);

  std::shared_ptr<const Placed> like_;  // has everything but the weights; null: nobody else has it
  PlannedModel resident_, streamed_;
  bool apart_ = false;
  Index rows_ = 0;
  const RowVersions<T>* versions_ = nullptr;
  Data<T> data_;
  Array<T> context_, values_, weights_, attributes_, nodes_, log_weights_, own_log_weights_;
  Array<double> boxes_lower_, boxes_upper_, boxes_cumulative_;
  Array<int> classes_, set_begin_, set_classes_, chosen_;
  Array<std::int32_t> term_begin_, factors_;
  Array<Slot> slots_;
};

// Whether two objectives differ in the weights of their rows alone.
template <class T>
bool same_but_weights(const Objective<T>& a, const Objective<T>& b);

}  // namespace bl::cuda
