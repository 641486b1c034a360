#include "random_utility/draws.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "bl/errors.hpp"

namespace bl::random_utility {

namespace {

// Epochs that no other simulation uses.
RandomStream stream_of(const DrawSpec& spec, Index dimension) {
  return {spec.seed, Purpose::simulation, 0x10000 + static_cast<std::uint32_t>(dimension)};
}

std::int64_t next_prime(std::int64_t after) {
  for (std::int64_t n = after + 1;; ++n) {
    bool prime = true;
    for (std::int64_t k = 2; prime && k * k <= n; ++k) prime = n % k != 0;
    if (prime) return n;
  }
}

std::vector<std::int64_t> primes_of(const DrawSpec& spec, Index dimensions) {
  std::vector<std::int64_t> primes = spec.primes;
  while (static_cast<Index>(primes.size()) < dimensions)
    primes.push_back(next_prime(primes.empty() ? 1 : primes.back()));
  return primes;
}

// Digits of 0 ... prime - 1; 0 stays, so that a point has as many digits as before.
std::vector<std::int64_t> digits_of(const DrawSpec& spec, Index dimension, std::int64_t prime) {
  std::vector<std::int64_t> digits{0};
  std::vector<std::int64_t> order(static_cast<std::size_t>(prime - 1));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  if (spec.sequence == Sequence::scrambled_halton) shuffled_order(stream_of(spec, dimension), order);
  for (const std::int64_t one : order) digits.push_back(one + 1);
  return digits;
}

double radical_inverse(std::int64_t index, std::int64_t prime, const std::vector<std::int64_t>& digits) {
  double value = 0, factor = 1.0 / static_cast<double>(prime);
  for (; index > 0; index /= prime, factor /= static_cast<double>(prime))
    value += factor * static_cast<double>(digits[static_cast<std::size_t>(index % prime)]);
  return value;
}

// Joe and Kuo (2008), new-joe-kuo-6.21201: degree, coefficients of the primitive polynomial, first m.
struct SobolRow {
  int degree;
  std::uint32_t polynomial;
  std::array<std::uint32_t, 7> m;
};
constexpr std::array<SobolRow, kSobolDimensions - 1> kSobol = {{
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
}};

constexpr int kBits = 32;

std::array<std::uint32_t, kBits> directions_of(Index dimension) {
  std::array<std::uint32_t, kBits> v{};
  if (dimension == 0) {
    for (int i = 0; i < kBits; ++i) v[static_cast<std::size_t>(i)] = 1U << (kBits - 1 - i);
    return v;
  }
  const SobolRow& row = kSobol[static_cast<std::size_t>(dimension - 1)];
  for (int i = 0; i < kBits; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (i < row.degree) {
      v[at] = row.m[at] << (kBits - 1 - i);
      continue;
    }
    v[at] = v[at - static_cast<std::size_t>(row.degree)] ^
            (v[at - static_cast<std::size_t>(row.degree)] >> row.degree);
    for (int k = 1; k < row.degree; ++k)
      if (((row.polynomial >> (row.degree - 1 - k)) & 1U) != 0) v[at] ^= v[at - static_cast<std::size_t>(k)];
  }
  return v;
}

void fill_sobol(const DrawSpec& spec, Index dimension, Index dimensions, Matrix<double>& out) {
  const Index persons = out.rows() / dimensions;
  if (static_cast<double>(persons) * static_cast<double>(spec.count) > 0x1p32)
    throw UsageError("a Sobol sequence has 2^32 points; use fewer `draws`");
  const auto v = directions_of(dimension);
  const RandomStream stream = stream_of(spec, dimension);
  const auto shift = static_cast<std::uint32_t>(stream.below(1ULL << 32, 0, 0));
  std::uint32_t x = 0;
  std::uint64_t index = 0;
  for (Index p = 0; p < out.rows() / dimensions; ++p)
    for (Index r = 0; r < spec.count; ++r, ++index) {
      // Gray code: point i differs from the one before in the direction of the lowest zero bit of i - 1.
      if (index > 0) x ^= v[static_cast<std::size_t>(std::countr_one(index - 1))];
      out(p * dimensions + dimension, r) = (static_cast<double>(x ^ shift) + 0.5) * 0x1p-32;
    }
}

void fill_halton(const DrawSpec& spec, Index dimension, Index dimensions, std::int64_t prime,
                 Matrix<double>& out) {
  const std::vector<std::int64_t> digits = digits_of(spec, dimension, prime);
  std::int64_t index = 1 + spec.dropped;
  for (Index p = 0; p < out.rows() / dimensions; ++p)
    for (Index r = 0; r < spec.count; ++r, ++index)
      out(p * dimensions + dimension, r) = radical_inverse(index, prime, digits);
}

void fill_pseudo_random(const DrawSpec& spec, Index dimension, Index dimensions, Matrix<double>& out) {
  const RandomStream stream = stream_of(spec, dimension);
  for (Index p = 0; p < out.rows() / dimensions; ++p)
    for (Index r = 0; r < spec.count; ++r)
      out(p * dimensions + dimension, r) =
          stream.uniform(static_cast<std::uint64_t>(p), static_cast<std::uint64_t>(r));
}

}  // namespace

Matrix<double> uniform_draws(const DrawSpec& spec, Index persons, Index dimensions) {
  if (spec.sequence == Sequence::sobol && dimensions > kSobolDimensions)
    throw UsageError(
        fmt::format("the Sobol sequence is available for up to {} random coefficients, not {}; use a "
                    "scrambled Halton sequence",
                    kSobolDimensions, dimensions));
  Matrix<double> out(persons * dimensions, spec.count);
  const std::vector<std::int64_t> primes = primes_of(spec, dimensions);
  for (Index d = 0; d < dimensions; ++d) {
    if (spec.sequence == Sequence::sobol)
      fill_sobol(spec, d, dimensions, out);
    else if (spec.sequence == Sequence::pseudo_random)
      fill_pseudo_random(spec, d, dimensions, out);
    else
      fill_halton(spec, d, dimensions, primes[static_cast<std::size_t>(d)], out);
  }
  return out;
}

namespace {

// Ratio of two polynomials of degree 7, highest power first; the denominator ends with 1.
double ratio(const std::array<double, 8>& above, const std::array<double, 7>& below, double r) {
  double numerator = 0, denominator = 0;
  for (const double one : above) numerator = numerator * r + one;
  for (const double one : below) denominator = denominator * r + one;
  return numerator / (denominator * r + 1);
}

constexpr std::array<double, 8> kMiddleAbove = {
    2.5090809287301226727e3, 3.3430575583588128105e4, 6.7265770927008700853e4, 4.5921953931549871457e4,
    1.3731693765509461125e4, 1.9715909503065514427e3, 1.3314166789178437745e2, 3.3871328727963666080e0};
constexpr std::array<double, 7> kMiddleBelow = {
    5.2264952788528545610e3, 2.8729085735721942674e4, 3.9307895800092710610e4, 2.1213794301586595867e4,
    5.3941960214247511077e3, 6.8718700749205790830e2, 4.2313330701600911252e1};
constexpr std::array<double, 8> kNearAbove = {7.74545014278341407640e-4, 2.27238449892691845833e-2,
                                              2.41780725177450611770e-1, 1.27045825245236838258e0,
                                              3.64784832476320460504e0,  5.76949722146069140550e0,
                                              4.63033784615654529590e0,  1.42343711074968357734e0};
constexpr std::array<double, 7> kNearBelow = {1.05075007164441684324e-9, 5.47593808499534494600e-4,
                                              1.51986665636164571966e-2, 1.48103976427480074590e-1,
                                              6.89767334985100004550e-1, 1.67638483018380384940e0,
                                              2.05319162663775882187e0};
constexpr std::array<double, 8> kFarAbove = {2.01033439929228813265e-7, 2.71155556874348757815e-5,
                                             1.24266094738807843860e-3, 2.65321895265761230930e-2,
                                             2.96560571828504891230e-1, 1.78482653991729133580e0,
                                             5.46378491116411436990e0,  6.65790464350110377720e0};
constexpr std::array<double, 7> kFarBelow = {2.04426310338993978564e-15, 1.42151175831644588870e-7,
                                             1.84631831751005468180e-5,  7.86869131145613259100e-4,
                                             1.48753612908506148525e-2,  1.36929880922735805310e-1,
                                             5.99832206555887937690e-1};

}  // namespace

double normal_draw(double u) {
  const double q = u - 0.5;
  if (std::abs(q) <= 0.425) return q * ratio(kMiddleAbove, kMiddleBelow, 0.180625 - q * q);
  const double r = std::sqrt(-std::log(q < 0 ? u : 1 - u));
  const double size = r <= 5 ? ratio(kNearAbove, kNearBelow, r - 1.6) : ratio(kFarAbove, kFarBelow, r - 5);
  return q < 0 ? -size : size;
}

double triangular_quantile(double u) {
  return u < 0.5 ? std::sqrt(2 * u) - 1 : 1 - std::sqrt(2 * (1 - u));
}

}  // namespace bl::random_utility
