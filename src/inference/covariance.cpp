#include "inference/covariance.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "bl/errors.hpp"

namespace bl::inference {

namespace {

constexpr std::array<std::pair<CovarianceKind, std::string_view>, 3> kKinds = {
    {{CovarianceKind::classical, "classical"},
     {CovarianceKind::robust, "robust"},
     {CovarianceKind::cluster, "cluster"}}};

Index count_of(const std::vector<std::int32_t>& groups, const std::vector<std::int64_t>& rows) {
  std::vector<std::int32_t> used;
  for (const std::int64_t row : rows) used.push_back(groups[static_cast<std::size_t>(row)]);
  std::sort(used.begin(), used.end());
  return static_cast<Index>(std::unique(used.begin(), used.end()) - used.begin());
}

std::vector<std::int32_t> intersection(const std::vector<std::int32_t>& a,
                                       const std::vector<std::int32_t>& b) {
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> numbers;
  std::vector<std::int32_t> out;
  for (std::size_t i = 0; i < a.size(); ++i)
    out.push_back(numbers.try_emplace({a[i], b[i]}, static_cast<std::int32_t>(numbers.size())).first->second);
  return out;
}

// K of the clusters, one or two ways, with its finite-sample factors; products(groups) is one way without.
template <class Products>
Eigen::MatrixXd clustered_products(const std::vector<std::int64_t>& rows, const Products& products,
                                   const CovarianceSpec& spec, Covariance& out) {
  const auto one_way = [&](const std::vector<std::int32_t>& groups) {
    const auto count = static_cast<double>(count_of(groups, rows));
    if (count < 2) throw UsageError("clustered errors need at least two clusters");
    const double factor = spec.finite_sample ? count / (count - 1) : 1;
    return Eigen::MatrixXd(factor * products(groups));
  };
  for (const auto& groups : spec.clusters) out.cluster_counts.push_back(count_of(groups, rows));
  Eigen::MatrixXd sum = one_way(spec.clusters[0]);
  if (spec.clusters.size() == 2)
    sum += one_way(spec.clusters[1]) - one_way(intersection(spec.clusters[0], spec.clusters[1]));
  return sum;
}

// The nearest matrix without negative eigenvalues, in units of the standard deviations.
void repair(Covariance& out) {
  const Eigen::VectorXd standard_deviation =
      out.coordinates.diagonal().cwiseAbs().cwiseSqrt().cwiseMax(1e-300);
  const Eigen::MatrixXd unit = standard_deviation.cwiseInverse().asDiagonal() * out.coordinates *
                               standard_deviation.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(unit);
  if (!(solver.eigenvalues()(0) < -1e-12)) return;
  out.repaired = true;
  const Eigen::MatrixXd v = standard_deviation.asDiagonal() * solver.eigenvectors();
  out.coordinates = v * solver.eigenvalues().cwiseMax(0).asDiagonal() * v.transpose();
}

// rows: those that count, of all that have a cluster.
template <class Products>
Covariance covariance_of(const std::vector<std::int64_t>& rows, Index all, const Products& products,
                         const Information& information, const Identification& identification,
                         const CovarianceSpec& spec) {
  const Eigen::MatrixXd& inverse = identification.inverse;
  Covariance out;
  out.factor = "none";
  if (spec.kind == CovarianceKind::classical) {
    out.coordinates = inverse;
    return out;
  }
  if (spec.kind == CovarianceKind::robust) {
    out.coordinates = inverse * information.products * inverse;
    return out;
  }
  if (spec.clusters.empty() || spec.clusters.size() > 2)
    throw UsageError("clustered errors need one or two columns of clusters");
  for (const auto& groups : spec.clusters)
    if (static_cast<Index>(groups.size()) != all) throw UsageError("there must be one cluster for every row");
  if (spec.finite_sample) out.factor = "G/(G-1)";
  out.coordinates = inverse * clustered_products(rows, products, spec, out) * inverse;
  if (spec.clusters.size() == 2 && out.coordinates.size() > 0) repair(out);
  return out;
}

}  // namespace

std::string_view name(CovarianceKind kind) {
  return kKinds[static_cast<std::size_t>(kind)].second;
}

CovarianceKind covariance_from_name(std::string_view name) {
  for (const auto& [kind, text] : kKinds)
    if (text == name) return kind;
  throw UsageError(fmt::format("`covariance` = '{}': expected robust, classical or cluster", name));
}

Covariance covariance(Loss& loss, const Chart& chart, const Information& information,
                      const Identification& identification, const CovarianceSpec& spec) {
  if (spec.kind == CovarianceKind::classical && loss.objective().spec().kind != ObjectiveKind::likelihood)
    throw UsageError("classical errors need a likelihood; with score matching use robust ones");
  return covariance_of(
      loss.rows(), loss.objective().data().rows,
      [&](const std::vector<std::int32_t>& groups) { return score_products(loss, chart, groups); },
      information, identification, spec);
}

Covariance covariance(const Eigen::MatrixXd& scores, const Information& information,
                      const Identification& identification, const CovarianceSpec& spec) {
  std::vector<std::int64_t> units(static_cast<std::size_t>(scores.rows()));
  std::iota(units.begin(), units.end(), std::int64_t{0});
  const auto products = [&](const std::vector<std::int32_t>& groups) {
    std::map<std::int32_t, Eigen::VectorXd> sums;
    for (Index i = 0; i < scores.rows(); ++i)
      sums.try_emplace(groups[static_cast<std::size_t>(i)], Eigen::VectorXd::Zero(scores.cols()))
          .first->second += scores.row(i).transpose();
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(scores.cols(), scores.cols());
    for (const auto& [group, sum] : sums) out += sum * sum.transpose();
    return out;
  };
  return covariance_of(units, scores.rows(), products, information, identification, spec);
}

Eigen::MatrixXd entry_covariance(const Chart& chart, const Identification& identification,
                                 const Eigen::MatrixXd& coordinates) {
  Eigen::MatrixXd out = chart.tangent * coordinates * chart.tangent.transpose();
  for (Index i = 0; i < out.rows(); ++i) {
    if (identification.determines(chart.tangent.row(i).transpose())) continue;
    out.row(i).setConstant(std::numeric_limits<double>::quiet_NaN());
    out.col(i).setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  return out;
}

std::vector<double> standard_errors(const Eigen::MatrixXd& covariance) {
  std::vector<double> errors;
  for (Index i = 0; i < covariance.rows(); ++i) errors.push_back(std::sqrt(covariance(i, i)));
  return errors;
}

}  // namespace bl::inference
