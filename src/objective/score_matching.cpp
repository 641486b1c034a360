// Denoising score matching. With the residual r = grad_v BL / tau + e / sigma held constant,
//   d loss / d theta = d / d theta [ (r / tau) . grad_v BL ],
// the parameter derivative of a directional derivative: a tangent sweep along v and one reverse sweep through
// value and tangent. For one response dimension the tangent along v is grad_v BL itself.
#include <algorithm>
#include <cmath>

#include "compute/normal_rows.hpp"

#include "objective/objective.hpp"

namespace bl {

template <class T>
void Objective<T>::place_noisy_values(std::span<const std::int64_t> rows, const Noise& noise,
                                      ObjectiveWorkspace<T>& ws) const {
  const Index dims = data_.values.cols;
  const Index draws = spec_.draws;
  const auto n = static_cast<Index>(rows.size());
  const bool one_hot = network_->architecture().input.classes > 0;
  ws.begin.resize(rows.size() + 1);
  ws.begin[0] = 0;
  ws.noise.resize(n, draws * dims);
  ws.values.resize(n * draws, dims);
  ws.classes.resize(one_hot ? static_cast<std::size_t>(n * draws) : 0);
  if (!noise.given.data)
    fill_normal_rows({noise.stream.seed(), noise.stream.purpose(), noise.stream.epoch()}, rows,
                     ws.noise.view());
  for (Index i = 0; i < n; ++i) {
    const std::int64_t row = rows[static_cast<std::size_t>(i)];
    ws.begin[static_cast<std::size_t>(i) + 1] = static_cast<std::int32_t>((i + 1) * draws);
    T* e = ws.noise.row(i);
    if (noise.given.data)
      std::transform(noise.given.row(row), noise.given.row(row) + draws * dims, e,
                     [](double v) { return static_cast<T>(v); });
    for (Index k = 0; k < draws; ++k) {
      const Index p = i * draws + k;
      for (Index j = 0; j < dims; ++j)
        ws.values(p, j) = data_.values(row, j) + static_cast<T>(noise.sigma) * e[k * dims + j];
      if (one_hot) ws.classes[static_cast<std::size_t>(p)] = data_.classes[static_cast<std::size_t>(row)];
    }
  }
}

template <class T>
double Objective<T>::score_matching(const PreparedParameters<T>& w, std::span<const std::int64_t> rows,
                                    const Noise& noise, double scale, ObjectiveWorkspace<T>& ws,
                                    GradientSum<T>* sums) const {
  place_noisy_values(rows, noise, ws);
  const Points<T> at = points(ws);
  const Index n = at.count(), dims = data_.values.cols, draws = spec_.draws;
  const bool vector_form = network_->architecture().form == Form::vector;
  const auto row_of = [&](Index p) { return rows[static_cast<std::size_t>(p / draws)]; };
  // Which output is the utility of the row's own response.
  const auto output_of = [&](Index p) {
    return vector_form ? static_cast<Index>(data_.classes[static_cast<std::size_t>(row_of(p))]) : 0;
  };
  network_->forward(w, at, ws.network);

  ws.d_scores.resize(n, network_->outputs());
  ws.residual.resize(n, dims);
  ws.direction.resize(n, dims);
  if (dims == 1) {
    std::fill(ws.direction.flat().begin(), ws.direction.flat().end(), T(1));
    network_->tangent(w, at, ws.direction.view(), ws.network);
    for (Index p = 0; p < n; ++p) ws.residual(p, 0) = ws.network.scores_dot(p, output_of(p));
  } else {
    std::fill(ws.d_scores.flat().begin(), ws.d_scores.flat().end(), T(0));
    for (Index p = 0; p < n; ++p) ws.d_scores(p, output_of(p)) = T(1);
    network_->value_gradient(w, at, ws.d_scores.view(), ws.network, ws.residual.view());
  }

  const T inverse_temperature = static_cast<T>(1 / spec_.temperature);
  const T inverse_sigma = static_cast<T>(1 / noise.sigma);
  double loss = 0;
  for (Index p = 0; p < n; ++p) {
    const T* e = ws.noise.row(p / draws) + (p % draws) * dims;
    double square = 0;
    for (Index j = 0; j < dims; ++j) {
      T& r = ws.residual(p, j);
      r = r * inverse_temperature + e[j] * inverse_sigma;
      square += static_cast<double>(r) * static_cast<double>(r);
    }
    loss += 0.5 * square / static_cast<double>(draws) * static_cast<double>(data_.weight(row_of(p)));
  }
  if (!sums) return loss;

  if (dims > 1) {
    for (Index p = 0; p < n; ++p)
      for (Index j = 0; j < dims; ++j) ws.direction(p, j) = ws.residual(p, j) * inverse_temperature;
    network_->tangent(w, at, ws.direction.view(), ws.network);
  }
  std::fill(ws.d_scores.flat().begin(), ws.d_scores.flat().end(), T(0));
  for (Index p = 0; p < n; ++p) {
    const T factor = static_cast<T>(scale / spec_.draws) * data_.weight(row_of(p));
    ws.d_scores(p, output_of(p)) = dims == 1 ? factor * ws.residual(p, 0) * inverse_temperature : factor;
  }
  network_->backward_tangent(w, at, ws.d_scores.view(), ws.network, *sums);
  return loss;
}

#define BL_INSTANTIATE(T)                                                                                   \
  template double Objective<T>::score_matching(const PreparedParameters<T>&, std::span<const std::int64_t>, \
                                               const Noise&, double, ObjectiveWorkspace<T>&,                \
                                               GradientSum<T>*) const;
BL_INSTANTIATE(float)
BL_INSTANTIATE(double)
#undef BL_INSTANTIATE

}  // namespace bl
