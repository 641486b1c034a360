#include "gibbs/categorical.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "bl/errors.hpp"

namespace bl::gibbs {

namespace {

template <class T>
double largest(std::span<const T> log_probabilities) {
  double top = -std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < log_probabilities.size(); ++k) {
    const auto value = static_cast<double>(log_probabilities[k]);
    if (std::isnan(value) || value == std::numeric_limits<double>::infinity())
      throw NumericError(fmt::format("log-probability of class {} is {}", k, value));
    top = std::max(top, value);
  }
  if (!std::isfinite(top)) throw NumericError("every class has probability zero: no class can be drawn");
  return top;
}

}  // namespace

template <class T>
std::int32_t categorical_draw(std::span<const T> log_probabilities, double uniform) {
  const double top = largest(log_probabilities);
  double total = 0;
  for (const T value : log_probabilities) total += std::exp(static_cast<double>(value) - top);
  double below = 0;
  std::size_t last_possible = 0;
  for (std::size_t k = 0; k < log_probabilities.size(); ++k) {
    const double weight = std::exp(static_cast<double>(log_probabilities[k]) - top);
    if (weight == 0) continue;
    below += weight;
    last_possible = k;
    if (uniform * total < below) break;
  }
  return static_cast<std::int32_t>(last_possible);
}

template <class T>
void categorical_draws(const RandomStream& stream, Index first, MatrixView<const T> log_probabilities,
                       std::span<std::int32_t> chosen) {
  const auto classes = static_cast<std::size_t>(log_probabilities.cols);
  for (Index i = 0; i < log_probabilities.rows; ++i) {
    const double uniform = stream.uniform(static_cast<std::uint64_t>(first + i), 0);
    chosen[static_cast<std::size_t>(i)] =
        categorical_draw(std::span<const T>(log_probabilities.row(i), classes), uniform);
  }
}

template std::int32_t categorical_draw<float>(std::span<const float>, double);
template std::int32_t categorical_draw<double>(std::span<const double>, double);
template void categorical_draws<float>(const RandomStream&, Index, MatrixView<const float>,
                                       std::span<std::int32_t>);
template void categorical_draws<double>(const RandomStream&, Index, MatrixView<const double>,
                                        std::span<std::int32_t>);

}  // namespace bl::gibbs
