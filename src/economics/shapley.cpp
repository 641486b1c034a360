// Shapley values of columns, exact by all subsets where those are few, otherwise by drawn orders.
#include "bl/shapley.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "bl/errors.hpp"
#include "economics/effects.hpp"

namespace bl {

namespace {

constexpr std::size_t kExactEvaluations = std::size_t{1} << 16;  // of one row; more columns are sampled
constexpr std::size_t kMostExactColumns = 16;

std::vector<Index> background_rows(const Table& table, const ShapleyOptions& options) {
  std::vector<Index> order(static_cast<std::size_t>(table.rows));
  std::iota(order.begin(), order.end(), Index{0});
  if (options.background == 0 || options.background >= order.size()) return order;
  shuffled_order(RandomStream(options.seed, Purpose::bootstrap), order);
  order.resize(options.background);
  std::sort(order.begin(), order.end());
  return order;
}

// Predictions where some columns come from the row and the others from a background row.
class Mixture {
 public:
  Mixture(const FittedModel& model, const Context& job)
      : model_(model), job_(job), outcomes_(outcome_names(model).size()) {}

  struct Point {
    const double* row;
    const double* other;
    std::vector<bool> of_row;  // by feature
  };

  // [point][outcome].
  std::vector<double> predictions(const std::vector<Point>& points) const {
    constexpr std::size_t kBatch = 4096;
    std::vector<double> out;
    out.reserve(points.size() * outcomes_);
    for (std::size_t from = 0; from < points.size(); from += kBatch)
      add_batch(points, from, std::min(points.size(), from + kBatch), out);
    return out;
  }

 private:
  void add_batch(const std::vector<Point>& points, std::size_t from, std::size_t to,
                 std::vector<double>& out) const {
    const auto& columns = model_.stored.encoder.columns();
    Matrix<double> mixed(static_cast<Index>(to - from), static_cast<Index>(columns.size()));
    for (std::size_t p = from; p < to; ++p)
      for (std::size_t j = 0; j < columns.size(); ++j)
        mixed(static_cast<Index>(p - from), static_cast<Index>(j)) =
            (points[p].of_row[columns[j].feature] ? points[p].row : points[p].other)[j];
    model_.stored.encoder.complete_products(mixed.view());
    for (const auto& distribution : row_distributions(model_, mixed, job_)) {
      std::vector<double> mean(outcomes_, 0);
      for (const WeightedResponse& one : distribution) {
        const std::vector<double> f = outcomes_of(model_, one.response);
        for (std::size_t m = 0; m < outcomes_; ++m) mean[m] += one.weight * f[m];
      }
      out.insert(out.end(), mean.begin(), mean.end());
    }
  }

  const FittedModel& model_;
  const Context& job_;
  std::size_t outcomes_;
};

// The weight of a subset of `size` other columns among `columns`: size! (columns - size - 1)! / columns!.
double subset_weight(std::size_t size, std::size_t columns) {
  const auto n = static_cast<double>(columns), s = static_cast<double>(size);
  return std::exp(std::lgamma(s + 1) + std::lgamma(n - s) - std::lgamma(n + 1));
}

struct Players {
  std::size_t columns, outcomes;
  const Matrix<double>* background;
};

// phi_j = sum over subsets S without j of weight(|S|) * (v(S and j) - v(S)).
std::vector<double> exact_values(const Mixture& mixture, const Players& players, const double* row) {
  const auto others = static_cast<std::size_t>(players.background->rows());
  const std::size_t subsets = std::size_t{1} << players.columns;
  std::vector<Mixture::Point> points;
  points.reserve(subsets * others);
  for (std::size_t mask = 0; mask < subsets; ++mask) {
    std::vector<bool> of_row(players.columns);
    for (std::size_t j = 0; j < players.columns; ++j) of_row[j] = (mask >> j & 1) != 0;
    for (std::size_t b = 0; b < others; ++b)
      points.push_back({row, players.background->row(static_cast<Index>(b)), of_row});
  }
  const std::vector<double> predicted = mixture.predictions(points);
  std::vector<double> v(subsets * players.outcomes, 0);  // [subset][outcome]
  for (std::size_t p = 0; p < points.size(); ++p)
    for (std::size_t m = 0; m < players.outcomes; ++m)
      v[p / others * players.outcomes + m] +=
          predicted[p * players.outcomes + m] / static_cast<double>(others);
  std::vector<double> out(players.columns * players.outcomes, 0);
  for (std::size_t j = 0; j < players.columns; ++j)
    for (std::size_t mask = 0; mask < subsets; ++mask) {
      if ((mask >> j & 1) != 0) continue;
      const auto size = static_cast<std::size_t>(std::popcount(mask));
      const double weight = subset_weight(size, players.columns);
      for (std::size_t m = 0; m < players.outcomes; ++m)
        out[j * players.outcomes + m] += weight * (v[(mask | std::size_t{1} << j) * players.outcomes + m] -
                                                   v[mask * players.outcomes + m]);
    }
  return out;
}

struct Sampled {
  std::vector<double> values, errors;
};

// Columns enter in a drawn order and in its reverse, once (or `rounds` times) for every background row, so
// that the values sum to what they should exactly.
Sampled sampled_values(const Mixture& mixture, const Players& players, const double* row, std::uint64_t place,
                       std::size_t rounds, std::uint64_t seed) {
  const auto others = static_cast<std::size_t>(players.background->rows());
  const std::size_t pairs = rounds * others, width = players.columns * players.outcomes;
  std::vector<std::vector<Index>> orders;
  std::vector<Mixture::Point> points;
  for (std::size_t k = 0; k < 2 * pairs; ++k) {
    std::vector<Index> order(players.columns);
    if (k % 2 == 0) {
      // The same orders for every row would tie their errors together.
      const auto draw = static_cast<std::uint32_t>(k / 2);
      shuffled_order(RandomStream(seed + place * 1000003U, Purpose::bootstrap, draw + 1), order);
    } else {
      order.assign(orders.back().rbegin(), orders.back().rend());
    }
    std::vector<bool> of_row(players.columns, false);
    const double* other = players.background->row(static_cast<Index>(k / 2 % others));
    points.push_back({row, other, of_row});
    for (const Index j : order) {
      of_row[static_cast<std::size_t>(j)] = true;
      points.push_back({row, other, of_row});
    }
    orders.push_back(std::move(order));
  }
  const std::vector<double> predicted = mixture.predictions(points);
  std::vector<double> sum(width, 0), squares(width, 0), pair(width, 0);
  for (std::size_t k = 0; k < orders.size(); ++k) {
    const std::size_t first = k * (players.columns + 1);
    for (std::size_t step = 0; step < players.columns; ++step)
      for (std::size_t m = 0; m < players.outcomes; ++m)
        pair[static_cast<std::size_t>(orders[k][step]) * players.outcomes + m] +=
            0.5 * (predicted[(first + step + 1) * players.outcomes + m] -
                   predicted[(first + step) * players.outcomes + m]);
    if (k % 2 == 0) continue;
    for (std::size_t i = 0; i < width; ++i) {
      sum[i] += pair[i];
      squares[i] += pair[i] * pair[i];
    }
    std::fill(pair.begin(), pair.end(), 0);
  }
  Sampled out;
  const auto n = static_cast<double>(pairs);
  for (std::size_t i = 0; i < width; ++i) {
    const double mean = sum[i] / n, variance = std::max(0.0, squares[i] / n - mean * mean);
    out.values.push_back(mean);
    out.errors.push_back(pairs > 1 ? std::sqrt(variance / (n - 1)) : 0);
  }
  return out;
}

std::vector<double> mean_by_outcome(const std::vector<double>& predicted, std::size_t outcomes) {
  std::vector<double> mean(outcomes, 0);
  for (std::size_t i = 0; i < predicted.size(); ++i) mean[i % outcomes] += predicted[i];
  for (double& one : mean) one *= static_cast<double>(outcomes) / static_cast<double>(predicted.size());
  return mean;
}

}  // namespace

ShapleyValues shapley_values(const Model& model, const Data& data, const Data& background,
                             const ShapleyOptions& options) {
  const FittedModel& impl = of_table(model, "Shapley values of columns");
  if (impl.space.values() > 1)
    throw UsageError("Shapley values are available for a class or one continuous response, not for several");
  const Context job(options.threads,
                    {.should_stop = options.should_stop, .on_progress = options.on_progress});
  const Encoder encoder = options.treat_unseen_as_missing
                              ? impl.stored.encoder.with_unseen(UnseenPolicy::missing)
                              : impl.stored.encoder;
  const Table& table = data.impl().table;
  const Matrix<double> rows = encoder.encode_features<double>(table, all_rows(table.rows));
  const Table& compared = background.impl().table;
  const Matrix<double> others = encoder.encode_features<double>(compared, background_rows(compared, options));
  ShapleyValues out;
  out.outcomes = outcome_names(impl);
  out.rows = static_cast<std::size_t>(rows.rows());
  out.background = static_cast<std::size_t>(others.rows());
  for (const FeatureEncoding& feature : encoder.features()) out.columns.push_back(feature.name);
  if (out.columns.empty()) throw UsageError("the model reads no columns, so none has a Shapley value");
  const Players players{out.columns.size(), out.outcomes.size(), &others};
  out.exact = options.rounds == 0 && players.columns <= kMostExactColumns &&
              (out.background << players.columns) <= kExactEvaluations;
  const Mixture mixture(impl, job);
  std::vector<Mixture::Point> alone;
  for (Index b = 0; b < others.rows(); ++b)
    alone.push_back({others.row(b), others.row(b), std::vector<bool>(players.columns, false)});
  out.base = mean_by_outcome(mixture.predictions(alone), players.outcomes);
  for (Index i = 0; i < rows.rows(); ++i) {
    job.require_going();
    job.tell("rows", i, rows.rows());
    Sampled one;
    if (out.exact)
      one.values = exact_values(mixture, players, rows.row(i));
    else
      one = sampled_values(mixture, players, rows.row(i), static_cast<std::uint64_t>(i),
                           std::max<std::size_t>(1, options.rounds), options.seed);
    one.errors.resize(one.values.size(), 0);
    out.values.insert(out.values.end(), one.values.begin(), one.values.end());
    out.errors.insert(out.errors.end(), one.errors.begin(), one.errors.end());
  }
  return out;
}

OutputTable shapley_table(const ShapleyValues& v) {
  OutputTable out{.rows = v.values.size(),
                  .columns = {{"row", {}, {}},
                              {"column", {}, {}},
                              {"outcome", {}, {}},
                              {"shapley_value", v.values, {}},
                              {"standard_error", v.errors, {}}}};
  for (std::size_t i = 0; i < v.rows; ++i)
    for (const std::string& column : v.columns)
      for (const std::string& outcome : v.outcomes) {
        out.columns[0].numbers.push_back(static_cast<double>(i + 1));
        out.columns[1].texts.push_back(column);
        out.columns[2].texts.push_back(outcome);
      }
  return out;
}

}  // namespace bl
