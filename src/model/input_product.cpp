#include "model/input_product.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "compute/dense_kernels.hpp"
#include "compute/kernels.hpp"
#include "compute/product.hpp"

namespace bl {

namespace {

bool is_identity(const TermList& list, Index first_input, Index inputs) {
  if (static_cast<Index>(list.terms.size()) != inputs) return false;
  for (Index i = 0; i < inputs; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (list.terms[at].size() != 1 || list.terms[at][0] != first_input + i) return false;
    if (list.columns[at] != list.columns[0] + i) return false;
  }
  return true;
}

// Inputs of one point: those below `context` come from x, the others from v.
template <class T>
struct PointInputs {
  const T* x;
  const T* v;
  Index context;

  T operator()(std::int32_t i) const { return i < context ? x[i] : v[i - context]; }
  // Derivative of a term by value k (counted within v).
  T slope(const Term& term, Index k) const {
    return slope_of<T>(term, static_cast<std::int32_t>(context + k), *this);
  }
};

template <class T, class F>
void for_each_point(const Points<T>& points, Index context, F&& visit) {
  for (Index i = 0; i < points.rows(); ++i) {
    const T* x = context > 0 ? points.context.row(i) : nullptr;
    for (Index p = points.begin[static_cast<std::size_t>(i)];
         p < points.begin[static_cast<std::size_t>(i) + 1]; ++p)
      visit(p, PointInputs<T>{x, points.values.cols > 0 ? points.values.row(p) : nullptr, context});
  }
}

template <class T>
void evaluate_terms(const TermList& list, const Points<T>& points, Index context, Matrix<T>& out) {
  out.resize(points.count(), static_cast<Index>(list.terms.size()));
  for_each_point(points, context, [&](Index p, const PointInputs<T>& z) {
    for (std::size_t t = 0; t < list.terms.size(); ++t) out.row(p)[t] = value_of<T>(list.terms[t], z);
  });
}

// out[p][t] = sum_k d term_t / d v_k direction[p][k].
template <class T>
void term_tangents(const TermList& list, const Points<T>& points, Index context,
                   MatrixView<const T> direction, Matrix<T>& out) {
  out.resize(points.count(), static_cast<Index>(list.terms.size()));
  for_each_point(points, context, [&](Index p, const PointInputs<T>& z) {
    for (std::size_t t = 0; t < list.terms.size(); ++t) {
      T sum = 0;
      for (Index k = 0; k < direction.cols; ++k) sum += z.slope(list.terms[t], k) * direction(p, k);
      out.row(p)[t] = sum;
    }
  });
}

// d_values[p][k] += sum_t d term_t / d v_k d_features[p][t].
template <class T>
void term_value_gradient(const TermList& list, const Points<T>& points, Index context,
                         const Matrix<T>& d_features, MatrixView<T> d_values) {
  for_each_point(points, context, [&](Index p, const PointInputs<T>& z) {
    for (std::size_t t = 0; t < list.terms.size(); ++t)
      for (Index k = 0; k < d_values.cols; ++k)
        d_values(p, k) += z.slope(list.terms[t], k) * d_features.row(p)[t];
  });
}

template <class T>
void copy(MatrixView<const T> from, MatrixView<T> to) {
  for (Index i = 0; i < from.rows; ++i) std::copy_n(from.row(i), from.cols, to.row(i));
}

// out += features times weights.
template <class T>
void update(MatrixView<const T> features, MatrixView<const T> weights, MatrixView<T> out) {
  if (features.cols > 0) multiply<T>(features, weights, out, Accumulate::yes);
}

}  // namespace

InputPlan::InputPlan(const InputShape& input, const std::vector<Term>& terms) : shape(input) {
  std::map<Term, Index> cofactor_index;
  for (std::size_t column = 0; column < terms.size(); ++column) {
    auto [cofactor, class_index, zero] = parts_of(terms[column], input);
    if (zero) continue;
    const bool moves = reads_response(cofactor, input);
    if (class_index < 0) {
      TermList& list = moves ? values : context;
      list.terms.push_back(std::move(cofactor));
      list.columns.push_back(static_cast<Index>(column));
      continue;
    }
    const auto [found, is_new] =
        cofactor_index.try_emplace(cofactor, static_cast<Index>(cofactor_index.size()));
    if (is_new) cofactors.terms.push_back(std::move(cofactor));
    cofactors_move = cofactors_move || moves;
    classes.push_back({static_cast<Index>(column), class_index, found->second});
  }
  context.identity = is_identity(context, 0, input.context);
  values.identity = is_identity(values, input.context, input.values);
}

template <class T>
void InputProduct<T>::prepare(MatrixView<const T> weights, PreparedInput<T>& out, const Context* job,
                              bool apart) const {
  const Index heads = weights.rows;
  const auto& context_columns = plan_.context.columns;
  const auto terms = static_cast<Index>(context_columns.size());
  if (!apart) out.context.resize(terms, heads);
  if (!apart && plan_.context.identity && terms > 0)
    transpose<T>(weights.columns(context_columns[0], terms), out.context.view(), job);
  for (Index t = 0; t < terms && !apart && !plan_.context.identity; ++t)
    for (Index h = 0; h < heads; ++h)
      out.context(t, h) = weights(h, context_columns[static_cast<std::size_t>(t)]);
  out.values.resize(static_cast<Index>(plan_.values.columns.size()), heads);
  for (std::size_t t = 0; t < plan_.values.columns.size(); ++t)
    for (Index h = 0; h < heads; ++h)
      out.values(static_cast<Index>(t), h) = weights(h, plan_.values.columns[t]);
  out.value_columns.resize(heads, out.values.rows());
  transpose<T>(std::as_const(out.values).view(), out.value_columns.view(), nullptr);
  const auto cofactors = static_cast<Index>(plan_.cofactors.terms.size());
  out.classes.resize(plan_.shape.classes * cofactors, heads);
  std::fill(out.classes.flat().begin(), out.classes.flat().end(), T(0));
  for (const ClassTerm& term : plan_.classes)
    for (Index h = 0; h < heads; ++h)
      out.classes(term.class_index * cofactors + term.cofactor, h) += weights(h, term.column);
}

template <class T>
void InputProduct<T>::features(const Points<T>& points, InputWorkspace<T>& ws) const {
  const Index context = plan_.shape.context;
  if (!plan_.context.identity) {
    const auto& terms = plan_.context.terms;
    ws.context_features.resize(points.rows(), static_cast<Index>(terms.size()));
    for (Index i = 0; i < points.rows(); ++i) {
      const PointInputs<T> z{context > 0 ? points.context.row(i) : nullptr, nullptr, context};
      for (std::size_t t = 0; t < terms.size(); ++t) ws.context_features.row(i)[t] = value_of<T>(terms[t], z);
    }
  }
  if (!plan_.values.identity) evaluate_terms(plan_.values, points, context, ws.value_features);
  if (!points.classes.empty() && (!constant_cofactor() || points.one_per_row()))
    evaluate_terms(plan_.cofactors, points, context, ws.class_features);
}

template <class T>
MatrixView<const T> InputProduct<T>::context_features(const Points<T>& points,
                                                      const InputWorkspace<T>& ws) const {
  if (plan_.context.identity)
    return {points.context.data, points.rows(), plan_.shape.context, points.context.stride};
  return ws.context_features.view();
}

template <class T>
MatrixView<const T> InputProduct<T>::value_features(const Points<T>& points,
                                                    const InputWorkspace<T>& ws) const {
  return plan_.values.identity ? points.values : ws.value_features.view();
}

template <class T>
void InputProduct<T>::forward(const PreparedInput<T>& w, const T* bias, const Points<T>& points,
                              InputWorkspace<T>& ws, MatrixView<T> heads) const {
  const Kernels<T>& k = kernels<T>();
  features(points, ws);
  const bool one_point_per_row = points.one_per_row();
  const bool known = points.row_heads.data != nullptr;
  if (!one_point_per_row && !known) ws.row_heads.resize(points.rows(), heads.cols);
  const MatrixView<T> rows = known ? points.row_heads : one_point_per_row ? heads : ws.row_heads.view();
  if (!known) multiply_plus<T>(context_features(points, ws), w.context.view(), bias, rows);
  if (known && one_point_per_row) copy<T>(rows, heads);
  const bool looked_up = !one_point_per_row && constant_cofactor();
  if (!one_point_per_row)
    k.spread_rows(points.begin, rows, looked_up ? points.classes : std::span<const std::int32_t>(),
                  w.classes.view(), heads);
  update<T>(value_features(points, ws), w.values.view(), heads);
  if (!points.classes.empty() && !looked_up)
    k.rank_update(ws.class_features.view(), points.classes, w.classes.view(), heads);
}

template <class T>
void InputProduct<T>::tangent(const PreparedInput<T>& w, const Points<T>& points,
                              MatrixView<const T> direction, InputWorkspace<T>& ws,
                              MatrixView<T> heads_dot) const {
  const Kernels<T>& k = kernels<T>();
  const Index context = plan_.shape.context;
  if (plan_.values.identity) {  // the features' tangent is the direction itself
    ws.value_tangents.resize(direction.rows, direction.cols);
    for (Index p = 0; p < direction.rows; ++p)
      std::copy_n(direction.row(p), direction.cols, ws.value_tangents.row(p));
  } else {
    term_tangents(plan_.values, points, context, direction, ws.value_tangents);
  }
  for (Index p = 0; p < heads_dot.rows; ++p) std::fill_n(heads_dot.row(p), heads_dot.cols, T(0));
  update<T>(ws.value_tangents.view(), w.values.view(), heads_dot);
  if (points.classes.empty() || !plan_.cofactors_move) return;
  term_tangents(plan_.cofactors, points, context, direction, ws.class_tangents);
  k.rank_update(ws.class_tangents.view(), points.classes, w.classes.view(), heads_dot);
}

template <class T>
void InputProduct<T>::value_gradient(const PreparedInput<T>& w, const Points<T>& points,
                                     MatrixView<const T> d_heads, InputWorkspace<T>& ws,
                                     MatrixView<T> d_values) const {
  const Kernels<T>& k = kernels<T>();
  ws.d_value_features.resize(points.count(), static_cast<Index>(plan_.values.terms.size()));
  multiply<T>(d_heads, w.value_columns.view(), ws.d_value_features.view(), Accumulate::no);
  if (plan_.values.identity) {
    for (Index p = 0; p < d_values.rows; ++p)
      for (Index j = 0; j < d_values.cols; ++j) d_values(p, j) += ws.d_value_features(p, j);
  } else {
    term_value_gradient(plan_.values, points, plan_.shape.context, ws.d_value_features, d_values);
  }
  if (points.classes.empty() || !plan_.cofactors_move) return;
  ws.d_class_features.resize(points.count(), static_cast<Index>(plan_.cofactors.terms.size()));
  k.rank_feature_gradient(w.classes.view(), points.classes, d_heads, ws.d_class_features.view());
  term_value_gradient(plan_.cofactors, points, plan_.shape.context, ws.d_class_features, d_values);
}

template <class T>
void InputProduct<T>::backward(const Points<T>& points, MatrixView<const T> d_heads,
                               MatrixView<const T> d_heads_dot, InputWorkspace<T>& ws, InputGradient<T>& sums,
                               MatrixView<T> gradient, T* d_bias) const {
  const Kernels<T>& k = kernels<T>();
  MatrixView<const T> rows = d_heads;
  const bool one_point_per_row = points.one_per_row();
  const bool looked_up = !one_point_per_row && constant_cofactor();
  const bool known = points.row_heads.data != nullptr;
  if (!one_point_per_row) {
    if (!known) ws.row_gradient.resize(points.rows(), d_heads.cols);
    const MatrixView<T> gathered = known ? points.row_heads : ws.row_gradient.view();
    k.gather_rows(points.begin, d_heads, looked_up ? points.classes : std::span<const std::int32_t>(),
                  sums.classes.view(), gathered);
    rows = gathered;
  } else if (known) {
    copy<T>(d_heads, points.row_heads);
  }
  if (d_bias) dense_kernels<T>().column_sums(rows, d_bias);
  const auto& context = plan_.context;
  const auto context_terms = static_cast<Index>(context.columns.size());
  const MatrixView<T> d_context = !context.identity   ? sums.context.view()
                                  : context_terms > 0 ? gradient.columns(context.columns[0], context_terms)
                                                      : gradient.columns(0, 0);
  if (!known)
    multiply_first_transposed<T>(rows, context_features(points, ws), d_context,
                                 sums.begun || !context.identity ? Accumulate::yes : Accumulate::no);
  sums.begun = true;
  multiply_first_transposed<T>(value_features(points, ws), d_heads, sums.values.view(), Accumulate::yes);
  if (!points.classes.empty() && !looked_up)
    k.rank_weight_gradient(ws.class_features.view(), points.classes, d_heads, sums.classes.view());
  if (!d_heads_dot.data) return;
  multiply_first_transposed<T>(ws.value_tangents.view(), d_heads_dot, sums.values.view(), Accumulate::yes);
  if (!points.classes.empty() && plan_.cofactors_move)
    k.rank_weight_gradient(ws.class_tangents.view(), points.classes, d_heads_dot, sums.classes.view());
}

template <class T>
void InputProduct<T>::clear(InputGradient<T>& sums, Index heads) const {
  if (!plan_.context.identity) sums.context.resize(heads, static_cast<Index>(plan_.context.terms.size()));
  sums.values.resize(static_cast<Index>(plan_.values.terms.size()), heads);
  sums.classes.resize(plan_.shape.classes * static_cast<Index>(plan_.cofactors.terms.size()), heads);
  sums.begun = false;
  for (Matrix<T>* m : {&sums.context, &sums.values, &sums.classes})
    std::fill(m->flat().begin(), m->flat().end(), T(0));
}

template <class T>
void InputProduct<T>::scatter(const InputGradient<T>& sums, MatrixView<T> gradient) const {
  for (Index h = 0; h < gradient.rows; ++h) {
    if (!plan_.context.identity)
      for (std::size_t t = 0; t < plan_.context.columns.size(); ++t)
        gradient(h, plan_.context.columns[t]) = sums.context.row(h)[t];
    for (std::size_t t = 0; t < plan_.values.columns.size(); ++t)
      gradient(h, plan_.values.columns[t]) = sums.values(static_cast<Index>(t), h);
    const auto cofactors = static_cast<Index>(plan_.cofactors.terms.size());
    for (const ClassTerm& term : plan_.classes)
      gradient(h, term.column) = sums.classes(term.class_index * cofactors + term.cofactor, h);
  }
}

template class InputProduct<float>;
template class InputProduct<double>;

}  // namespace bl
