#include "gibbs/chain_moves.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "bl/errors.hpp"

namespace bl::gibbs {

namespace {

constexpr double kDivergence = 1000;  // rise of energy that counts as one, as in Stan

template <class T>
double half_square(const T* row, Index cols) {
  double sum = 0;
  for (Index j = 0; j < cols; ++j) sum += static_cast<double>(row[j]) * static_cast<double>(row[j]);
  return sum / 2;
}

template <class T>
bool all_finite(const T* numbers, Index count) {
  int bad = 0;  // a count instead of an early end: the loop has no branches and fills vectors
  for (Index j = 0; j < count; ++j) bad += !(std::abs(numbers[j]) <= std::numeric_limits<T>::max());
  return bad == 0;
}

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

template <class T>
ChainMoves<T>::ChainMoves(const LogDensity<T>& distribution, const Box& box, MatrixView<const T> start,
                          std::uint64_t seed)
    : distribution_(distribution), seed_(seed), walls_(false) {
  set_scale(std::vector<T>(at(start.cols), T{1}));
  for (std::size_t j = 0; j < box.lower.size(); ++j) {
    lower_.push_back(static_cast<T>(box.lower[j]));
    upper_.push_back(static_cast<T>(box.upper[j]));
    walls_ = walls_ || std::isfinite(lower_[j]) || std::isfinite(upper_[j]);
  }
  for (Matrix<T>* matrix : {&position_, &gradient_, &proposal_, &proposal_gradient_, &momentum_})
    matrix->resize(start.rows, start.cols);
  for (Index i = 0; i < start.rows; ++i) {
    for (Index j = 0; j < start.cols; ++j) {
      const T y = start(i, j);
      if (!(y >= lower_[at(j)] && y <= upper_[at(j)]) || !std::isfinite(y))
        throw UsageError(
            fmt::format("start of chain {}, dimension {}: {} is not a point of the support [{}, {}]", i, j, y,
                        lower_[at(j)], upper_[at(j)]));
      position_(i, j) = y;
    }
  }
  for (auto* values : {&value_, &proposal_value_}) values->resize(at(start.rows));
  kinetic_.resize(at(start.rows));
  for (auto* flags : {&alive_, &stopped_}) flags->assign(at(start.rows), 0);
}

template <class T>
void ChainMoves<T>::set_scale(std::vector<T> scale) {
  scale_ = std::move(scale);
  chunk_scale_.clear();
  for (Index i = 0; i < kChainsPerChunk; ++i)
    chunk_scale_.insert(chunk_scale_.end(), scale_.begin(), scale_.end());
}

template <class T>
void ChainMoves<T>::refresh(Index chunk) {
  const Index from = first(chunk), count = size(chunk);
  distribution_.evaluate(from, points(chunk), std::span(value_).subspan(at(from), at(count)),
                         gradient_.view().row_range(from, count));
  for (Index i = from; i < from + count; ++i)
    if (!std::isfinite(value_[at(i)]) || !all_finite(gradient_.row(i), gradient_.cols()))
      throw NumericError(fmt::format(
          "the log-density ({}) or its gradient is not finite where chain {} stands; choose another start",
          value_[at(i)], i));
}

template <class T>
void ChainMoves<T>::begin(Index chunk, const NormalSource& source, const MoveSettings<T>& settings) {
  const Index from = first(chunk), count = size(chunk), d = position_.cols();
  fill_normal_rows(source, from, momentum_.view().row_range(from, count));
  if (settings.noise != 1) {
    T* p = momentum_.row(from);
    for (Index k = 0; k < count * d; ++k) p[k] *= static_cast<T>(settings.noise);
  }
  if (settings.adjusted)
    for (Index i = from; i < from + count; ++i) kinetic_[at(i)] = half_square(momentum_.row(i), d);
  std::copy_n(position_.row(from), count * d, proposal_.row(from));
  std::copy_n(gradient_.row(from), count * d, proposal_gradient_.row(from));
  for (Index i = from; i < from + count; ++i) {
    alive_[at(i)] = 1;
    if (stopped_[at(i)]) abandon(i);
  }
}

template <class T>
void ChainMoves<T>::kick(Index chunk, double factor) {
  const Index from = first(chunk), numbers = size(chunk) * position_.cols();
  const T* scale = chunk_scale_.data();
  const T f = static_cast<T>(factor);
  T* p = momentum_.row(from);
  const T* g = proposal_gradient_.row(from);
  for (Index k = 0; k < numbers; ++k) p[k] += f * scale[k] * g[k];
}

template <class T>
void ChainMoves<T>::drift(Index chunk, double step) {
  const Index from = first(chunk), d = position_.cols(), numbers = size(chunk) * d;
  const T* scale = chunk_scale_.data();
  const T e = static_cast<T>(step);
  T* all = proposal_.row(from);
  const T* momentum = momentum_.row(from);
  for (Index k = 0; k < numbers; ++k) all[k] += e * scale[k] * momentum[k];
  if (!walls_ && all_finite(all, numbers)) return;
  for (Index i = from; i < from + size(chunk); ++i) {
    T* q = proposal_.row(i);
    T* p = momentum_.row(i);
    if (!all_finite(q, d)) {
      abandon(i);
    } else if (walls_) {
      for (Index j = 0; j < d; ++j)
        if (reflect(lower_[at(j)], upper_[at(j)], q[j])) p[j] = -p[j];
    }
  }
}

// The rest of the trajectory stands still at its start, so that the distribution is never asked about
// non-finite points.
template <class T>
void ChainMoves<T>::abandon(Index chain) {
  alive_[at(chain)] = 0;
  const Index d = position_.cols();
  std::copy_n(position_.row(chain), d, proposal_.row(chain));
  std::fill_n(momentum_.row(chain), d, T{0});
  std::fill_n(proposal_gradient_.row(chain), d, T{0});
}

template <class T>
void ChainMoves<T>::drop_non_finite(Index chunk) {
  const Index from = first(chunk), count = size(chunk), d = position_.cols();
  if (all_finite(proposal_value_.data() + from, count) &&
      all_finite(proposal_gradient_.row(from), count * d) && all_alive(chunk))
    return;
  for (Index i = from; i < from + count; ++i) {
    const bool finite = std::isfinite(proposal_value_[at(i)]) && all_finite(proposal_gradient_.row(i), d);
    if (!finite || !alive_[at(i)]) abandon(i);
  }
}

template <class T>
bool ChainMoves<T>::all_alive(Index chunk) const {
  const auto from = alive_.begin() + first(chunk);
  return std::find(from, from + size(chunk), std::uint8_t{0}) == from + size(chunk);
}

template <class T>
Index ChainMoves<T>::count_turned(Index chunk) const {
  const Index from = first(chunk), d = position_.cols();
  Index turned = 0;
  for (Index i = from; i < from + size(chunk); ++i) {
    double along = 0;
    for (Index j = 0; j < d; ++j)
      along += static_cast<double>((proposal_(i, j) - position_(i, j)) / scale_[at(j)] * momentum_(i, j));
    turned += along < 0;
  }
  return turned;
}

template <class T>
ChunkSums ChainMoves<T>::trajectory(Index chunk, const NormalSource& source,
                                    const MoveSettings<T>& settings) {
  const Index from = first(chunk), count = size(chunk);
  ChunkSums sums;
  begin(chunk, source, settings);
  kick(chunk, settings.step / 2);
  for (Index l = 0; l < settings.leapfrog; ++l) {
    drift(chunk, settings.step);
    distribution_.evaluate(from, proposal_.view().row_range(from, count),
                           std::span(proposal_value_).subspan(at(from), at(count)),
                           proposal_gradient_.view().row_range(from, count));
    drop_non_finite(chunk);
    const bool last = l + 1 == settings.leapfrog;
    if (!last || settings.adjusted) kick(chunk, last ? settings.step / 2 : settings.step);
  }
  if (settings.count_turned) sums.turned = count_turned(chunk);
  return sums;
}

// Fall of energy from the start to the end of the trajectory: the logarithm of the Metropolis ratio.
template <class T>
double ChainMoves<T>::energy_gain(Index chain) const {
  const double rise_of_kinetic = half_square(momentum_.row(chain), momentum_.cols()) - kinetic_[at(chain)];
  return static_cast<double>(proposal_value_[at(chain)]) - static_cast<double>(value_[at(chain)]) -
         rise_of_kinetic;
}

template <class T>
void ChainMoves<T>::take(Index chain, Index count) {
  const Index numbers = count * position_.cols();
  std::copy_n(proposal_.row(chain), numbers, position_.row(chain));
  std::copy_n(proposal_gradient_.row(chain), numbers, gradient_.row(chain));
  std::copy_n(proposal_value_.data() + chain, count, value_.data() + chain);
}

// Every chain takes its end; one that left the finite numbers stays where it was, for good.
template <class T>
void ChainMoves<T>::take_unadjusted(Index chunk, ChunkSums& sums) {
  if (all_alive(chunk)) {
    take(first(chunk), size(chunk));
    sums.acceptance += static_cast<double>(size(chunk));
    return;
  }
  for (Index i = first(chunk); i < first(chunk) + size(chunk); ++i) {
    if (alive_[at(i)]) take(i, 1);
    sums.divergences += !alive_[at(i)] && !stopped_[at(i)];
    stopped_[at(i)] = !alive_[at(i)];
    sums.acceptance += alive_[at(i)];
  }
}

template <class T>
ChunkSums ChainMoves<T>::advance(Index chunk, std::uint32_t move, const MoveSettings<T>& settings) {
  ChunkSums sums = trajectory(chunk, {seed_, Purpose::sampler_move, move}, settings);
  if (!settings.adjusted) {
    take_unadjusted(chunk, sums);
    return sums;
  }
  const RandomStream accept(seed_, Purpose::sampler_accept, move);
  for (Index i = first(chunk); i < first(chunk) + size(chunk); ++i) {
    const double gain = alive_[at(i)] ? energy_gain(i) : -std::numeric_limits<double>::infinity();
    if (!(gain > -kDivergence)) {
      ++sums.divergences;
      continue;
    }
    const double ratio = std::exp(std::min(0.0, gain));
    sums.acceptance += ratio;
    if (accept.uniform(static_cast<std::uint64_t>(i), 0) < ratio) take(i, 1);
  }
  return sums;
}

template <class T>
ChunkSums ChainMoves<T>::attempt(Index chunk, std::uint32_t trial, const MoveSettings<T>& settings) {
  ChunkSums sums = trajectory(chunk, {seed_, Purpose::sampler_start, trial}, settings);
  for (Index i = first(chunk); i < first(chunk) + size(chunk); ++i) {
    const double gain = alive_[at(i)] ? energy_gain(i) : -std::numeric_limits<double>::infinity();
    if (!std::isnan(gain)) sums.acceptance += std::exp(std::min(0.0, gain));
  }
  return sums;
}

template class ChainMoves<float>;
template class ChainMoves<double>;

}  // namespace bl::gibbs
