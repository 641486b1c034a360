#include "inference/information.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include "base/rank_shares.hpp"

namespace bl::inference {

namespace {

constexpr std::int64_t kSmallestTask = 256;  // rows
constexpr std::int64_t kMostTasks = 64;      // each has a matrix of its own
constexpr Index kBuffer = 128;               // groups whose sums are multiplied out together

// Rows in the order of their groups, cut between groups.
struct GroupedRows {
  std::vector<std::int64_t> order;
  std::vector<std::size_t> cuts;  // tasks + 1

  GroupedRows(const std::vector<std::int64_t>& rows, std::span<const std::int32_t> groups) : order(rows) {
    const auto group = [&](std::int64_t row) { return groups[static_cast<std::size_t>(row)]; };
    if (!groups.empty())
      std::stable_sort(order.begin(), order.end(),
                       [&](std::int64_t a, std::int64_t b) { return group(a) < group(b); });
    const auto n = static_cast<std::int64_t>(order.size());
    const auto per_task =
        static_cast<std::size_t>(std::max(kSmallestTask, (n + kMostTasks - 1) / kMostTasks));
    cuts = {0};
    for (std::size_t i = 1; i < order.size(); ++i)
      if (i - cuts.back() >= per_task && (groups.empty() || group(order[i]) != group(order[i - 1])))
        cuts.push_back(i);
    cuts.push_back(order.size());
  }
};

// Row gradients by the free entries, in effective values.
class RowScores {
 public:
  RowScores(const Loss& loss, const Chart& chart)
      : objective_(loss.objective()),
        noise_(loss.noise()),
        chart_(chart),
        slopes_(raw_slopes(objective_.network().layout(), chart)) {
    objective_.network().prepare(chart.raw, prepared_);
  }

  // sum += gradient of the row.
  void add(std::int64_t row, ObjectiveWorkspace<double>& ws, GradientSum<double>& gradient,
           Eigen::Ref<Eigen::VectorXd> sum) const {
    objective_.network().clear(gradient);
    objective_.chunk(prepared_, std::span<const std::int64_t>(&row, 1), noise_, 1.0, ws, &gradient);
    objective_.network().finish(prepared_, gradient);
    for (std::size_t k = 0; k < chart_.positions.size(); ++k)
      sum(static_cast<Index>(k)) +=
          slopes_(static_cast<Index>(k)) * gradient.flat[static_cast<std::size_t>(chart_.positions[k])];
  }

 private:
  const Objective<double>& objective_;
  const Noise& noise_;
  const Chart& chart_;
  Eigen::VectorXd slopes_;
  PreparedParameters<double> prepared_;
};

// Those of every rank, for all of them.
void exchange_sums(std::vector<Eigen::MatrixXd>& sums, Index size, Ranks& ranks) {
  const auto numbers = static_cast<std::size_t>(size * size);
  Exchange().run(
      ranks, sums.size(), [&](std::size_t) { return numbers * sizeof(double); },
      [&](std::size_t task, std::byte* to) { put(to, std::span<const double>(sums[task].data(), numbers)); },
      [&](std::size_t task, const std::byte* from) {
        sums[task].resize(size, size);
        take(from, std::span(sums[task].data(), numbers));
      });
}

}  // namespace

Eigen::MatrixXd score_products(const Loss& loss, const Chart& chart, std::span<const std::int32_t> groups) {
  const GroupedRows rows(loss.rows(), groups);
  const RowScores scores(loss, chart);
  const auto size = static_cast<Index>(chart.positions.size());
  std::vector<Eigen::MatrixXd> sums(rows.cuts.size() - 1);
  std::atomic<Index> done = 0;
  const Shares shares(loss.ranks(), sums.size());
  loss.job().run(shares.last() - shares.first(), [&](std::size_t at) {
    const std::size_t task = shares.first() + at;
    ObjectiveWorkspace<double> ws;
    GradientSum<double> gradient;
    Eigen::MatrixXd& sum = sums[task] = Eigen::MatrixXd::Zero(size, size);
    Eigen::MatrixXd buffer = Eigen::MatrixXd::Zero(size, kBuffer);
    Index used = 0;
    const auto flush = [&] {
      sum.noalias() += buffer.leftCols(used) * buffer.leftCols(used).transpose();
      buffer.setZero();
      used = 0;
    };
    for (std::size_t i = rows.cuts[task]; i < rows.cuts[task + 1]; ++i) {
      const bool same = i > rows.cuts[task] && !groups.empty() &&
                        groups[static_cast<std::size_t>(rows.order[i])] ==
                            groups[static_cast<std::size_t>(rows.order[i - 1])];
      if (!same && used == kBuffer) flush();
      if (!same) ++used;
      scores.add(rows.order[i], ws, gradient, buffer.col(used - 1));
    }
    flush();
    loss.step("scores of rows", ++done, static_cast<Index>(shares.last() - shares.first()));
  });
  if (loss.ranks()) exchange_sums(sums, size, *loss.ranks());
  Eigen::MatrixXd total = Eigen::MatrixXd::Zero(size, size);
  for (const Eigen::MatrixXd& sum : sums) total += sum;
  return chart.tangent.transpose() * total * chart.tangent;
}

namespace {

// Gradient of the mean loss by the raw values of the free entries, at raw + step * direction.
Eigen::VectorXd raw_gradient(Loss& loss, const Chart& chart, const Eigen::VectorXd& direction, double step) {
  std::vector<double> point = chart.raw, gradient(point.size());
  for (std::size_t k = 0; k < chart.positions.size(); ++k)
    point[static_cast<std::size_t>(chart.positions[k])] += step * direction(static_cast<Index>(k));
  loss(point, gradient);
  Eigen::VectorXd out(static_cast<Index>(chart.positions.size()));
  for (std::size_t k = 0; k < chart.positions.size(); ++k)
    out(static_cast<Index>(k)) = gradient[static_cast<std::size_t>(chart.positions[k])];
  return out;
}

}  // namespace

Eigen::VectorXd coordinate_gradient(Loss& loss, const Chart& chart) {
  const Eigen::VectorXd slopes = raw_slopes(loss.objective().network().layout(), chart);
  return chart.tangent.transpose() *
         slopes.cwiseProduct(raw_gradient(loss, chart, Eigen::VectorXd::Zero(slopes.size()), 0));
}

// With r(e) the raw value of an effective one: H_e = r' H_r r' + r'' g_r.
Eigen::MatrixXd hessian(Loss& loss, const Chart& chart, const Eigen::MatrixXd& products) {
  constexpr double kStep = 2e-3;  // of a coordinate in which the raw entries and a row's loss move by about 1
  const ParameterLayout& layout = loss.objective().network().layout();
  const Eigen::VectorXd slopes = raw_slopes(layout, chart), curvatures = raw_curvatures(layout, chart);
  const Eigen::VectorXd gradient = raw_gradient(loss, chart, Eigen::VectorXd::Zero(slopes.size()), 0);
  Eigen::MatrixXd out(chart.size(), chart.size());
  for (Index j = 0; j < chart.size(); ++j) {
    const Eigen::VectorXd direction = slopes.cwiseProduct(chart.tangent.col(j));
    const double step = kStep / std::max(direction.norm(), std::sqrt(products(j, j) / loss.total_weight()));
    const auto at = [&](double multiple) { return raw_gradient(loss, chart, direction, multiple * step); };
    const Eigen::VectorXd change = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
    const Eigen::VectorXd bend = curvatures.cwiseProduct(gradient).cwiseProduct(chart.tangent.col(j));
    out.col(j) = chart.tangent.transpose() * (slopes.cwiseProduct(change) + bend);
    loss.step("second derivatives", j + 1, chart.size());
  }
  return loss.total_weight() * 0.5 * (out + out.transpose());
}

bool has_kinks(const Architecture& a) {
  for (const HeadKind kind : kHeadKinds) {
    const Activation f = a.activation(kind);
    const bool used = std::any_of(a.layers.begin(), a.layers.end(),
                                  [&](const LayerSpec& layer) { return layer.heads(kind) > 0; });
    if (used && !facts(f).kinks.empty()) return true;
  }
  return false;
}

Information information(Loss& loss, const Chart& chart) {
  Information out;
  out.products = score_products(loss, chart, {});
  out.from_products = loss.objective().spec().kind == ObjectiveKind::likelihood &&
                      has_kinks(loss.objective().network().architecture());
  out.hessian = out.from_products ? out.products : hessian(loss, chart, out.products);
  out.gradient = coordinate_gradient(loss, chart);
  out.total_weight = loss.total_weight();
  return out;
}

}  // namespace bl::inference
