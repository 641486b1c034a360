#include "training/lbfgs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace bl {

namespace {

constexpr double kSufficientDecrease = 1e-4;
constexpr double kCurvature = 0.9;
// Values, or points, this many roundings apart are equal for all we can tell.
constexpr double kRoundings = 4;

template <class T>
double dot(std::span<const T> a, std::span<const T> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

template <class T>
double norm(std::span<const T> a) {
  return std::sqrt(dot<T>(a, a));
}

// Where a cubic through two values and slopes is lowest; the middle of the bracket if that is not well
// inside.
double interpolate(double a, double fa, double da, double b, double fb, double db) {
  const double d1 = da + db - 3 * (fa - fb) / (a - b);
  const double square = d1 * d1 - da * db;
  const double middle = 0.5 * (a + b);
  if (!(square >= 0)) return middle;
  const double d2 = std::copysign(std::sqrt(square), b - a);
  const double x = b - (b - a) * (db + d2 - d1) / (db - da + 2 * d2);
  const double margin = 0.1 * std::abs(b - a);
  const bool inside = x > std::min(a, b) + margin && x < std::max(a, b) - margin;
  return inside ? x : middle;
}

}  // namespace

template <class T>
struct Lbfgs<T>::Trial {
  double length = 0;
  double value = 0;
  double slope = 0;
  std::vector<T> point, gradient;
};

// Two-loop recursion: minus the inverse-Hessian estimate times the gradient.
template <class T>
std::vector<T> Lbfgs<T>::direction(const LbfgsState<T>& state) const {
  std::vector<T> d(state.gradient);
  const std::size_t pairs = state.steps.size();
  std::vector<double> alpha(pairs), rho(pairs);
  for (std::size_t k = pairs; k-- > 0;) {
    rho[k] = 1 / dot<T>(state.changes[k], state.steps[k]);
    alpha[k] = rho[k] * dot<T>(state.steps[k], d);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] -= static_cast<T>(alpha[k]) * state.changes[k][i];
  }
  if (pairs > 0) {
    const double scale = 1 / (rho[pairs - 1] * dot<T>(state.changes[pairs - 1], state.changes[pairs - 1]));
    for (T& value : d) value *= static_cast<T>(scale);
  }
  for (std::size_t k = 0; k < pairs; ++k) {
    const double beta = rho[k] * dot<T>(state.changes[k], d);
    for (std::size_t i = 0; i < d.size(); ++i) d[i] += static_cast<T>(alpha[k] - beta) * state.steps[k][i];
  }
  for (T& value : d) value = -value;
  return d;
}

// Bracket, then zoom (Nocedal and Wright, algorithms 3.5 and 3.6). If the strong Wolfe conditions cannot be
// met, as at a kink, the lowest point with sufficient decrease will do. False if there is none. Near a
// minimum the decrease drowns in the rounding of the values long before the slopes do: a point of equal value
// and flatter slope is then as good (the approximate Wolfe condition of Hager and Zhang).
template <class T>
bool Lbfgs<T>::line_search(const DifferentiableFunction<T>& function, std::span<const T> from, double value,
                           std::span<const T> direction, double slope, Trial& best) const {
  Trial low{.length = 0, .value = value, .slope = slope, .point = {}, .gradient = {}};
  Trial high, trial;
  const double same_value = kRoundings * std::numeric_limits<T>::epsilon() * std::abs(value);
  bool bracketed = false, found = false;
  double length = 1;
  for (int step = 0; step < spec_.line_search_steps; ++step) {
    trial.length = length;
    trial.point.resize(from.size());
    trial.gradient.resize(from.size());
    for (std::size_t i = 0; i < from.size(); ++i)
      trial.point[i] = from[i] + static_cast<T>(length) * direction[i];
    trial.value = function(trial.point, trial.gradient);
    trial.slope = dot<T>(trial.gradient, direction);
    const bool finite = std::isfinite(trial.value) && std::isfinite(trial.slope);
    const bool flatter = std::abs(trial.slope) <= -kCurvature * slope;
    if (finite && flatter && std::abs(trial.value - value) <= same_value) {
      best = trial;
      return true;
    }
    const bool decreases =
        finite && trial.value < value && trial.value <= value + kSufficientDecrease * length * slope;
    if (decreases && (!found || trial.value < best.value)) {
      best = trial;
      found = true;
    }
    if (!decreases || trial.value >= low.value) {
      high = trial;
      bracketed = true;
    } else {
      if (flatter) return true;
      if (bracketed ? trial.slope * (high.length - low.length) >= 0 : trial.slope >= 0) {
        high = low;
        bracketed = true;
      }
      low = trial;
    }
    if (!bracketed) {
      length *= 2;
    } else if (std::isfinite(high.value) && std::isfinite(high.slope)) {
      length = interpolate(low.length, low.value, low.slope, high.length, high.value, high.slope);
    } else {
      length = low.length + 0.1 * (high.length - low.length);
    }
    if (bracketed && std::abs(high.length - low.length) < 1e-14 * std::max(1.0, low.length)) break;
  }
  return found;
}

template <class T>
LbfgsStatus Lbfgs<T>::iterate(const DifferentiableFunction<T>& function, std::span<T> point,
                              LbfgsState<T>& state) const {
  if (!state.started) {
    state.gradient.resize(point.size());
    state.value = function(point, state.gradient);
    state.started = true;
  }
  if (!std::isfinite(state.value)) return LbfgsStatus::not_finite;
  constexpr double eps = std::numeric_limits<T>::epsilon();
  Trial best;
  for (;;) {
    std::vector<T> d = direction(state);
    double slope = dot<T>(state.gradient, d);
    if (state.steps.empty()) {  // nothing is known of the scale: a first step of length at most 1
      const double length = norm<T>(state.gradient);
      if (length > 1)
        for (T& value : d) value /= static_cast<T>(length);
      slope = dot<T>(state.gradient, d);
    }
    if (slope < 0 && line_search(function, point, state.value, d, slope, best)) {
      // Creeping towards a kink by roundings of the point is standing still.
      const bool lower =
          best.value < state.value && best.length * norm<T>(d) > kRoundings * eps * norm<T>(point);
      if (lower || norm<T>(best.gradient) <= kCurvature * norm<T>(state.gradient)) break;
    }
    if (state.steps.empty()) return LbfgsStatus::no_descent;
    state.steps.clear();  // start again from steepest descent
    state.changes.clear();
  }
  std::vector<T> s(point.size()), y(point.size());
  for (std::size_t i = 0; i < point.size(); ++i) {
    s[i] = best.point[i] - point[i];
    y[i] = best.gradient[i] - state.gradient[i];
    point[i] = best.point[i];
  }
  const double curvature = dot<T>(s, y);
  if (curvature > 1e-10 * norm<T>(s) * norm<T>(y)) {
    state.steps.push_back(std::move(s));
    state.changes.push_back(std::move(y));
    if (static_cast<int>(state.steps.size()) > spec_.memory) {
      state.steps.pop_front();
      state.changes.pop_front();
    }
  }
  state.value = best.value;
  state.gradient = std::move(best.gradient);
  return LbfgsStatus::moved;
}

template class Lbfgs<float>;
template class Lbfgs<double>;

}  // namespace bl
