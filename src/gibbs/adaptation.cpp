#include "gibbs/adaptation.hpp"

#include <algorithm>
#include <cmath>

namespace bl::gibbs {

namespace {

constexpr double kGamma = 0.05;
constexpr double kOffset = 10;
constexpr double kKappa = 0.75;
constexpr double kPriorDraws = 5;

}  // namespace

DualAveraging::DualAveraging(double first_step, double target_acceptance)
    : target_(target_acceptance),
      mu_(std::log(10 * first_step)),
      log_step_(std::log(first_step)),
      log_averaged_(log_step_) {}

void DualAveraging::update(double mean_acceptance) {
  count_ += 1;
  const double weight = 1 / (count_ + kOffset);
  error_sum_ = (1 - weight) * error_sum_ + weight * (target_ - mean_acceptance);
  log_step_ = mu_ - error_sum_ * std::sqrt(count_) / kGamma;
  const double fade = std::pow(count_, -kKappa);
  log_averaged_ = fade * log_step_ + (1 - fade) * log_averaged_;
}

double DualAveraging::step() const {
  return std::exp(log_step_);
}
double DualAveraging::averaged_step() const {
  return std::exp(log_averaged_);
}

WarmupWindows::WarmupWindows(Index warmup) {
  const bool roomy = warmup >= 150;
  first_ = roomy ? 75 : warmup * 15 / 100;
  last_ = warmup - (roomy ? 50 : warmup / 10);
  const Index base = roomy ? 25 : std::max<Index>(1, last_ - first_);
  for (Index start = first_, size = base; start < last_; start += size, size *= 2) {
    // A window that would leave too little room for the next, twice as long, takes the rest.
    const bool takes_rest = start + size + 2 * size > last_;
    ends_.push_back(takes_rest ? last_ - 1 : start + size - 1);
    if (takes_rest) break;
  }
}

bool WarmupWindows::ends_at(Index step) const {
  return std::find(ends_.begin(), ends_.end(), step) != ends_.end();
}

void TurningTime::restart(double first) {
  log_time_ = std::log(first);
  count_ = 0;
}

void TurningTime::update(double share_turned, double shortest, double longest) {
  count_ += 1;
  log_time_ += (0.5 - share_turned) * std::max(0.05, 1 / std::sqrt(count_));
  log_time_ = std::clamp(log_time_, std::log(shortest), std::log(longest));
}

double TurningTime::time() const {
  return std::exp(log_time_);
}

template <class T>
RunningVariance<T>::RunningVariance(Index chains, Index dimension)
    : mean_(chains, dimension), squares_(chains, dimension) {
  restart();
}

template <class T>
void RunningVariance<T>::restart() {
  std::fill(mean_.flat().begin(), mean_.flat().end(), 0.0);
  std::fill(squares_.flat().begin(), squares_.flat().end(), 0.0);
  rounds_ = 0;
}

template <class T>
void RunningVariance<T>::add(Index first, MatrixView<const T> points) {
  const double weight = 1 / static_cast<double>(rounds_ + 1);
  for (Index i = 0; i < points.rows; ++i) {
    const T* point = points.row(i);
    double* mean = mean_.row(first + i);
    double* squares = squares_.row(first + i);
    for (Index j = 0; j < points.cols; ++j) {
      const double before = static_cast<double>(point[j]) - mean[j];
      mean[j] += before * weight;
      squares[j] += before * (static_cast<double>(point[j]) - mean[j]);
    }
  }
}

template <class T>
void RunningVariance<T>::scales(std::vector<T>& out) const {
  const Index d = mean_.cols();
  if (rounds_ < 2) return;
  const double freedom = static_cast<double>(mean_.rows() * (rounds_ - 1));
  std::vector<double> variance(static_cast<std::size_t>(d), 0.0);
  for (Index i = 0; i < mean_.rows(); ++i)
    for (Index j = 0; j < d; ++j) variance[static_cast<std::size_t>(j)] += squares_(i, j);
  double log_sum = 0;
  for (double& v : variance) {
    v /= freedom;
    if (!(v > 0) || !std::isfinite(v)) return;  // nothing moved: keep the scales there are
    log_sum += std::log(v);
  }
  const double common = std::exp(log_sum / static_cast<double>(d));
  for (std::size_t j = 0; j < variance.size(); ++j)
    out[j] =
        static_cast<T>(std::sqrt((freedom * variance[j] + kPriorDraws * common) / (freedom + kPriorDraws)));
}

template class RunningVariance<float>;
template class RunningVariance<double>;

}  // namespace bl::gibbs
