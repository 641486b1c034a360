#include "features/choice_rivals.hpp"

#include <algorithm>

namespace bl {

namespace {

using RivalKind = RivalSummary::Kind;

// Positions of the other entries of the situation that have the attribute.
std::vector<std::size_t> rivals_of(const LacksAttribute& lacks, const ChoiceData& data, std::size_t situation,
                                   std::size_t entry, std::size_t attribute) {
  std::vector<std::size_t> out;
  for (auto k = static_cast<std::size_t>(data.begin[situation]);
       k < static_cast<std::size_t>(data.begin[situation + 1]); ++k)
    if (k != entry && !lacks(k, attribute)) out.push_back(k);
  return out;
}

double value_of(RivalKind kind, double own, const std::vector<double>& others) {
  if (others.empty()) return kind == RivalKind::rank ? 0.5 : own;
  const auto n = static_cast<double>(others.size());
  double sum = 0;
  switch (kind) {
    case RivalKind::smallest:
      return *std::min_element(others.begin(), others.end());
    case RivalKind::largest:
      return *std::max_element(others.begin(), others.end());
    case RivalKind::rank:
      for (const double other : others) sum += other < own ? 1 : other == own ? 0.5 : 0;
      return sum / n;
    case RivalKind::mean:
      for (const double other : others) sum += other;
  }
  return sum / n;
}

}  // namespace

void compute_rivals(const ChoiceSchema& schema, const LacksAttribute& lacks, ChoiceData& data) {
  const std::size_t first = schema.declared + schema.terms.size();
  std::vector<double> others;
  for (std::size_t i = 0; i + 1 < data.begin.size() && !schema.rivals.empty(); ++i)
    for (auto j = static_cast<std::size_t>(data.begin[i]); j < static_cast<std::size_t>(data.begin[i + 1]);
         ++j)
      for (std::size_t r = 0; r < schema.rivals.size(); ++r) {
        const RivalSummary& one = schema.rivals[r];
        const auto x = static_cast<Index>(one.attribute);
        others.clear();
        for (const std::size_t k : rivals_of(lacks, data, i, j, one.attribute))
          others.push_back(data.attributes(static_cast<Index>(k), x));
        data.attributes(static_cast<Index>(j), static_cast<Index>(first + r)) =
            value_of(one.kind, data.attributes(static_cast<Index>(j), x), others);
      }
}

double rival_slope(const RivalSummary& summary, const LacksAttribute& lacks, const ChoiceData& data,
                   std::size_t situation, std::size_t j, std::size_t k) {
  if (summary.kind == RivalKind::rank) return 0;
  const auto rivals = rivals_of(lacks, data, situation, j, summary.attribute);
  if (rivals.empty()) return j == k && summary.kind != RivalKind::rank ? 1 : 0;
  if (std::find(rivals.begin(), rivals.end(), k) == rivals.end()) return 0;
  if (summary.kind == RivalKind::mean) return 1 / static_cast<double>(rivals.size());
  const auto value = [&](std::size_t entry) {
    return data.attributes(static_cast<Index>(entry), static_cast<Index>(summary.attribute));
  };
  bool tied = false;
  for (const std::size_t other : rivals) {
    if (other == k) continue;
    const bool beaten =
        summary.kind == RivalKind::smallest ? value(other) < value(k) : value(other) > value(k);
    if (beaten) return 0;
    tied = tied || value(other) == value(k);
  }
  return tied ? 0.5 : 1;
}

}  // namespace bl
