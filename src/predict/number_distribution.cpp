#include "predict/number_distribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bl/errors.hpp"
#include "predict/row_quadrature.hpp"

namespace bl {

namespace {

constexpr Index kRowsPerTask = 64;
constexpr std::size_t kRegionCells = 2000;

// A response that is no point mass may lie on the very end of a slot, by rounding or because it is nearer to
// the point mass than training rows were: its density is then that of the end.
double log_slope_beside_slots(const ResponseEncoding& r, double place) {
  const double step = 1e-9 * r.scale;
  for (const double at : {place, place + step, place - step})
    if (const double slope = r.number.log_slope(at); std::isfinite(slope)) return slope;
  return 0;
}

}  // namespace

NumberDistribution::NumberDistribution(piecewise::Density density, const ResponseEncoding& response)
    : response_(&response), slots_(encoded_slots(response)), density_(std::move(density)) {
  if (slots_.empty()) return;
  density_ = density_->cut_at(slot_ends(response));
}

NumberDistribution::NumberDistribution(const gibbs::Distribution1d& distribution,
                                       const ResponseEncoding& response)
    : response_(&response), distribution_(&distribution) {}

std::pair<double, double> NumberDistribution::transformed_moments() const {
  const ResponseEncoding& r = *response_;
  const auto log_mean = [&](double power) {  // of exp(power t), t = mean + scale v
    return power * r.mean + density_->log_mean_exponential(power * r.scale);
  };
  if (r.number.transform == ResponseTransform::log) return {std::exp(log_mean(1)), std::exp(log_mean(2))};
  const double unit = r.number.unit;
  return {unit / 2 * (std::exp(log_mean(1)) - std::exp(log_mean(-1))),
          unit * unit / 4 * (std::exp(log_mean(2)) + std::exp(log_mean(-2)) - 2)};
}

double NumberDistribution::mean() const {
  const ResponseEncoding& r = *response_;
  if (distribution_) return decoded(distribution_->mean().value);
  if (!slots_.empty()) return density_->mean_of([&](double v) { return decoded(v); });
  if (r.number.transform == ResponseTransform::none) return decoded(density_->mean());
  return r.number.location + transformed_moments().first;
}

double NumberDistribution::standard_deviation() const {
  const ResponseEncoding& r = *response_;
  double variance = 0;
  if (distribution_) {
    variance = distribution_->variance().value * r.scale * r.scale;
  } else if (!slots_.empty()) {
    const double middle = mean();
    variance = density_->mean_of([&](double v) { return std::pow(decoded(v) - middle, 2); });
  } else if (r.number.transform == ResponseTransform::none) {
    variance = density_->variance() * r.scale * r.scale;
  } else {
    const auto [first, second] = transformed_moments();
    variance = second - first * first;
  }
  return std::sqrt(std::max(0.0, variance));
}

double NumberDistribution::quantile(double p) const {
  return decoded(distribution_ ? distribution_->quantile(p) : density_->quantile(p));
}

bool NumberDistribution::transformed() const {
  return response_->number.transform != ResponseTransform::none;
}

double NumberDistribution::probability_below(double y) const {
  const double v = response_->encode(y);
  return distribution_ ? distribution_->cdf(v) : density_->cdf(v);
}

bool NumberDistribution::mean_in_tail(double mean) const {
  constexpr double kFar = 0.1;  // standard deviations of the responses
  const double below = probability_below(mean);
  if (std::max(below, 1 - below) <= kOutInTheTail) return false;
  const double end = quantile(below > 0.5 ? kOutInTheTail : 1 - kOutInTheTail);
  return std::abs(mean - end) > kFar * (decoded(1) - decoded(-1)) / 2;
}

piecewise::Interval NumberDistribution::central_interval(double mass) const {
  return {quantile((1 - mass) / 2), quantile((1 + mass) / 2)};
}

double NumberDistribution::mode() const {
  return decoded(distribution_ ? distribution_->modes().front().y : density_->mode());
}

std::vector<piecewise::Interval> NumberDistribution::highest_density_region(double mass) const {
  std::vector<piecewise::Interval> region;
  if (distribution_ || response_->number.plain()) {
    for (const auto& [lower, upper] :
         distribution_ ? distribution_->highest_density_region(mass) : density_->highest_density_region(mass))
      region.push_back({decoded(lower), decoded(upper)});
    return region;
  }
  // Cells of the axis, the densest in the data's units first; a point mass is denser than any of them.
  std::vector<double> ends;
  for (std::size_t i = 0; i <= kRegionCells; ++i)
    ends.push_back(density_->lower() +
                   (density_->upper() - density_->lower()) * static_cast<double>(i) / kRegionCells);
  for (const Slot& slot : slots_) ends.insert(ends.end(), {slot.lower, slot.upper});
  std::sort(ends.begin(), ends.end());
  const std::size_t cells = ends.size() - 1;
  std::vector<double> masses(cells), density(cells);
  for (std::size_t i = 0; i < cells; ++i) {
    masses[i] = density_->mass(ends[i], ends[i + 1]);
    density[i] =
        masses[i] / std::max(decoded(ends[i + 1]) - decoded(ends[i]), std::numeric_limits<double>::min());
  }
  std::vector<std::size_t> order(cells);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return density[a] > density[b]; });
  std::vector<bool> inside(cells, false);
  double sum = 0;
  for (std::size_t i = 0; i < cells && sum < mass; ++i) {
    inside[order[i]] = true;
    sum += masses[order[i]];
  }
  for (std::size_t i = 0; i < cells; ++i) {
    if (!inside[i]) continue;
    const piecewise::Interval part{decoded(ends[i]), decoded(ends[i + 1])};
    if (i > 0 && inside[i - 1])
      region.back().upper = part.upper;
    else
      region.push_back(part);
  }
  return region;
}

double NumberDistribution::log_density(double y) const {
  const ResponseEncoding& r = *response_;
  const double v = r.encode(y);
  if (distribution_) {
    double out = 0;
    distribution_->log_density(std::span<const double>(&v, 1), std::span<double>(&out, 1));
    return out - std::log(r.scale);
  }
  for (const Slot& slot : slots_)
    if (slot.value == y) return std::log(density_->mass(slot.lower, slot.upper));
  if (r.number.whole_numbers) return -std::numeric_limits<double>::infinity();
  return density_->log_density(v) - log_slope_beside_slots(r, r.number.place(y)) - std::log(r.scale);
}

double NumberDistribution::crps(double y) const {
  const ResponseEncoding& r = *response_;
  const double v = r.encode(y);
  if (distribution_) return distribution_->crps(v) * r.scale;
  if (r.number.whole_numbers) {  // the distribution function is a staircase: it jumps at each whole number
    double sum = 0;
    for (std::size_t k = 0; k + 1 < slots_.size(); ++k) {
      const double away = density_->cdf(slots_[k].upper) - (slots_[k].value >= y ? 1 : 0);
      sum += away * away * (slots_[k + 1].value - slots_[k].value);
    }
    return sum;
  }
  if (r.number.plain()) return density_->crps(v) * r.scale;
  double sum = density_->crps(
      v, [&](double at) { return decoded(at); },
      [&](double at) { return r.scale * std::exp(r.number.log_slope(at * r.scale + r.mean)); }, r.scale);
  // Responses may leap at the end of a slot (from zero to the least logarithm): nothing lies in between.
  constexpr double kBeside = 1e-9;
  const auto add_leap = [&](double from, double to, double at) {
    const double below = density_->cdf(at), cut = std::clamp(y, from, std::max(from, to));
    if (from < to) sum += below * below * (cut - from) + (1 - below) * (1 - below) * (to - cut);
  };
  double before = density_->lower();  // the end of the slot before: between neighbours there is one leap
  for (const Slot& slot : slots_) {
    if (slot.upper < density_->upper()) add_leap(slot.value, decoded(slot.upper + kBeside), slot.upper);
    if (slot.lower > before + 2 * kBeside) add_leap(decoded(slot.lower - kBeside), slot.value, slot.lower);
    before = slot.upper;
  }
  return sum;
}

void for_each_distribution(const gibbs::Utility& utility, const ResponseEncoding& response,
                           const Matrix<double>& context, double tolerance, const Context& job,
                           RowNotes* notes, const std::function<std::string(std::size_t row)>& name,
                           const std::function<void(std::size_t row, const NumberDistribution&)>& visit) {
  const Index rows = context.rows(), columns = context.cols();
  const auto guarded = [&](Index row, const auto& work) {
    try {
      work();
    } catch (const NumericError& error) {
      throw NumericError(fmt::format("{}: {}", name(static_cast<std::size_t>(row)), error.what()));
    }
  };
  const auto integrated = [&](const double* features) {
    return row_distribution_1d(utility, features, gibbs::kAllClasses, tolerance, notes);
  };
  std::optional<piecewise::Density> shared;  // where there is no context, all rows have one
  std::optional<gibbs::Distribution1d> shared_by_quadrature;
  if (columns == 0 && rows > 0)
    guarded(0, [&] {
      if (utility.exact())
        shared = utility.exact_distribution_of(nullptr);
      else
        shared_by_quadrature = integrated(nullptr);
    });
  job.run(static_cast<std::size_t>((rows + kRowsPerTask - 1) / kRowsPerTask), [&](std::size_t task) {
    const Index from = static_cast<Index>(task) * kRowsPerTask, count = std::min(kRowsPerTask, rows - from);
    Matrix<double> offsets;
    if (utility.exact() && !shared) utility.line_offsets(context.view().row_range(from, count), offsets);
    for (Index i = 0; i < count; ++i)
      guarded(from + i, [&] {
        const auto row = static_cast<std::size_t>(from + i);
        if (shared)
          visit(row, NumberDistribution(*shared, response));
        else if (utility.exact())
          visit(row, NumberDistribution(utility.exact_distribution(offsets.row(i)), response));
        else if (shared_by_quadrature)
          visit(row, NumberDistribution(*shared_by_quadrature, response));
        else
          visit(row, NumberDistribution(integrated(context.row(from + i)), response));
      });
  });
}

}  // namespace bl
