// The functions applied to heads: a closed set. This header is what the rest of the library asks; one of them
// is one struct in activation_kinds.hpp, and its formula on vectors in activation-inl.hpp.
//
// Where a derivative jumps we take its limit from the left, everywhere and for every order:
//   relu'(0) = 0,  |.|'(0) = -1,  clip'(-1) = 0,  clip'(1) = 1,  huber''(-1) = 0,  huber''(1) = 1.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

// ONE(value of the enum, prefix of its struct). Model files and settings know the value by its name.
#define BL_ACTIVATIONS(ONE) \
  ONE(tanh, Tanh)           \
  ONE(identity, Identity)   \
  ONE(relu, Relu)           \
  ONE(softplus, Softplus)   \
  ONE(abs, Abs)             \
  ONE(square, Square)       \
  ONE(huber, Huber)         \
  ONE(clip, Clip)

namespace bl {

#define BL_ENUMERATE(value, Prefix) value,
enum class Activation { BL_ACTIVATIONS(BL_ENUMERATE) };
#undef BL_ENUMERATE

#define BL_ENUMERATE(value, Prefix) Activation::value,
inline constexpr std::array kActivations = {BL_ACTIVATIONS(BL_ENUMERATE)};
#undef BL_ENUMERATE

enum class Parity { none, odd, even };

struct ActivationFacts {
  Parity parity = Parity::none;
  bool non_decreasing = false;
  double least = 0, most = 0;          // bounds of the value, infinite where there are none
  int degree = 0;                      // f(k t) = k^degree f(t) for every k > 0; 0: of no degree
  bool reflects = false;               // f(t) - f(-t) = t
  std::span<const double> kinks = {};  // where the slope jumps
  std::span<const double> bends = {};  // where the slope is continuous and its own slope jumps
  bool lines = false;                  // straight between its kinks, of which there are two at most
  std::string_view latex = {};         // of f(t), with {} for t
  std::string_view html = {};          // the same on a page

  bool linear() const { return lines && kinks.empty(); }  // a multiple of t
};

const ActivationFacts& facts(Activation activation);

std::string_view name(Activation activation);
// Of those that are straight between their kinks, for messages.
std::string names_of_lines();

// Throws UsageError naming the valid ones.
Activation activation_from_name(std::string_view name);

// f(t) with t as LaTeX, and with t as HTML.
std::string latex(Activation activation, std::string_view t);
std::string html(Activation activation, std::string_view t);

double activate(Activation activation, double t);

double slope(Activation activation, double t);

// Limit of the slope from the right; differs from slope() only at a kink.
double slope_from_right(Activation activation, double t);

// The kink within `tolerance` of t, or null.
const double* kink_near(Activation activation, double t, double tolerance);

}  // namespace bl
