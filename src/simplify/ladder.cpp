#include "simplify/ladder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace bl {

namespace {

constexpr std::array<std::size_t, 5> kBlocks = {1, 2, 3, 5, 8};
constexpr std::array<std::size_t, 4> kColumns = {4, 8, 16, 32};
constexpr std::array<std::size_t, 2> kUtilityHeads = {6, 16};

template <std::size_t N>
std::vector<std::size_t> steps(const std::array<std::size_t, N>& all, std::size_t last) {
  std::vector<std::size_t> out;
  for (const std::size_t one : all)
    if (one < last) out.push_back(one);
  out.push_back(last);
  return out;
}

}  // namespace

std::vector<Size> ladder(const Size& most, std::size_t features) {
  std::vector<Size> sizes;
  for (const std::size_t c : steps(kColumns, std::min(features, most.columns)))
    for (const std::size_t b : steps(kBlocks, most.blocks)) sizes.push_back({b, c, most.utility_heads});
  return sizes;
}

std::optional<Size> with_more_heads(const Size& last, const RowMean& behind, double gained) {
  if (behind.mean <= std::max(behind.error, kNoticeableLoss) || gained < kNoticeableLoss) return std::nullopt;
  const auto more = std::upper_bound(kUtilityHeads.begin(), kUtilityHeads.end(), last.utility_heads);
  if (more == kUtilityHeads.end()) return std::nullopt;
  return Size{last.blocks, last.columns, *more};
}

RowMean mean_of(const std::vector<double>& losses, const std::vector<double>& weights) {
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };
  double sum = 0, total = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    sum += weight(i) * losses[i];
    total += weight(i);
  }
  const double mean = sum / total;
  double squares = 0;
  for (std::size_t i = 0; i < losses.size(); ++i)
    squares += weight(i) * weight(i) * (losses[i] - mean) * (losses[i] - mean);
  const auto n = static_cast<double>(losses.size());
  const double factor = n > 1 ? n / (n - 1) : std::numeric_limits<double>::quiet_NaN();
  return {mean, std::sqrt(squares * factor) / total};
}

RowMean mean_difference(const std::vector<double>& a, const std::vector<double>& b,
                        const std::vector<double>& weights) {
  std::vector<double> difference(a.size());
  std::transform(a.begin(), a.end(), b.begin(), difference.begin(), std::minus<>());
  return mean_of(difference, weights);
}

std::size_t chosen_size(const std::vector<Size>& sizes, const std::vector<std::vector<double>>& losses,
                        const std::vector<double>& weights, const Size& asked) {
  std::vector<std::size_t> allowed;
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if ((asked.blocks == 0 || sizes[i].blocks == asked.blocks) &&
        (asked.columns == 0 || sizes[i].columns == asked.columns))
      allowed.push_back(i);
  const std::size_t best =
      *std::min_element(allowed.begin(), allowed.end(), [&](std::size_t a, std::size_t b) {
        return mean_of(losses[a], weights).mean < mean_of(losses[b], weights).mean;
      });
  std::size_t chosen = best;
  const auto terms = [&](std::size_t i) {
    return sizes[i].blocks * sizes[i].columns * (sizes[i].utility_heads + 2);  // one C and one T head
  };
  for (const std::size_t i : allowed) {
    const RowMean worse = mean_difference(losses[i], losses[best], weights);
    if (worse.mean <= std::min(worse.error, kNoticeableLoss) && terms(i) < terms(chosen)) chosen = i;
  }
  return chosen;
}

}  // namespace bl
