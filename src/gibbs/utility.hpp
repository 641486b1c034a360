// A trained utility as a distribution over responses: BL(x, y)/tau at many candidates of one row, and its
// exact distributions that one and two continuous dimensions allow. Everything is in encoded units.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "gibbs/distribution_1d.hpp"
#include "gibbs/distribution_2d.hpp"
#include "model/network.hpp"
#include "objective/quadrature_rule.hpp"
#include "piecewise/density.hpp"
#include "piecewise/layer_lines.hpp"

namespace bl::gibbs {

// For a distribution per row of a table: a utility with kinks takes tens of milliseconds at 1e-4, a second at
// 1e-6.
inline constexpr QuadratureOptions kRowDistribution2dOptions = {1e-4, 256, 20'000'000};

// What stands in for a class when all of them are summed over.
inline constexpr std::int32_t kAllClasses = -1;

class Utility {
 public:
  Utility(const Architecture& architecture, std::vector<double> parameters, double temperature,
          Support support);

  const Network<double>& network() const { return whole_->network; }
  std::span<const double> parameters() const { return whole_->parameters; }
  const PreparedParameters<double>& prepared() const { return whole_->prepared; }
  double temperature() const { return temperature_; }
  const Support& support() const { return support_; }
  Index classes() const { return classes_; }
  Index values() const { return network().architecture().input.values; }
  Utility at_temperature(double temperature) const;

  // BL(x_i, v_i, c) of every class c (or of the one utility, where there are no classes): out is rows x
  // max(classes, 1). values has no columns where the response has no continuous part.
  void utilities(MatrixView<const double> context, MatrixView<const double> values,
                 MatrixView<double> out) const;
  // log p(c | x_i, v_i), the same shape.
  void class_log_probabilities(MatrixView<const double> context, MatrixView<const double> values,
                               MatrixView<double> out) const;
  // BL(x, v_k, c)/tau at many v for one row of context; for kAllClasses the log of the sum over classes.
  void log_density(const double* context, std::int32_t class_index, MatrixView<const double> values,
                   std::span<double> out) const;

  // Whether the utility is piecewise linear in its one number, so that its distribution has a closed form.
  bool exact() const { return lines_ != nullptr; }
  // For rows of context: what their distributions are made from, a row each, and the distribution of one.
  void line_offsets(MatrixView<const double> context, Matrix<double>& out) const;
  piecewise::Density exact_distribution(const double* offsets) const;
  piecewise::Density exact_distribution_of(const double* context) const;

  // The distribution of the continuous part given x (and the class). One and two dimensions; the utility must
  // outlive them.
  Distribution1d distribution_1d(const double* context, std::int32_t class_index,
                                 const QuadratureOptions& options = {}) const;
  Distribution2d distribution_2d(const double* context, std::int32_t class_index,
                                 const QuadratureOptions& options = kRowDistribution2dOptions) const;

 private:
  // BL at these points, of every output: the mean over members, whose products are smaller than the joined
  // network's, most of which are with zeros. Overwritten by the next call on this thread.
  std::span<double> scores(const Points<double>& points) const;

  void prepare_lines();

  struct Prepared {
    Prepared(const Architecture& architecture, std::vector<double> values);
    Network<double> network;
    std::vector<double> parameters;
    PreparedParameters<double> prepared;
  };
  std::shared_ptr<const Prepared> whole_;
  std::vector<std::shared_ptr<const Prepared>> members_;  // the networks it was joined from, or the whole
  std::shared_ptr<const piecewise::LayerLines> lines_;    // where the utility is exact
  double temperature_;
  Support support_;
  Index classes_ = 0;
};

}  // namespace bl::gibbs
