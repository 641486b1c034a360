#include "simplify/head_columns.hpp"

#include <algorithm>
#include <map>

#include "model/basis.hpp"
#include "model/parameters.hpp"

namespace bl {

namespace {

// The column of the encoder that a term of the first layer reads; nothing for terms of the response alone.
const EncodedColumn* column_of(const StoredModel& model, const Term& term) {
  const Term read = factors_where(term, [&](std::int32_t i) { return i < model.architecture.input.context; });
  return read.empty() ? nullptr : &model.encoder.columns()[static_cast<std::size_t>(read[0])];
}

// Of what a feature adds to a head over the rows: for each row the sum of its weights times the encoded
// columns, those of products with other features too. Of products with classes the mean over the classes.
double variance_of(const double* weights, const std::vector<Term>& terms,
                   const std::vector<const EncodedColumn*>& columns, std::size_t feature,
                   const Matrix<double>& rows) {
  std::map<Term, std::vector<double>> by_rest;  // what the column is multiplied with, value of every row
  for (std::size_t t = 0; t < terms.size(); ++t) {
    if (columns[t] == nullptr || !columns[t]->reads(feature)) continue;
    auto& values = by_rest[Term(terms[t].begin() + 1, terms[t].end())];
    values.resize(static_cast<std::size_t>(rows.rows()), 0);
    for (Index i = 0; i < rows.rows(); ++i)
      values[static_cast<std::size_t>(i)] += weights[t] * rows(i, terms[t][0]);
  }
  const auto n = static_cast<double>(rows.rows());
  double variance = 0;
  for (const auto& [rest, values] : by_rest) {
    double sum = 0, squares = 0;
    for (const double value : values) {
      sum += value;
      squares += value * value;
    }
    variance += (squares / n - (sum / n) * (sum / n)) / static_cast<double>(by_rest.size());
  }
  return variance;
}

}  // namespace

std::vector<Bound> head_bounds(const StoredModel& model, const Matrix<double>& rows, std::size_t most) {
  const Architecture& a = model.architecture;
  const ParameterLayout layout(a);
  const std::vector<Term> terms = basis_terms(a.basis, a.input, a.degree());
  std::vector<const EncodedColumn*> columns;
  for (const Term& term : terms) columns.push_back(column_of(model, term));
  const std::size_t count = model.encoder.features().size();
  std::vector<Bound> bounds(static_cast<std::size_t>(layout.size()), Bound::none);
  if (count <= most) return {};
  for (const TensorInfo& tensor : layout.tensors()) {
    if (tensor.layer != 0 || tensor.role != TensorRole::weight) continue;
    for (Index head = 0; head < tensor.size() / tensor.cols; ++head) {
      const auto first = static_cast<std::size_t>(tensor.offset + head * tensor.cols);
      std::vector<std::pair<double, std::size_t>> moved;  // minus the variance, feature
      for (std::size_t f = 0; f < count; ++f)
        moved.emplace_back(-variance_of(&model.parameters[first], terms, columns, f, rows), f);
      std::sort(moved.begin(), moved.end());
      for (std::size_t t = 0; t < terms.size(); ++t)
        if (columns[t] != nullptr &&
            std::any_of(moved.begin() + static_cast<std::ptrdiff_t>(most), moved.end(),
                        [&](const auto& one) { return columns[t]->reads(one.second); }))
          bounds[first + t] = Bound::zero;
    }
  }
  return bounds;
}

}  // namespace bl
