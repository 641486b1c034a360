// Peaks and cells of a two-dimensional distribution; what is asked of them is in distribution_2d_queries.cpp.
#include "gibbs/distribution_2d.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bl/errors.hpp"
#include "gibbs/peaks.hpp"

namespace bl::gibbs {

namespace {

constexpr int kInitialCells = 6;          // per axis
constexpr double kNarrowestSide = 1e-12;  // share of the rectangle's side
constexpr Index kRing = 24;               // points of a ring of the climb
constexpr Index kAhead = 4;               // points ahead: 1, 2, 4 and 8 times the last move
constexpr Index kTrials = 2 * kRing + kAhead;
constexpr int kClimbRounds = 600;
constexpr double kShortestStep = 1e-8;  // share of the sides; heights of smooth peaks are exact to its square
const double kGoldenAngle = std::numbers::pi * (3 - std::sqrt(5.0));
constexpr Index kSegment = 65;  // points between two peaks that tell one ridge from two hills

}  // namespace

double Distribution2d::Cell::point(std::size_t axis, std::size_t node) const {
  return (place.lower[axis] + place.upper[axis]) / 2 +
         (place.upper[axis] - place.lower[axis]) / 2 * rule_nodes()[node];
}

double Distribution2d::Cell::quarter_area() const {
  return (place.upper[0] - place.lower[0]) * (place.upper[1] - place.lower[1]) / 4;
}

bool Distribution2d::Cell::contains(const std::array<double, 2>& y) const {
  return y[0] >= place.lower[0] && y[0] <= place.upper[0] && y[1] >= place.lower[1] && y[1] <= place.upper[1];
}

Distribution2d::Distribution2d(LogDensity2d log_density, const Rectangle& support,
                               const QuadratureOptions& options)
    : function_(std::move(log_density)), support_(support), options_(options) {
  for (std::size_t a = 0; a < 2; ++a)
    if (!(support.lower[a] < support.upper[a]) || !std::isfinite(support.lower[a]) ||
        !std::isfinite(support.upper[a]))
      throw UsageError(
          fmt::format("quadrature needs a finite rectangle with lower < upper, got [{}, {}] in dimension {}",
                      support.lower[a], support.upper[a], a));
  if (!(options.tolerance > 0))
    throw UsageError(fmt::format("tolerance is {}, must be positive", options.tolerance));
  if (options.grid < 16)
    throw UsageError(fmt::format("grid is {}, must be at least 16 points", options.grid));
  find_grid_peaks();
  climb(peaks_);
  merge_peaks();
  for (const Peak2d& peak : peaks_) log_top_ = std::max(log_top_, peak.value);
  initial_cells();
  while (split_once()) {
  }
  add_unseen_peak();
}

void Distribution2d::checked(MatrixView<const double> points, std::span<double> out) {
  points_ += points.rows;
  function_(points, out);
  for (Index i = 0; i < points.rows; ++i)
    if (!std::isfinite(out[static_cast<std::size_t>(i)]))
      throw NumericError(fmt::format("the log-density at y = ({}, {}) is {}, not a finite number",
                                     points(i, 0), points(i, 1), out[static_cast<std::size_t>(i)]));
}

void Distribution2d::evaluate(std::span<Cell> cells) {
  Matrix<double> points(static_cast<Index>(cells.size() * kCellPoints), 2);
  Index row = 0;
  for (const Cell& cell : cells)
    for (std::size_t i = 0; i < kRulePoints; ++i)
      for (std::size_t j = 0; j < kRulePoints; ++j, ++row) {
        points(row, 0) = cell.point(0, i);
        points(row, 1) = cell.point(1, j);
      }
  std::vector<double> values(cells.size() * kCellPoints);
  checked(points.view(), values);
  for (std::size_t k = 0; k < cells.size(); ++k) {
    std::copy_n(values.data() + k * kCellPoints, kCellPoints, cells[k].log_values.begin());
    cells[k].top = *std::max_element(cells[k].log_values.begin(), cells[k].log_values.end());
    log_top_ = std::max(log_top_, cells[k].top);
  }
}

// Points of the grid at least as high as their eight neighbours; of equal ones the first counts.
void Distribution2d::find_grid_peaks() {
  const Index n = options_.grid / 4;
  Matrix<double> points(n * n, 2);
  for (Index i = 0; i < n * n; ++i) {
    const Index place[2] = {i / n, i % n};
    for (Index a = 0; a < 2; ++a) {
      const auto axis = static_cast<std::size_t>(a);
      points(i, a) = support_.lower[axis] + (support_.upper[axis] - support_.lower[axis]) *
                                                static_cast<double>(place[a]) / static_cast<double>(n - 1);
    }
  }
  std::vector<double> values(static_cast<std::size_t>(n * n));
  checked(points.view(), values);
  log_top_ = *std::max_element(values.begin(), values.end());
  const auto value = [&](Index i) { return values[static_cast<std::size_t>(i)]; };
  for (Index i = 0; i < n * n; ++i) {
    bool highest = true;
    for (Index di = -1; di <= 1; ++di)
      for (Index dj = -1; dj <= 1; ++dj) {
        const Index r = i / n + di, c = i % n + dj, other = r * n + c;
        if (r < 0 || r >= n || c < 0 || c >= n || other == i) continue;
        highest = highest && (other < i ? value(i) > value(other) : value(i) >= value(other));
      }
    if (highest) peaks_.push_back({{points(i, 0), points(i, 1)}, value(i)});
  }
}

// Two rings of points around each peak, turned a little every round so that no ridge stays hidden between
// them, and points ahead on the way of the last move.
void Distribution2d::place_trials(const std::vector<Peak2d>& peaks, const std::vector<Climber>& climbers,
                                  int round, Matrix<double>& points) const {
  for (Index row = 0; row < points.rows(); ++row) {
    const auto k = static_cast<std::size_t>(row / kTrials);
    const Index s = row % kTrials;
    const Climber& climber = climbers[k];
    const double angle = kGoldenAngle * round + 2 * std::numbers::pi * static_cast<double>(s % kRing) / kRing;
    const double radius = climber.step * (s < kRing ? 1.0 : 0.5);
    std::array<double, 2> move = {radius * std::cos(angle), radius * std::sin(angle)};
    if (s >= 2 * kRing)
      for (std::size_t a = 0; a < 2; ++a)
        move[a] = std::ldexp(climber.heading[a], static_cast<int>(s - 2 * kRing));
    for (std::size_t a = 0; a < 2; ++a)
      points(row, static_cast<Index>(a)) =
          std::clamp(peaks[k].y[a] + move[a] * (support_.upper[a] - support_.lower[a]), support_.lower[a],
                     support_.upper[a]);
  }
}

// The best trial point is taken; after two rounds without one the rings halve.
void Distribution2d::climb(std::vector<Peak2d>& peaks) {
  std::vector<Climber> climbers(peaks.size());
  const Index intervals = options_.grid / 4 - 1;
  for (Climber& climber : climbers) climber.step = 2 / static_cast<double>(intervals);
  Matrix<double> points(static_cast<Index>(peaks.size()) * kTrials, 2);
  std::vector<double> values(peaks.size() * static_cast<std::size_t>(kTrials));
  for (int round = 0; round < kClimbRounds; ++round) {
    place_trials(peaks, climbers, round, points);
    checked(points.view(), values);
    bool moving = false;
    for (std::size_t k = 0; k < peaks.size(); ++k) {
      const auto* own = values.data() + k * static_cast<std::size_t>(kTrials);
      const auto* best = std::max_element(own, own + kTrials);
      Climber& climber = climbers[k];
      if (*best > peaks[k].value) {
        const Index row = static_cast<Index>(k) * kTrials + (best - own);
        const Peak2d next = {{points(row, 0), points(row, 1)}, *best};
        for (std::size_t a = 0; a < 2; ++a)
          climber.heading[a] = (next.y[a] - peaks[k].y[a]) / (support_.upper[a] - support_.lower[a]);
        peaks[k] = next;
        climber.failures = 0;
      } else if (++climber.failures == 2) {
        climber.failures = 0;
        climber.step /= 2;
      }
      moving = moving || climber.step > kShortestStep;
    }
    if (!moving) break;
  }
}

// The refined cells may have found a higher point than the grid did.
void Distribution2d::add_unseen_peak() {
  const auto cell = std::max_element(cells_.begin(), cells_.end(),
                                     [](const Cell& a, const Cell& b) { return a.top < b.top; });
  if (cell->top <= peaks_.front().value) return;
  const auto node = static_cast<std::size_t>(
      std::max_element(cell->log_values.begin(), cell->log_values.end()) - cell->log_values.begin());
  std::vector<Peak2d> found = {
      {{cell->point(0, node / kRulePoints), cell->point(1, node % kRulePoints)}, cell->top}};
  climb(found);
  peaks_.push_back(found.front());
  merge_peaks();
}

// Two peaks are one where the straight way between them does not fall below the lower.
void Distribution2d::merge_peaks() {
  std::stable_sort(peaks_.begin(), peaks_.end(),
                   [](const Peak2d& a, const Peak2d& b) { return a.value > b.value; });
  std::vector<Peak2d> kept;
  Matrix<double> points(kSegment, 2);
  std::vector<double> values(static_cast<std::size_t>(kSegment));
  for (const Peak2d& peak : peaks_) {
    bool separate = true;
    for (const Peak2d& higher : kept) {
      for (Index i = 0; i < kSegment; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(kSegment - 1);
        for (Index a = 0; a < 2; ++a) {
          const auto axis = static_cast<std::size_t>(a);
          points(i, a) = peak.y[axis] + share * (higher.y[axis] - peak.y[axis]);
        }
      }
      checked(points.view(), values);
      const double valley = *std::min_element(values.begin(), values.end());
      separate = separate && peak.value - valley > kProminence * std::max(1.0, std::abs(peak.value));
    }
    if (separate) kept.push_back(peak);
  }
  peaks_ = std::move(kept);
}

void Distribution2d::initial_cells() {
  for (int i = 0; i < kInitialCells * kInitialCells; ++i) {
    const int place[2] = {i / kInitialCells, i % kInitialCells};
    Cell cell;
    for (std::size_t a = 0; a < 2; ++a) {
      const double side = (support_.upper[a] - support_.lower[a]) / kInitialCells;
      cell.place.lower[a] = support_.lower[a] + side * place[a];
      cell.place.upper[a] = place[a] + 1 == kInitialCells ? support_.upper[a] : cell.place.lower[a] + side;
    }
    cells_.push_back(cell);
  }
  evaluate(cells_);
}

Distribution2d::CellSums Distribution2d::integral(const Cell& cell) const {
  // Sums with Kronrod's (K) or Gauss's (G) rule along axis 0 and axis 1.
  double kk = 0, kg = 0, gk = 0;
  for (std::size_t i = 0; i < kRulePoints; ++i) {
    double k = 0, g = 0;
    for (std::size_t j = 0; j < kRulePoints; ++j) {
      const double value = std::exp(cell.log_values[i * kRulePoints + j] - log_top_);
      k += kronrod_weights()[j] * value;
      g += gauss_weights()[j] * value;
    }
    kk += kronrod_weights()[i] * k;
    kg += kronrod_weights()[i] * g;
    gk += gauss_weights()[i] * k;
  }
  const double area = cell.quarter_area();
  const double along_0 = std::abs(kk - gk), along_1 = std::abs(kk - kg);
  return {area * kk, area * (along_0 + along_1), along_0 >= along_1 ? std::size_t{0} : std::size_t{1}};
}

bool Distribution2d::misses_peak(const Cell& cell) const {
  return std::any_of(peaks_.begin(), peaks_.end(), [&](const Peak2d& peak) {
    return peak.value > log_top_ - kNegligible && peak.value - cell.top > kUnseenFall &&
           cell.contains(peak.y);
  });
}

bool Distribution2d::split_once() {
  std::vector<CellSums> parts;
  std::vector<bool> blind;
  total_ = error_ = 0;
  for (const Cell& cell : cells_) {
    parts.push_back(integral(cell));
    blind.push_back(misses_peak(cell));
    total_ += parts.back().value;
    error_ += parts.back().error;
  }
  error_ /= total_;
  if (error_ <= options_.tolerance && std::find(blind.begin(), blind.end(), true) == blind.end())
    return false;
  if (points_ > options_.max_points) return false;
  const double share = 0.5 * options_.tolerance * total_ / static_cast<double>(cells_.size());
  std::vector<Cell> kept, fresh;
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const Rectangle& place = cells_[i].place;
    const auto relative_side = [&](std::size_t a) {
      return (place.upper[a] - place.lower[a]) / (support_.upper[a] - support_.lower[a]);
    };
    std::size_t axis = parts[i].rough_axis;
    if (blind[i]) axis = relative_side(0) >= relative_side(1) ? 0 : 1;
    if ((parts[i].error > share || blind[i]) && relative_side(axis) > kNarrowestSide) {
      Cell low, high;
      low.place = high.place = place;
      low.place.upper[axis] = high.place.lower[axis] = (place.lower[axis] + place.upper[axis]) / 2;
      fresh.push_back(low);
      fresh.push_back(high);
    } else {
      kept.push_back(cells_[i]);
    }
  }
  if (fresh.empty()) return false;
  evaluate(fresh);
  kept.insert(kept.end(), fresh.begin(), fresh.end());
  cells_ = std::move(kept);
  return true;
}

}  // namespace bl::gibbs
