// Full-batch L-BFGS with a strong-Wolfe line search, one iteration at a time.
//
// Written here rather than taken from a library because its state must be saved and resumed bit for bit, its
// sums must have a fixed order, and it must say why it stopped.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace bl {

// Value at `point`; fills `gradient`. The narrowest view of a model that an optimizer can have.
template <class T>
using DifferentiableFunction = std::function<double(std::span<const T> point, std::span<T> gradient)>;

struct LbfgsSpec {
  int memory = 20;
  int line_search_steps = 40;
};

// Everything an iteration needs from the ones before; part of a checkpoint.
template <class T>
struct LbfgsState {
  bool started = false;
  double value = 0;
  std::vector<T> gradient;
  std::deque<std::vector<T>> steps, changes;  // s_k = x_{k+1} - x_k, y_k = g_{k+1} - g_k; oldest first
};

enum class LbfgsStatus {
  moved,       // the value went down, or stayed within rounding while the gradient did
  no_descent,  // the line search found no lower point: at a kink, or at the precision of the arithmetic
  not_finite,  // the function is not finite at the start
};

template <class T>
class Lbfgs {
 public:
  explicit Lbfgs(LbfgsSpec spec = {}) : spec_(spec) {}
  // One step from `point`, which is replaced by the new point.
  LbfgsStatus iterate(const DifferentiableFunction<T>& function, std::span<T> point,
                      LbfgsState<T>& state) const;

 private:
  struct Trial;
  std::vector<T> direction(const LbfgsState<T>& state) const;
  bool line_search(const DifferentiableFunction<T>& function, std::span<const T> from, double value,
                   std::span<const T> direction, double slope, Trial& best) const;

  LbfgsSpec spec_;
};

}  // namespace bl
