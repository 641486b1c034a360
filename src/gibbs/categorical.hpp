// Exact draws from a finite distribution given by unnormalised log-probabilities.
#pragma once

#include <cstdint>
#include <span>

#include "base/matrix.hpp"
#include "base/random.hpp"

namespace bl::gibbs {

// The class whose cumulated probability first exceeds `uniform` in (0, 1): inversion. A class of
// log-probability -infinity is never drawn. NumericError where all are -infinity, or one is NaN or +infinity.
template <class T>
std::int32_t categorical_draw(std::span<const T> log_probabilities, double uniform);

// chosen[i] from row i, with the uniform number of chain first + i.
template <class T>
void categorical_draws(const RandomStream& stream, Index first, MatrixView<const T> log_probabilities,
                       std::span<std::int32_t> chosen);

extern template std::int32_t categorical_draw<float>(std::span<const float>, double);
extern template std::int32_t categorical_draw<double>(std::span<const double>, double);
extern template void categorical_draws<float>(const RandomStream&, Index, MatrixView<const float>,
                                              std::span<std::int32_t>);
extern template void categorical_draws<double>(const RandomStream&, Index, MatrixView<const double>,
                                               std::span<std::int32_t>);

}  // namespace bl::gibbs
