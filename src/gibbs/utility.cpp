#include "gibbs/utility.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bl/errors.hpp"
#include "compute/log_sum_exp.hpp"

namespace bl::gibbs {

namespace {

constexpr Index kPointsPerCall = 512;

// Buffers of one thread, kept between calls because a law evaluates many small batches.
struct Scratch {
  NetworkWorkspace<double> network;
  Matrix<double> values, scores;
  std::vector<std::int32_t> begin, classes;
};

Scratch& scratch() {
  thread_local Scratch one;
  return one;
}

}  // namespace

Utility::Utility(const Architecture& architecture, std::vector<double> parameters, double temperature,
                 Support support)
    : network_(std::make_shared<Network<double>>(architecture)),
      parameters_(std::make_shared<std::vector<double>>(std::move(parameters))),
      temperature_(temperature),
      support_(std::move(support)),
      classes_(architecture.form == Form::vector ? architecture.outputs : architecture.input.classes) {
  auto prepared = std::make_shared<PreparedParameters<double>>();
  network_->prepare(*parameters_, *prepared);
  prepared_ = prepared;
}

Utility Utility::at_temperature(double temperature) const {
  if (!(temperature > 0) || std::isinf(temperature))
    throw UsageError(
        fmt::format("the temperature must be positive and finite, not {}; for the limit 0 ask for the mode",
                    temperature));
  Utility other = *this;
  other.temperature_ = temperature;
  return other;
}

void Utility::utilities(MatrixView<const double> context, MatrixView<const double> values,
                        MatrixView<double> out) const {
  Scratch& s = scratch();
  const bool one_hot = network_->architecture().input.classes > 0;
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
    network_->forward(*prepared_, {x, s.begin, s.values.view(), s.classes}, s.network, true);
    for (Index i = 0; i < rows; ++i)
      std::copy_n(s.network.scores.data() + i * out.cols, out.cols, out.row(from + i));
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
  const Architecture& a = network_->architecture();
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
    network_->forward(*prepared_, {x, s.begin, s.values.view(), s.classes}, s.network, true);
    const std::span<double> scores = s.network.scores.flat();
    for (double& u : scores) u /= temperature_;
    const auto per = static_cast<std::size_t>(one_hot ? per_value : a.outputs);
    for (Index k = 0; k < count; ++k) {
      const auto row = scores.subspan(static_cast<std::size_t>(k) * per, per);
      out[static_cast<std::size_t>(from + k)] = all        ? log_sum_exp<double>(row)
                                                : per == 1 ? row[0]
                                                           : row[static_cast<std::size_t>(class_index)];
    }
  }
}

Law1d Utility::law_1d(const double* context, std::int32_t class_index,
                      const QuadratureOptions& options) const {
  const LogDensity1d function = [this, context, class_index](std::span<const double> y,
                                                             std::span<double> out) {
    log_density(context, class_index, {y.data(), static_cast<Index>(y.size()), 1, 1}, out);
  };
  return Law1d(function, support_.lower.at(0), support_.upper.at(0), options);
}

Law2d Utility::law_2d(const double* context, std::int32_t class_index,
                      const QuadratureOptions& options) const {
  const LogDensity2d function = [this, context, class_index](MatrixView<const double> y,
                                                             std::span<double> out) {
    log_density(context, class_index, y, out);
  };
  return Law2d(function,
               {{support_.lower.at(0), support_.lower.at(1)}, {support_.upper.at(0), support_.upper.at(1)}},
               options);
}

}  // namespace bl::gibbs
