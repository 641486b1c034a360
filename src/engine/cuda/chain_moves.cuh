// The moves of gibbs/sampler.hpp, of one chain between two evaluations of its log-density. A State holds the
// chain, in shared memory (chain_worker.cuh) or in registers (lane_worker.cuh):
//   each(f)                     f(j) for every coordinate
//   q(j), g(j), value()         where it stands, the gradient and the log-density there
//   y(j), slope(j), proposed()  the same of the proposal
//   p(j), kinetic()             its momentum, and the kinetic energy of the move's start
//   alive(), stopped(), divergences(), acceptance()
#pragma once

#include "engine/cuda/chain_launch.cuh"

namespace bl::cuda {

inline constexpr double kDivergence = 1000;  // as in gibbs/chain_moves.cpp

template <class T, class State>
struct ChainMoves {
  const ChainLaunch<T>& l;
  State& s;
  int chain;

  __device__ void take() const {
    s.value() = s.proposed();
    s.each([&](int j) {
      s.q(j) = s.y(j);
      s.g(j) = s.slope(j);
    });
  }
  // The first move begins here: whether log-density and gradient are finite.
  __device__ bool settle() const {
    s.alive() = 1;
    s.stopped() = s.divergences() = 0;
    s.acceptance() = 0;
    take();
    return finite_proposal();
  }

  __device__ void begin(bool adjusted) const {
    if (adjusted) s.kinetic() = half_square();
    s.each([&](int j) {
      s.y(j) = s.q(j);
      s.slope(j) = s.g(j);
    });
    s.alive() = 1;
    if (s.stopped()) abandon();
    kick(l.step / 2);
    drift();
  }
  // After the evaluation that ends leapfrog step number `done` of `steps`.
  __device__ void go_on(int move, int done, int steps, bool adjusted) const {
    const bool last = done == steps;
    if (!finite_proposal() || !s.alive()) abandon();
    if (!last || adjusted) kick(last ? l.step / 2 : l.step);
    if (!last) return drift();
    if (adjusted)
      end_adjusted(move, l.kept(move));
    else
      end_unadjusted(l.kept(move));
  }

 private:
  __device__ bool finite_proposal() const {
    bool finite = isfinite(s.proposed());
    s.each([&](int j) { finite = finite && isfinite(s.slope(j)); });
    return finite;
  }
  __device__ void abandon() const {
    s.alive() = 0;
    s.each([&](int j) {
      s.y(j) = s.q(j);
      s.p(j) = s.slope(j) = T(0);
    });
  }
  __device__ void kick(double factor) const {
    const T e = static_cast<T>(factor);
    s.each([&](int j) { s.p(j) += e * s.slope(j); });
  }
  __device__ void drift() const {
    const T e = static_cast<T>(l.step);
    bool finite = true;
    s.each([&](int j) {
      s.y(j) += e * s.p(j);
      finite = finite && isfinite(s.y(j));
    });
    if (!finite) return abandon();
    if (!l.bounded) return;
    s.each([&](int j) {
      if (gibbs::reflect(l.lower[j], l.upper[j], s.y(j))) s.p(j) = -s.p(j);
    });
  }
  __device__ double half_square() const {
    double sum = 0;
    s.each([&](int j) { sum += static_cast<double>(s.p(j)) * static_cast<double>(s.p(j)); });
    return sum / 2;
  }
  __device__ void end_unadjusted(bool counts) const {
    if (s.alive()) take();
    if (counts) s.divergences() += !s.alive() && !s.stopped();
    s.stopped() = !s.alive();
    if (counts) s.acceptance() += s.alive();
  }
  __device__ void end_adjusted(int move, bool counts) const {
    const double gain = s.alive() ? static_cast<double>(s.proposed()) - static_cast<double>(s.value()) -
                                        (half_square() - s.kinetic())
                                  : -INFINITY;
    if (!(gain > -kDivergence)) {
      if (counts) ++s.divergences();
      return;
    }
    const double ratio = exp(gain < 0 ? gain : 0.0);
    if (counts) s.acceptance() += ratio;
    const double u =
        open_unit(random_block(l.seed, static_cast<std::uint16_t>(Purpose::sampler_accept),
                               static_cast<std::uint32_t>(move), static_cast<std::uint64_t>(chain), 0)
                      .first);
    if (u < ratio) take();
  }
};

}  // namespace bl::cuda
