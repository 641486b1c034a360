#include <algorithm>
#include <cmath>
#include <numeric>

#include "gibbs/ascent.hpp"

namespace bl::gibbs {

namespace {

constexpr std::size_t kMemory = 8;
constexpr double kSmoothArmijo = 1e-4;
constexpr double kShortest = 1e-14;  // relative step below which a line search gives up

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

void evaluate_all(const LogDensity<double>& distribution, MatrixView<const double> points,
                  std::span<double> value, MatrixView<double> gradient) {
  for (Index from = 0; from < points.rows; from += kChainsPerChunk) {
    const Index count = std::min(kChainsPerChunk, points.rows - from);
    distribution.evaluate(0, points.row_range(from, count),
                          value.subspan(static_cast<std::size_t>(from), static_cast<std::size_t>(count)),
                          gradient.data ? gradient.row_range(from, count) : gradient);
  }
}

double projected_gradient(const Box& box, const AscentPoint& at) {
  double largest = 0;
  for (std::size_t j = 0; j < at.y.size(); ++j) {
    const double end = std::clamp(at.y[j] + at.gradient[j], box.lower[j], box.upper[j]);
    largest = std::max(largest, std::abs(end - at.y[j]));
  }
  return largest;
}

SmoothClimber::SmoothClimber(const Box& box, AscentPoint start, double gradient_tolerance)
    : box_(box), at_(std::move(start)), tolerance_(gradient_tolerance), trial_(at_.y.size()) {
  choose_direction();
}

// The two-loop recursion on the coordinates no wall holds back; the gradient where that would lead downwards.
void SmoothClimber::choose_direction() {
  done_ = projected_gradient(box_, at_) <= tolerance_;
  std::vector<double> free = at_.gradient;
  for (std::size_t j = 0; j < free.size(); ++j) {
    const bool held =
        (at_.y[j] <= box_.lower[j] && free[j] < 0) || (at_.y[j] >= box_.upper[j] && free[j] > 0);
    if (held) free[j] = 0;
  }
  direction_ = free;
  std::vector<double> weights(moves_.size());
  for (std::size_t k = moves_.size(); k-- > 0;) {
    weights[k] = dot(moves_[k], direction_) / dot(moves_[k], falls_[k]);
    for (std::size_t j = 0; j < free.size(); ++j) direction_[j] -= weights[k] * falls_[k][j];
  }
  if (!moves_.empty()) {
    const double size = dot(moves_.back(), falls_.back()) / dot(falls_.back(), falls_.back());
    for (double& v : direction_) v *= size;
  }
  for (std::size_t k = 0; k < moves_.size(); ++k) {
    const double back = dot(falls_[k], direction_) / dot(moves_[k], falls_[k]);
    for (std::size_t j = 0; j < free.size(); ++j) direction_[j] += (weights[k] - back) * moves_[k][j];
  }
  for (std::size_t j = 0; j < free.size(); ++j)
    if (free[j] == 0) direction_[j] = 0;
  plain_ = moves_.empty() || !(dot(direction_, free) > 0);
  if (plain_) direction_ = free;
  const double length = std::sqrt(dot(direction_, direction_));
  step_ = plain_ && length > 1 ? 1 / length : 1;
}

void SmoothClimber::propose(std::span<double> trial) {
  for (std::size_t j = 0; j < trial_.size(); ++j) trial_[j] = at_.y[j] + step_ * direction_[j];
  box_.clamp(trial_);
  std::copy(trial_.begin(), trial_.end(), trial.begin());
}

void SmoothClimber::consider(double value, std::span<const double> gradient) {
  if (done_) return;
  const std::size_t d = trial_.size();
  std::vector<double> move(d), fall(d);
  double largest_move = 0;
  for (std::size_t j = 0; j < d; ++j) {
    move[j] = trial_[j] - at_.y[j];
    fall[j] = at_.gradient[j] - gradient[j];
    largest_move = std::max(largest_move, std::abs(move[j]) / std::max(1.0, std::abs(at_.y[j])));
  }
  const double promised = dot(at_.gradient, move);
  if (std::isfinite(value) && promised > 0 && value >= at_.value + kSmoothArmijo * promised) {
    at_ = {trial_, std::vector<double>(gradient.begin(), gradient.end()), value};
    if (dot(move, fall) > 1e-12 * dot(fall, fall)) {
      moves_.push_back(std::move(move));
      falls_.push_back(std::move(fall));
      if (moves_.size() > kMemory) {
        moves_.erase(moves_.begin());
        falls_.erase(falls_.begin());
      }
    }
    choose_direction();
    return;
  }
  step_ /= 2;
  if (largest_move > kShortest) return;
  done_ = plain_;  // no gain along the gradient: a kink, or rounding
  moves_.clear();
  falls_.clear();
  if (!done_) choose_direction();
}

}  // namespace bl::gibbs
