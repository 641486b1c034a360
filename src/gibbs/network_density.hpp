// A network as a distribution for the samplers: chain i has the context of row i / chains_per_row and, where
// the response has classes, a class of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "gibbs/log_density.hpp"
#include "model/lane_network.hpp"

namespace bl::gibbs {

template <class T>
class NetworkDensity : public HybridDensity<T> {
 public:
  // context: rows x context columns; chains = rows * chains_per_row. Network and parameters must outlive
  // this.
  NetworkDensity(const Network<T>& network, const PreparedParameters<T>& parameters, double temperature,
                 Matrix<T> context, Index rows, Index chains_per_row);

  Index dimension() const override { return network_.architecture().input.values; }
  Index classes() const override;
  void evaluate(Index first, MatrixView<const T> points, std::span<T> value,
                MatrixView<T> gradient) const override;
  void conditional_log_probabilities(Index first, MatrixView<const T> points,
                                     MatrixView<T> out) const override;
  void set_classes(Index first, std::span<const std::int32_t> chosen) override;

 private:
  struct Scratch {
    NetworkWorkspace<T> network;
    std::vector<std::int32_t> begin, classes;
    Matrix<T> values, d_scores;
    LaneWorkspace<T> lanes;
    AlignedVector<T> lane_values, lane_gradient, lane_scores;
  };
  // The context's part of the first layer, once and for all; only where it fits.
  void prepare_lanes(Index chains);
  void evaluate_in_lanes(Index first, MatrixView<const T> points, std::span<T> value,
                         MatrixView<T> gradient) const;
  // The context rows of chains first ... first + chains - 1, each chain with `copies` points.
  MatrixView<const T> place(Index first, Index chains, Index copies, Scratch& scratch) const;
  Scratch& scratch_of(Index first) const {
    return scratch_[static_cast<std::size_t>(first / kChainsPerChunk)];
  }
  bool one_hot() const { return network_.architecture().input.classes > 0; }

  const Network<T>& network_;
  const PreparedParameters<T>& parameters_;
  T inverse_temperature_;
  Matrix<T> context_;
  Index chains_per_row_;
  std::vector<std::int32_t> chain_classes_;
  mutable std::vector<Scratch> scratch_;  // one per chunk of chains
  std::optional<LaneNetwork<T>> lanes_;   // where the network allows it
  Matrix<T> context_heads_;               // per kLanePoints chains
};

}  // namespace bl::gibbs
