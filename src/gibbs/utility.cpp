#include "gibbs/utility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "bl/errors.hpp"
#include "compute/log_sum_exp.hpp"
#include "model/join.hpp"

namespace bl::gibbs {

namespace {

constexpr Index kPointsPerCall = 128;

// Buffers of one thread, kept between calls because a distribution evaluates many small batches.
struct Scratch {
  NetworkWorkspace<double> network;
  Matrix<double> values;
  std::vector<std::int32_t> begin, classes;
  std::vector<double> sum;  // of the members' scores
};

Scratch& scratch() {
  thread_local Scratch one;
  return one;
}

}  // namespace

Utility::Prepared::Prepared(const Architecture& architecture, std::vector<double> values)
    : network(architecture), parameters(std::move(values)) {
  network.prepare(parameters, prepared);
}

Utility::Utility(const Architecture& architecture, std::vector<double> parameters, double temperature,
                 Support support)
    : whole_(std::make_shared<const Prepared>(architecture, std::move(parameters))),
      temperature_(temperature),
      support_(std::move(support)),
      classes_(architecture.form == Form::vector ? architecture.outputs : architecture.input.classes) {
  prepare_lines();
  const Index count = joined_members(architecture, whole_->parameters);
  if (count == 1) {
    members_.push_back(whole_);
    return;
  }
  const Architecture one = member_architecture(architecture, count);
  for (auto& member : split_parameters(one, count, whole_->parameters))
    members_.push_back(std::make_shared<const Prepared>(one, std::move(member)));
}

void Utility::prepare_lines() {
  if (!piecewise::has_lines(network().architecture()) || classes_ > 0) return;
  auto lines = std::make_shared<piecewise::LayerLines>();
  lines->prepare(network(), prepared(), temperature_);
  lines_ = std::move(lines);
}

void Utility::line_offsets(MatrixView<const double> context, Matrix<double>& out) const {
  Scratch& s = scratch();
  s.values.resize(context.rows, 1);
  std::fill(s.values.flat().begin(), s.values.flat().end(), 0.0);
  s.begin.resize(static_cast<std::size_t>(context.rows) + 1);
  std::iota(s.begin.begin(), s.begin.end(), 0);
  const MatrixView<double> heads =
      network().heads(prepared(), {context, s.begin, s.values.view(), {}}, s.network);
  out.resize(heads.rows, heads.cols);
  for (Index i = 0; i < heads.rows; ++i) std::copy_n(heads.row(i), heads.cols, out.row(i));
}

piecewise::Density Utility::exact_distribution(const double* offsets) const {
  thread_local piecewise::LineWorkspace ws;
  lines_->breakpoints(offsets, support_.lower[0], support_.upper[0], ws);
  return {ws.places, ws.values};
}

piecewise::Density Utility::exact_distribution_of(const double* context) const {
  Matrix<double> offsets;
  const Index columns = network().architecture().input.context;
  line_offsets({context, 1, columns, columns}, offsets);
  return exact_distribution(offsets.row(0));
}

std::span<double> Utility::scores(const Points<double>& points) const {
  Scratch& s = scratch();
  members_[0]->network.forward(members_[0]->prepared, points, s.network, true);
  if (members_.size() == 1) return s.network.scores.flat();
  const auto& one = std::as_const(s.network.scores);
  s.sum.assign(one.flat().begin(), one.flat().end());
  for (std::size_t m = 1; m < members_.size(); ++m) {
    members_[m]->network.forward(members_[m]->prepared, points, s.network, true);
    std::transform(s.sum.begin(), s.sum.end(), one.flat().begin(), s.sum.begin(), std::plus<>());
  }
  for (double& score : s.sum) score /= static_cast<double>(members_.size());
  return s.sum;
}

Utility Utility::at_temperature(double temperature) const {
  if (!(temperature > 0) || std::isinf(temperature))
    throw UsageError(
        fmt::format("the temperature must be positive and finite, not {}; for the limit 0 ask for the mode",
                    temperature));
  Utility other = *this;
  other.temperature_ = temperature;
  other.prepare_lines();
  return other;
}

void Utility::utilities(MatrixView<const double> context, MatrixView<const double> values,
                        MatrixView<double> out) const {
  Scratch& s = scratch();
  const bool one_hot = network().architecture().input.classes > 0;
  const Index per_row = one_hot ? classes_ : 1;
  const Index rows_per_call = std::max<Index>(1, kPointsPerCall / per_row);
  for (Index from = 0; from < out.rows; from += rows_per_call) {
    const Index rows = std::min(rows_per_call, out.rows - from);
    s.begin.resize(static_cast<std::size_t>(rows) + 1);
    for (Index i = 0; i <= rows; ++i)
      s.begin[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(i * per_row);
    s.values.resize(rows * per_row, values.cols);
    s.classes.resize(one_hot ? static_cast<std::size_t>(rows * per_row) : 0);
    for (Index p = 0; p < rows * per_row; ++p) {
      if (values.cols > 0) std::copy_n(values.row(from + p / per_row), values.cols, s.values.row(p));
      if (one_hot) s.classes[static_cast<std::size_t>(p)] = static_cast<std::int32_t>(p % per_row);
    }
    const MatrixView<const double> x =
        context.cols > 0 ? context.row_range(from, rows) : MatrixView<const double>{nullptr, rows, 0, 0};
    const std::span<const double> all = scores({x, s.begin, s.values.view(), s.classes});
    for (Index i = 0; i < rows; ++i) std::copy_n(all.data() + i * out.cols, out.cols, out.row(from + i));
  }
}

void Utility::class_log_probabilities(MatrixView<const double> context, MatrixView<const double> values,
                                      MatrixView<double> out) const {
  utilities(context, values, out);
  for (Index i = 0; i < out.rows; ++i) {
    const std::span<double> row(out.row(i), static_cast<std::size_t>(out.cols));
    for (double& u : row) u /= temperature_;
    log_softmax(row);
  }
}

void Utility::log_density(const double* context, std::int32_t class_index, MatrixView<const double> values,
                          std::span<double> out) const {
  Scratch& s = scratch();
  const Architecture& a = network().architecture();
  const Index dx = a.input.context;
  const MatrixView<const double> x{context, 1, dx, dx};
  const bool one_hot = a.input.classes > 0;
  const bool all = class_index == kAllClasses && classes_ > 0;
  const Index per_value = all && one_hot ? classes_ : 1;
  const Index values_per_call = std::max<Index>(1, kPointsPerCall / per_value);
  for (Index from = 0; from < values.rows; from += values_per_call) {
    const Index count = std::min(values_per_call, values.rows - from);
    const Index points = count * per_value;
    s.begin.assign({0, static_cast<std::int32_t>(points)});
    s.values.resize(points, values.cols);
    s.classes.resize(one_hot ? static_cast<std::size_t>(points) : 0);
    for (Index p = 0; p < points; ++p) {
      std::copy_n(values.row(from + p / per_value), values.cols, s.values.row(p));
      if (one_hot)
        s.classes[static_cast<std::size_t>(p)] = all ? static_cast<std::int32_t>(p % per_value) : class_index;
    }
    const std::span<double> log_values = scores({x, s.begin, s.values.view(), s.classes});
    for (double& u : log_values) u /= temperature_;
    const auto per = static_cast<std::size_t>(one_hot ? per_value : a.outputs);
    for (Index k = 0; k < count; ++k) {
      const auto row = log_values.subspan(static_cast<std::size_t>(k) * per, per);
      out[static_cast<std::size_t>(from + k)] = all        ? log_sum_exp<double>(row)
                                                : per == 1 ? row[0]
                                                           : row[static_cast<std::size_t>(class_index)];
    }
  }
}

Distribution1d Utility::distribution_1d(const double* context, std::int32_t class_index,
                                        const QuadratureOptions& options) const {
  const LogDensity1d function = [this, context, class_index](std::span<const double> y,
                                                             std::span<double> out) {
    log_density(context, class_index, {y.data(), static_cast<Index>(y.size()), 1, 1}, out);
  };
  return Distribution1d(function, support_.lower.at(0), support_.upper.at(0), options);
}

Distribution2d Utility::distribution_2d(const double* context, std::int32_t class_index,
                                        const QuadratureOptions& options) const {
  const LogDensity2d function = [this, context, class_index](MatrixView<const double> y,
                                                             std::span<double> out) {
    log_density(context, class_index, y, out);
  };
  return Distribution2d(
      function, {{support_.lower.at(0), support_.lower.at(1)}, {support_.upper.at(0), support_.upper.at(1)}},
      options);
}

}  // namespace bl::gibbs
