// A stack of affine layers as a function of the values alone, for points whose contexts stay: what samplers
// ask for at every step. The contexts' part of the first layer is computed once; points stand in the lanes of
// vectors.
#pragma once

#include <vector>

#include "compute/lane_kernels.hpp"
#include "model/network.hpp"

namespace bl {

// All intermediates of kLanePoints points.
template <class T>
struct LaneWorkspace {
  std::vector<AlignedVector<T>> heads, s;  // per layer
  AlignedVector<T> d_s;
};

template <class T>
class LaneNetwork {
 public:
  // Scalar form without classes, affine basis, no skips.
  static bool supports(const Architecture& architecture);

  // Network and parameters must outlive this; the architecture must be supported.
  LaneNetwork(const Network<T>& network, const PreparedParameters<T>& parameters);

  // Numbers that `context_heads` writes.
  Index context_heads_size() const { return layers_.front().shape.total() * kLanePoints; }
  // Bias and context part of the first layer's heads for at most kLanePoints points (heads x kLanePoints);
  // context is points x context, the lanes beyond get the bias.
  void context_heads(MatrixView<const T> context, T* out) const;

  // values, gradient: values x kLanePoints. scores[p] = factor * BL and, where gradient is not null, its
  // gradient.
  void evaluate(const T* context_heads, const T* values, T factor, LaneWorkspace<T>& ws, T* scores,
                T* gradient) const;

 private:
  struct Layer {
    BlockShape shape;
    StridedMatrix<T> weights;  // heads x what varies: the values, or the blocks of the layer before
    const T* lambda = nullptr;
  };

  void backward(T factor, LaneWorkspace<T>& ws, T* gradient) const;

  Index context_ = 0;
  std::vector<Layer> layers_;
  std::vector<AlignedVector<T>> biases_;  // per layer: heads x kLanePoints
  std::vector<T> readout_;
  T readout_bias_ = 0;
};

}  // namespace bl
