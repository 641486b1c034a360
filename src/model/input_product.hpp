// Weights times the basis of z = [x ; v ; e], with the work for the context shared by a row's candidates.
//
// Every term is (monomial of x and v) or (monomial of x and v) times one class indicator; a product of two
// different classes is always zero and is never computed. So for a point with context x, values v, class c
//   heads = bias + Wx fx(x)  [once per row]  + Wv fv(x, v) + Wc[c] fc(x, v)
// where fx, fv, fc are short lists of monomials. In the affine basis fx = x, fv = v and fc = 1: a one-hot
// response is a look-up, a continuous one a rank-`values` update.
#pragma once

#include <vector>

#include "base/context.hpp"
#include "model/basis.hpp"
#include "model/points.hpp"

namespace bl {

// Terms without classes, over positions of [x ; v]; `columns` says which weight column each belongs to.
struct TermList {
  std::vector<Term> terms;
  std::vector<Index> columns;
  bool identity = false;  // the terms are exactly the inputs, in order: no need to compute them
};

struct ClassTerm {
  Index column = 0;
  std::int32_t class_index = 0;
  Index cofactor = 0;  // position in InputPlan::cofactors
};

// A basis sorted into those three lists; made once per architecture.
struct InputPlan {
  InputShape shape;
  TermList context;                // no factor of v
  TermList values;                 // at least one factor of v
  TermList cofactors;              // what multiplies class indicators; the constant is the empty term
  std::vector<ClassTerm> classes;  // several columns may share a (class, cofactor): e_c and e_c^2
  bool cofactors_move = false;     // some cofactor has a factor of v

  InputPlan(const InputShape& shape, const std::vector<Term>& terms);
};

// Weights rearranged for evaluation; made once per parameter change, read by all threads.
template <class T>
struct PreparedInput {
  Matrix<T> context;        // fx x heads
  Matrix<T> values;         // fv x heads
  Matrix<T> value_columns;  // the same, heads x fv
  Matrix<T> classes;        // (class, fc) x heads
};

// Gradients in the same arrangement, summed over chunks, then scattered once.
template <class T>
struct InputGradient {
  bool begun = false;
  Matrix<T> context;  // used only where the columns are not adjacent
  Matrix<T> values;
  Matrix<T> classes;
};

template <class T>
struct InputWorkspace {
  Matrix<T> context_features, value_features, class_features;  // fx, fv, fc of the current points
  Matrix<T> value_tangents, class_tangents;                    // their derivatives along a direction of v
  Matrix<T> row_heads, row_gradient;                           // rows x heads
  Matrix<T> d_value_features, d_class_features;
};

// `weights` and `gradient` are heads x columns of the basis (they may be the left part of a wider matrix).
template <class T>
class InputProduct {
 public:
  explicit InputProduct(InputPlan plan) : plan_(std::move(plan)) {}

  // How many columns the context has; 0 where its features are not the context itself.
  Index context_columns() const { return plan_.context.identity ? plan_.shape.context : 0; }
  // The first of them.
  Index context_begin() const { return context_columns() > 0 ? plan_.context.columns[0] : 0; }

  // The threads of a job, where given, share the work on wide weights. `apart`: the context's are not needed.
  void prepare(MatrixView<const T> weights, PreparedInput<T>& out, const Context* job, bool apart) const;
  // heads (points x heads) = bias + weights . basis. bias may be null.
  void forward(const PreparedInput<T>& w, const T* bias, const Points<T>& points, InputWorkspace<T>& ws,
               MatrixView<T> heads) const;
  // heads_dot = derivative of the heads along direction (points x values); uses the features of `forward`.
  void tangent(const PreparedInput<T>& w, const Points<T>& points, MatrixView<const T> direction,
               InputWorkspace<T>& ws, MatrixView<T> heads_dot) const;
  // d_values (points x values) += from d_heads.
  void value_gradient(const PreparedInput<T>& w, const Points<T>& points, MatrixView<const T> d_heads,
                      InputWorkspace<T>& ws, MatrixView<T> d_values) const;
  // Parameter gradients from d_heads and, where d_heads_dot.data is not null, from the tangent's too.
  // Adjacent columns of the context go into the gradient, in the place of what is there unless sums.begun.
  void backward(const Points<T>& points, MatrixView<const T> d_heads, MatrixView<const T> d_heads_dot,
                InputWorkspace<T>& ws, InputGradient<T>& sums, MatrixView<T> gradient, T* d_bias) const;

  void clear(InputGradient<T>& sums, Index heads) const;
  // Columns of the gradient = sums, but those of the context that `backward` wrote there.
  void scatter(const InputGradient<T>& sums, MatrixView<T> gradient) const;

 private:
  // The one-hot response is a look-up: it multiplies nothing but the constant.
  bool constant_cofactor() const {
    return plan_.cofactors.terms.size() == 1 && plan_.cofactors.terms[0].empty();
  }
  void features(const Points<T>& points, InputWorkspace<T>& ws) const;
  MatrixView<const T> context_features(const Points<T>& points, const InputWorkspace<T>& ws) const;
  MatrixView<const T> value_features(const Points<T>& points, const InputWorkspace<T>& ws) const;

  InputPlan plan_;
};

}  // namespace bl
