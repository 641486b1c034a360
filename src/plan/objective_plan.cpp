#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/text.hpp"
#include "base/text_parts.hpp"
#include "bl/errors.hpp"
#include "plan/number_plan.hpp"
#include "plan/plan.hpp"
#include "plan/table_plan.hpp"

namespace bl {

namespace {

// How far beyond the training rows the support reaches where the normaliser is exact. A wide support costs
// nothing then, and a row far from all others keeps a density. On a logarithmic axis it would cost the mean:
// what little mass lies far out counts exponentially. There it is half the range of the values that are no
// point masses.
double room_beyond(const ResponseEncoding& response, const std::vector<Slot>& slots,
                   const Matrix<double>& values, Index column) {
  constexpr double kFar = 10, kShareOfRange = 0.5;
  if (response.number.transform == ResponseTransform::none) return kFar;
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (Index i = 0; i < values.rows(); ++i) {
    const double value = values(i, column);
    const bool mass = std::any_of(slots.begin(), slots.end(), [&](const Slot& slot) {
      return value >= slot.lower && value <= slot.upper;
    });
    if (mass) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  return high > low ? std::min(kFar, kShareOfRange * (high - low)) : kFar;
}

}  // namespace

Support plan_support(const Settings& s, const Encoder& encoder, const ResponseSpace& space,
                     const Matrix<double>& train_values) {
  // Encoded responses have standard deviation 1. On a logarithmic axis tails are long: of a Cauchy
  // distribution, one row in forty of another sample's largest lies beyond three.
  constexpr double kWider = 3;
  const bool exact = space.single_continuous() && plans_exact_number(s);
  Support support;
  const auto given = s.support == "auto" ? std::vector<std::string>{} : split_list(s.support);
  if (!given.empty() && given.size() != space.continuous_responses.size())
    throw UsageError(fmt::format("`support` = {}: expected {} ranges low:high, one per continuous response",
                                 in_quotes(s.support), space.continuous_responses.size()));
  for (std::size_t k = 0; k < space.continuous_responses.size(); ++k) {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (Index i = 0; i < train_values.rows(); ++i) {
      low = std::min(low, train_values(i, static_cast<Index>(k)));
      high = std::max(high, train_values(i, static_cast<Index>(k)));
    }
    const ResponseEncoding& response = encoder.responses()[space.continuous_responses[k]];
    const std::vector<Slot> slots = encoded_slots(response);
    // An end that lies in a point mass is the end of its slot: nothing lies beyond the lowest or highest one.
    const auto outer = [&](double end, double otherwise, double Slot::*side) {
      for (const Slot& slot : slots)
        if (end >= slot.lower && end <= slot.upper) return slot.*side;
      return otherwise;
    };
    if (given.empty()) {
      const bool whole = response.number.whole_numbers;
      const double wider = exact ? room_beyond(response, slots, train_values, static_cast<Index>(k)) : kWider;
      support.lower.push_back(whole ? slots.front().lower : outer(low, low - wider, &Slot::lower));
      support.upper.push_back(whole ? slots.back().upper : outer(high, high + wider, &Slot::upper));
      continue;
    }
    const auto ends = split_list(given[k], ':');
    const auto end_of = [&](std::size_t side) {
      return ends.size() == 2 ? number_of<double>(ends[side]).value_or(NAN) : NAN;
    };
    const double from = end_of(0), to = end_of(1);
    if (!std::isfinite(from) || !std::isfinite(to) || !(from < to))
      throw UsageError(
          fmt::format("`support`: {} should be low:high, finite, with low < high", in_quotes(given[k])));
    support.lower.push_back(outer(response.encode(from), response.encode(from), &Slot::lower));
    support.upper.push_back(outer(response.encode(to), response.encode(to), &Slot::upper));
    // In single precision, in which the rows may have been encoded: a row exactly on an end is inside.
    if (static_cast<float>(low) < static_cast<float>(support.lower.back()) ||
        static_cast<float>(high) > static_cast<float>(support.upper.back()))
      throw DataError(fmt::format(
          "the support {} of '{}' leaves out training rows, which range from {} to {}", given[k],
          response.name, format_number(response.decode(low)), format_number(response.decode(high))));
  }
  return support;
}

std::vector<double> repeated_values(const Matrix<double>& train_values) {
  constexpr Index kOften = 5, kShare = 200;  // times, and once in so many rows
  constexpr std::size_t kMost = 100;
  if (train_values.cols() != 1) return {};
  std::vector<double> sorted(train_values.flat().begin(), train_values.flat().end());
  std::sort(sorted.begin(), sorted.end());
  const auto often = static_cast<std::ptrdiff_t>(std::max(kOften, train_values.rows() / kShare));
  std::vector<std::pair<std::ptrdiff_t, double>> found;  // minus the count, value
  for (auto from = sorted.begin(); from != sorted.end();) {
    const auto to = std::upper_bound(from, sorted.end(), *from);
    if (to - from >= often) found.emplace_back(from - to, *from);
    from = to;
  }
  std::sort(found.begin(), found.end());
  if (found.size() > kMost) found.resize(kMost);
  std::vector<double> values;
  for (const auto& [count, value] : found) values.push_back(value);
  return values;
}

ObjectiveSpec plan_objective(const Settings& s, const ResponseSpace& space, const Support& support,
                             const std::vector<double>& repeated, NormaliserUse use) {
  ObjectiveSpec spec;
  spec.temperature = s.temperature;
  spec.sigma = s.sigma;
  spec.draws = static_cast<int>(s.draws);
  if (use == NormaliserUse::training) spec.label_smoothing = s.label_smoothing;
  spec.gamma_discrete = s.gamma_d;
  spec.gamma_continuous = s.gamma_c;
  const bool mixed = space.classes() > 0 && space.values() > 0;
  const std::string kind = s.objective != "auto" ? s.objective.value()
                           : mixed               ? "hybrid"
                           : space.values() > 2  ? "dsm"
                                                 : "likelihood";
  if (mixed && kind != "hybrid")
    throw UsageError("class and continuous responses together are learned by the hybrid objective");
  if (kind == "hybrid" && !mixed)
    throw UsageError("the hybrid objective needs a class and a continuous response");
  if (kind == "dsm" && space.values() == 0)
    throw UsageError("score matching (dsm) needs a continuous response; use likelihood");
  spec.kind = kind == "hybrid" ? ObjectiveKind::hybrid
              : kind == "dsm"  ? ObjectiveKind::score_matching
                               : ObjectiveKind::likelihood;
  const bool by_rule = space.values() <= kMostRuleDimensions || !plans_random_candidates(s);
  if (spec.kind == ObjectiveKind::likelihood && space.values() > 0 && by_rule) {
    const int automatic = space.values() == 1 ? 16 : 5;
    int panels = s.panels > 0 ? static_cast<int>(s.panels) : automatic;
    if (use == NormaliserUse::judging) panels = judging_panels(panels, space.values());
    spec.rule = repeated.empty() ? composite_rule(support, panels) : anchored_rule(support, panels, repeated);
  }
  return spec;
}

}  // namespace bl
