#include "data/split.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "base/random.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

constexpr std::size_t kParts = 3;
using Shares = std::array<double, kParts>;
using Counts = std::array<Index, kParts>;
using Parts = std::array<std::vector<Index>, kParts>;

Shares normalized(const Shares& fractions) {
  double sum = 0;
  for (const double fraction : fractions) {
    if (!(fraction >= 0) || !std::isfinite(fraction)) {
      throw UsageError("the fractions of a split must be finite and not negative");
    }
    sum += fraction;
  }
  if (!(fractions[0] > 0)) throw UsageError("the fraction of training rows must be positive");
  Shares shares;
  for (std::size_t p = 0; p < kParts; ++p) shares[p] = fractions[p] / sum;
  return shares;
}

Index parts_asked(const Shares& shares) {
  return std::count_if(shares.begin(), shares.end(), [](double share) { return share > 0; });
}

// Whole numbers with the given sum that are closest to the quotas (largest remainders; ties to the first
// part).
Counts apportion(const Shares& quotas, Index sum) {
  Counts counts;
  Index rest = sum;
  Shares remainders;
  for (std::size_t p = 0; p < kParts; ++p) {
    counts[p] = std::max<Index>(0, static_cast<Index>(std::floor(quotas[p] + 1e-9)));  // 0.7 * 10 is 7
    remainders[p] = quotas[p] - static_cast<double>(counts[p]);
    rest -= counts[p];
  }
  for (; rest > 0; --rest) {
    const auto p =
        static_cast<std::size_t>(std::max_element(remainders.begin(), remainders.end()) - remainders.begin());
    ++counts[p];
    remainders[p] -= 1;
  }
  for (; rest < 0; ++rest) --*std::max_element(counts.begin(), counts.end());
  return counts;
}

// Takes rows from the largest part for parts that should not be empty.
void fill_empty(const Shares& shares, Counts& counts) {
  for (std::size_t p = 0; p < kParts; ++p) {
    if (shares[p] > 0 && counts[p] == 0) {
      --*std::max_element(counts.begin(), counts.end());
      ++counts[p];
    }
  }
}

Counts part_sizes(const Shares& shares, Index rows) {
  Shares quotas;
  for (std::size_t p = 0; p < kParts; ++p) quotas[p] = shares[p] * static_cast<double>(rows);
  Counts counts = apportion(quotas, rows);
  fill_empty(shares, counts);
  return counts;
}

Parts cut(std::span<const std::int64_t> order, const Counts& counts) {
  Parts parts;
  std::size_t at = 0;
  for (std::size_t p = 0; p < kParts; ++p) {
    for (Index i = 0; i < counts[p]; ++i) parts[p].push_back(order[at++]);
  }
  return parts;
}

// The members of each label in the given order.
std::vector<std::vector<Index>> by_label(std::span<const std::int64_t> order,
                                         std::span<const std::int32_t> labels) {
  const std::int32_t most = *std::max_element(labels.begin(), labels.end());
  std::vector<std::vector<Index>> members(static_cast<std::size_t>(most) + 1);
  for (const std::int64_t row : order) {
    members[static_cast<std::size_t>(labels[static_cast<std::size_t>(row)])].push_back(row);
  }
  std::erase_if(members, [](const auto& rows) { return rows.empty(); });
  return members;
}

// Class by class; what rounding takes from a part in one class is given back in the next.
Parts stratified(std::span<const std::int64_t> order, std::span<const std::int32_t> labels,
                 const Shares& shares) {
  Parts parts;
  Shares owed{};
  for (const auto& members : by_label(order, labels)) {
    const auto size = static_cast<Index>(members.size());
    for (std::size_t p = 0; p < kParts; ++p) owed[p] += shares[p] * static_cast<double>(size);
    Counts counts = apportion(owed, size);
    if (counts[0] == 0) {
      --*std::max_element(counts.begin(), counts.end());
      ++counts[0];
    }
    auto next = members.begin();
    for (std::size_t p = 0; p < kParts; ++p) {
      parts[p].insert(parts[p].end(), next, next + counts[p]);
      next += counts[p];
      owed[p] -= static_cast<double>(counts[p]);
    }
  }
  for (std::size_t p = 1; p < kParts; ++p) {  // many tiny classes: all their rows may train
    if (shares[p] > 0 && parts[p].empty()) {
      auto& largest = *std::max_element(parts.begin(), parts.end(),
                                        [](const auto& a, const auto& b) { return a.size() < b.size(); });
      parts[p].push_back(largest.back());
      largest.pop_back();
    }
  }
  return parts;
}

// Groups in random order, each to the part that lacks most rows; the last groups go to parts still empty.
Parts grouped(std::span<const std::int64_t> order, std::span<const std::int32_t> labels,
              const Shares& shares) {
  auto groups = by_label(order, labels);
  const auto count = static_cast<Index>(groups.size());
  if (count < parts_asked(shares)) {
    throw DataError("there are " + std::to_string(count) + " groups for " +
                    std::to_string(parts_asked(shares)) +
                    " parts; give fewer parts, or split without groups");
  }
  // by_label orders by code; the first member of each group in the shuffled order makes the order random.
  std::vector<std::size_t> place(labels.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[static_cast<std::size_t>(order[i])] = i;
  std::sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) {
    return place[static_cast<std::size_t>(a[0])] < place[static_cast<std::size_t>(b[0])];
  });
  Parts parts;
  Index left = count;
  for (const auto& group : groups) {
    const auto empty = [&](std::size_t p) { return shares[p] > 0 && parts[p].empty(); };
    const bool must_fill = left-- <= empty(0) + empty(1) + empty(2);
    std::size_t best = kParts;
    double most_lacking = 0;
    for (std::size_t p = 0; p < kParts; ++p) {
      if (!(shares[p] > 0) || (must_fill && !empty(p))) continue;
      const double lacking =
          shares[p] * static_cast<double>(labels.size()) - static_cast<double>(parts[p].size());
      if (best == kParts || lacking > most_lacking) {
        best = p;
        most_lacking = lacking;
      }
    }
    parts[best].insert(parts[best].end(), group.begin(), group.end());
  }
  return parts;
}

}  // namespace

Split split_rows(Index rows, const SplitOptions& options, std::span<const std::int32_t> labels) {
  const Shares shares = normalized(options.fractions);
  if (rows < parts_asked(shares)) {
    throw DataError("there are " + std::to_string(rows) + " rows for " + std::to_string(parts_asked(shares)) +
                    " parts; every part needs at least one row");
  }
  const bool needs_labels = options.kind == SplitKind::stratified || options.kind == SplitKind::group;
  if (needs_labels &&
      (static_cast<Index>(labels.size()) != rows ||
       std::any_of(labels.begin(), labels.end(), [](std::int32_t label) { return label < 0; }))) {
    throw UsageError("a split by class or group needs the class or group of every row");
  }
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  if (options.kind == SplitKind::order) {
    std::iota(order.begin(), order.end(), std::int64_t{0});
  } else {
    shuffled_order(RandomStream(options.seed, Purpose::split), order);
  }
  Parts parts;
  if (options.kind == SplitKind::stratified) {
    parts = stratified(order, labels, shares);
  } else if (options.kind == SplitKind::group) {
    parts = grouped(order, labels, shares);
  } else {
    parts = cut(order, part_sizes(shares, rows));
  }
  for (auto& part : parts) std::sort(part.begin(), part.end());
  return {std::move(parts[0]), std::move(parts[1]), std::move(parts[2])};
}

}  // namespace bl
