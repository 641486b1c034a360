// The utility of an alternative as a function of parameters: one block over the columns z of the design,
//
//   V = scale_s sum_h sign_h lambda_h f_h(w_h'z),
//
// of which the linear utility is the case of one head with the identity and lambda = 1. scale_s = exp(t_s)
// belongs to the data source s of a situation, such as stated or revealed choices; t = 0 for the first.
// Parameters: those of the heads, then t per source but the first.
#pragma once

#include <vector>

#include "compute/activation.hpp"
#include "random_utility/choice_sets.hpp"

namespace bl::random_utility {

struct UtilityHead {
  struct Weight {
    Index parameter = 0, column = 0;
  };
  double sign = 1;
  Activation activation = Activation::identity;
  Index lambda = -1;  // its parameter; -1: lambda is 1
  std::vector<Weight> weights;
};

// Of the entries of one situation.
struct UtilityAt {
  std::vector<double> value;
  const double* rows = nullptr;  // dV / d parameter: entries x parameters, row-major
  std::vector<double> buffer;    // where rows lie, unless they are those of the design
};

class Utility {
 public:
  // `parameters`: those of the heads.
  Utility(Index parameters, std::vector<UtilityHead> heads, Index sources = 1);
  // A coefficient per column.
  static Utility linear(Index columns, Index sources = 1);

  Index parameters() const { return own_ + sources_ - 1; }
  const std::vector<UtilityHead>& heads() const { return heads_; }
  // V is the product of the parameters with the design's row.
  bool is_linear() const { return linear_ && sources_ == 1; }
  // A lambda, which is positive where it is the same for all.
  bool is_lambda(Index parameter) const;

  double scale(const ChoiceSets& sets, Index situation, const double* parameters) const;
  // The parameter t of a situation's source; -1: its scale is 1.
  Index scale_parameter(const ChoiceSets& sets, Index situation) const;

  // V and its derivatives.
  void evaluate(const ChoiceSets& sets, Index situation, const double* parameters, UtilityAt& out) const;

  // d (V / scale) / d attribute of an entry, from the derivatives of its columns.
  double slope(const ChoiceSets& sets, Index entry, const double* parameters, const double* by_column) const;

 private:
  double unscaled(const double* z, const double* parameters, double* row) const;

  Index own_, sources_;
  bool linear_ = false;
  std::vector<UtilityHead> heads_;
};

}  // namespace bl::random_utility
