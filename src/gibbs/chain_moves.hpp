// The state of all chains and one move of a chunk of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/matrix.hpp"
#include "compute/normal_rows.hpp"
#include "gibbs/box.hpp"
#include "gibbs/log_density.hpp"

namespace bl::gibbs {

template <class T>
struct MoveSettings {
  double step = 1;
  Index leapfrog = 1;
  bool adjusted = true;       // Metropolis test at the end
  double noise = 1;           // factor of the momentum: sqrt(tau) in the paper's update
  bool count_turned = false;  // count trajectories that end on their way back
};

// Sums over the chains of a chunk, later added in the order of chunks.
struct ChunkSums {
  double acceptance = 0;
  Index divergences = 0;
  Index turned = 0;
};

template <class T>
class ChainMoves {
 public:
  ChainMoves(const LogDensity<T>& distribution, const Box& box, MatrixView<const T> start,
             std::uint64_t seed);

  Index chains() const { return position_.rows(); }
  Index chunks() const { return (chains() + kChainsPerChunk - 1) / kChainsPerChunk; }
  Index first(Index chunk) const { return chunk * kChainsPerChunk; }
  Index size(Index chunk) const { return std::min(kChainsPerChunk, chains() - first(chunk)); }
  MatrixView<const T> points(Index chunk) const {
    return position_.view().row_range(first(chunk), size(chunk));
  }
  const std::vector<std::uint8_t>& stopped() const { return stopped_; }
  const std::vector<T>& scale() const { return scale_; }
  void set_scale(std::vector<T> scale);
  const Matrix<T>& position() const { return position_; }

  // Value and gradient at the present points of a chunk; NumericError where they are not finite.
  void refresh(Index chunk);
  // One move. `move` numbers it; each number gives other random numbers.
  ChunkSums advance(Index chunk, std::uint32_t move, const MoveSettings<T>& settings);
  // Mean acceptance that one leapfrog step of this size would have, with nobody moved.
  ChunkSums attempt(Index chunk, std::uint32_t trial, const MoveSettings<T>& settings);

 private:
  ChunkSums trajectory(Index chunk, const NormalSource& source, const MoveSettings<T>& settings);
  void begin(Index chunk, const NormalSource& source, const MoveSettings<T>& settings);
  void kick(Index chunk, double factor);
  void drift(Index chunk, double step);
  void abandon(Index chain);
  void drop_non_finite(Index chunk);
  Index count_turned(Index chunk) const;
  double energy_gain(Index chain) const;
  bool all_alive(Index chunk) const;
  void take(Index chain, Index count);
  void take_unadjusted(Index chunk, ChunkSums& sums);

  const LogDensity<T>& distribution_;
  std::uint64_t seed_;
  std::vector<T> lower_, upper_, scale_;
  std::vector<T> chunk_scale_;  // scale_ once for every chain of a chunk
  bool walls_;
  Matrix<T> position_, gradient_, proposal_, proposal_gradient_, momentum_;
  std::vector<T> value_, proposal_value_;
  std::vector<double> kinetic_;      // of the fresh momentum
  std::vector<std::uint8_t> alive_;  // in the present trajectory
  std::vector<std::uint8_t> stopped_;
};

extern template class ChainMoves<float>;
extern template class ChainMoves<double>;

}  // namespace bl::gibbs
