#include "metrics/decision.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace bl::metrics {

namespace {

std::size_t at(Index k) {
  return static_cast<std::size_t>(k);
}

// Expected counts of each class: decided and right, decided, there.
struct Expected {
  std::vector<double> right, decided, there;

  explicit Expected(Index classes) : right(at(classes)), decided(at(classes)), there(at(classes)) {}
  double f1(std::size_t k) const {
    const double all = decided[k] + there[k];
    return all > 0 ? 2 * right[k] / all : 0;
  }
  double mean() const {
    double sum = 0;
    for (std::size_t k = 0; k < right.size(); ++k) sum += f1(k);
    return sum / static_cast<double>(right.size());
  }
  void move(std::size_t k, double probability, double weight) {
    right[k] += weight * probability;
    decided[k] += weight;
  }
};

// A row from the point of view of class k: it is decided for k from this log-weight on, else for `other`.
struct Rival {
  double from;
  Index row;
  std::int32_t other;
};

std::vector<Rival> rivals_of(MatrixView<const double> log_p, std::span<const double> log_weights, Index k) {
  std::vector<Rival> out;
  for (Index i = 0; i < log_p.rows; ++i) {
    double best = -std::numeric_limits<double>::infinity();
    std::int32_t other = 0;
    for (Index j = 0; j < log_p.cols; ++j)
      if (j != k && log_p(i, j) + log_weights[at(j)] > best) {
        best = log_p(i, j) + log_weights[at(j)];
        other = static_cast<std::int32_t>(j);
      }
    out.push_back({best - log_p(i, k), i, other});
  }
  std::sort(out.begin(), out.end(), [](const Rival& a, const Rival& b) {
    return a.from != b.from ? a.from < b.from : a.row < b.row;
  });
  return out;
}

// The best log-weight of class k while the others stay: rows come over to it in the order of what they ask.
double best_weight(MatrixView<const double> log_p, std::span<const double> log_weights, Index k,
                   Weights weights, double& best) {
  const std::vector<Rival> rivals = rivals_of(log_p, log_weights, k);
  const RowWeights of_row(weights, at(log_p.rows));
  Expected sums(log_p.cols);
  for (const Rival& r : rivals) {
    sums.move(at(r.other), std::exp(log_p(r.row, r.other)), of_row[at(r.row)]);
    for (Index j = 0; j < log_p.cols; ++j) sums.there[at(j)] += of_row[at(r.row)] * std::exp(log_p(r.row, j));
  }
  double mean = sums.mean(), chosen = log_weights[at(k)];
  const auto classes = static_cast<double>(log_p.cols);
  for (std::size_t n = 0; n < rivals.size(); ++n) {
    const Rival& r = rivals[n];
    const double weight = of_row[at(r.row)], before = sums.f1(at(k)) + sums.f1(at(r.other));
    sums.move(at(k), std::exp(log_p(r.row, k)), weight);
    sums.move(at(r.other), std::exp(log_p(r.row, r.other)), -weight);
    mean += (sums.f1(at(k)) + sums.f1(at(r.other)) - before) / classes;
    const bool last = n + 1 == rivals.size();
    if (!std::isfinite(r.from) || (!last && !(rivals[n + 1].from > r.from))) continue;
    if (!(mean > best + 1e-9)) continue;
    best = mean;
    const double next = last || !std::isfinite(rivals[n + 1].from) ? r.from + 1 : rivals[n + 1].from;
    chosen = (r.from + next) / 2;
  }
  return chosen;
}

}  // namespace

std::vector<std::int32_t> weighted_class(MatrixView<const double> log_p,
                                         std::span<const double> log_weights) {
  std::vector<std::int32_t> out;
  for (Index i = 0; i < log_p.rows; ++i) {
    Index best = 0;
    for (Index k = 1; k < log_p.cols; ++k)
      if (log_p(i, k) + log_weights[at(k)] > log_p(i, best) + log_weights[at(best)]) best = k;
    out.push_back(static_cast<std::int32_t>(best));
  }
  return out;
}

std::vector<std::int32_t> cheapest_class(Probabilities p, MatrixView<const double> costs) {
  std::vector<std::int32_t> out;
  for (Index i = 0; i < p.rows; ++i) {
    Index best = 0;
    double least = std::numeric_limits<double>::infinity();
    for (Index k = 0; k < p.cols; ++k) {
      double cost = 0;
      for (Index j = 0; j < p.cols; ++j) cost += p(i, j) * costs(j, k);
      if (cost < least) {
        least = cost;
        best = k;
      }
    }
    out.push_back(static_cast<std::int32_t>(best));
  }
  return out;
}

double expected_macro_f1(Probabilities p, std::span<const std::int32_t> decided, Weights weights) {
  const RowWeights of_row(weights, at(p.rows));
  Expected sums(p.cols);
  for (Index i = 0; i < p.rows; ++i) {
    const auto k = static_cast<std::size_t>(decided[at(i)]);
    sums.move(k, p(i, decided[at(i)]), of_row[at(i)]);
    for (Index j = 0; j < p.cols; ++j) sums.there[at(j)] += of_row[at(i)] * p(i, j);
  }
  return sums.mean();
}

std::vector<double> macro_f1_log_weights(MatrixView<const double> log_p, Weights weights) {
  constexpr int kMostRounds = 20;
  std::vector<double> log_weights(at(log_p.cols), 0);
  Matrix<double> p(log_p.rows, log_p.cols);
  for (Index i = 0; i < log_p.rows; ++i)
    for (Index k = 0; k < log_p.cols; ++k) p(i, k) = std::exp(log_p(i, k));
  double best = expected_macro_f1(p.view(), weighted_class(log_p, log_weights), weights);
  for (int round = 0; round < kMostRounds; ++round) {
    const double before = best;
    for (Index k = 0; k < log_p.cols; ++k)
      log_weights[at(k)] = best_weight(log_p, log_weights, k, weights, best);
    if (!(best > before)) break;
  }
  const double largest = *std::max_element(log_weights.begin(), log_weights.end());
  for (double& weight : log_weights) weight -= largest;
  return log_weights;
}

}  // namespace bl::metrics
