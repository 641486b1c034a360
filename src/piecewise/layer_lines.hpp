// The utility of one layer along a single number y, where every head is a line c + w y and every activation
// is straight between its kinks: so is the utility, and its kinks are known in closed form.
//
//   u(y) = sum over heads h of gain_h phi_h(c_h + w_h y),   gain_h = sign_h lambda_h readout_b / tau
//
// The readout's constant is left out: no distribution depends on it. Only the c depend on the row. With
// p(y) = exp(u(y)) / Z on [lower, upper], and M0(y), M1(y) the integrals of p and of y p up to y, the
// derivatives of log Z are
//   by c_h     gain_h P_h,   P_h the integral of p phi_h'        (differences of M0 at the head's own kinks)
//   by w_h     gain_h Q_h,   Q_h the integral of y p phi_h'      (differences of M1 there)
//   by gain_h  the mean of phi_h(c_h + w_h y)                    (c_h P_h + w_h Q_h where phi_h is linear)
// Kinks move with the parameters, but u is continuous there: that contributes nothing.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "model/network.hpp"

namespace bl::piecewise {

// Whether the utility is such a sum: scalar form, one layer, affine, one number as response.
bool has_lines(const Architecture& architecture);

struct Kink {
  double place = 0;
  std::int32_t id = 0;  // 2 head + 0 or 1
};

// Buffers for one row after the other; they grow to the largest row.
struct LineWorkspace {
  std::vector<Kink> kinks;             // inside the interval, ascending
  std::vector<std::int32_t> rank;      // per kink id: its breakpoint, 0 and n + 1 where it lies outside
  std::vector<double> places, values;  // of the breakpoints: lower, kinks, upper
  std::vector<double> relative;        // exp(value - highest)
  std::vector<double> mass, moment;    // integrals of p and y p up to each breakpoint
};

// What a head receives from the normaliser of a row, or from one point.
struct HeadShare {
  double by_offset = 0;  // P
  double by_slope = 0;   // Q
  double value = 0;      // the mean of phi
};

// Parameters of the layer as the formulas above need them; made once per change of parameters.
class LayerLines {
 public:
  template <class T>
  void prepare(const Network<T>& network, const PreparedParameters<T>& w, double temperature);

  Index heads() const { return static_cast<Index>(slope_.size()); }
  double gain(Index head) const { return gain_[static_cast<std::size_t>(head)]; }

  // u at one point and, where shares is not empty, phi' and so on of every head there.
  template <class T>
  double at(const T* offsets, double y, std::span<HeadShare> shares) const;

  // Breakpoints of the row into ws.places and ws.values.
  template <class T>
  void breakpoints(const T* offsets, double lower, double upper, LineWorkspace& ws) const;

  // After breakpoints: log Z.
  double log_normalizer(LineWorkspace& ws) const;
  // After log_normalizer: P, Q and the mean of phi of every head.
  template <class T>
  void shares(const T* offsets, const LineWorkspace& ws, std::span<HeadShare> out) const;

 private:
  // Heads of one kind. Their activation is slopes[k] t + constants[k] between its kinks k - 1 and k.
  struct Section {
    Activation activation;
    std::size_t begin, end;
    std::span<const double> kinks;
    std::array<double, 3> slopes{}, constants{};
    double jump(std::size_t kink) const { return slopes[kink + 1] - slopes[kink]; }
  };
  static Section lines_of(Activation activation, std::size_t begin, std::size_t end);
  std::vector<Section> sections_;
  std::vector<double> gain_, slope_;
  std::vector<double> change_;  // of the utility's slope at each kink, left to right
};

}  // namespace bl::piecewise
