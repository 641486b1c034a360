#include "features/product.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "features/column_kind.hpp"
#include "features/curve.hpp"
#include "features/levels.hpp"

namespace bl {

namespace {

constexpr std::size_t kMostColumns = 16;
constexpr double kRowsAround = 20;  // a knot of the grid, to have a value of its own

// Coarse, and coarser among few rows. No knot lies where far values are pulled to one number.
GridAxis axis_of(const FeatureEncoding& feature, std::span<const double> values) {
  constexpr double kMostKnots = 8;  // of which the quantiles leave 7
  const auto rows = static_cast<double>(values.size());
  const auto most =
      static_cast<Index>(std::clamp(std::floor(std::sqrt(rows / kRowsAround)) + 2, 3.0, kMostKnots));
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  GridAxis axis;
  if (feature.bends.kind == CurveKind::periodic) {
    axis.knots = period_knots(feature.bends.period, sorted.size(), most - 1);
    axis.period = feature.bends.period;
    return axis;
  }
  axis.knots = facts(feature.type).levels ? place_knots(sorted, most - 1) : curve_knots(sorted, most);
  const Pull& pull = feature.pull;
  if (!pull.from.empty())
    for (double& knot : axis.knots) knot = std::clamp(knot, pull.from.front(), pull.from.back());
  axis.knots.erase(std::unique(axis.knots.begin(), axis.knots.end()), axis.knots.end());
  return axis;
}

// Sum of squared second differences of values at neighbouring knots, as a matrix.
Eigen::MatrixXd roughness(const GridAxis& axis) {
  const auto count = static_cast<Eigen::Index>(axis.knots.size());
  const bool round = axis.period > 0;
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(count, count);
  for (Eigen::Index i = 0; i < (round ? count : count - 2); ++i) {
    Eigen::VectorXd difference = Eigen::VectorXd::Zero(count);
    difference(i) += 1;
    difference((i + 1) % count) -= 2;
    difference((i + 2) % count) += 1;
    out += difference * difference.transpose();
  }
  return out;
}

// What the rows say about the functions that are 1 at one knot of the grid and 0 at the others.
struct RowMoments {
  Eigen::MatrixXd products;  // means of products of two of them
  Eigen::MatrixXd
      with_one;  // means of products with the functions of one column: those of the first, then the second
  Eigen::VectorXd around;  // rows in the cells around each knot
};

RowMoments row_moments(const GridAxis& first, const GridAxis& second, std::span<const double> x,
                       std::span<const double> y) {
  const auto height = static_cast<Eigen::Index>(first.knots.size()),
             width = static_cast<Eigen::Index>(second.knots.size());
  RowMoments out{.products = Eigen::MatrixXd::Zero(height * width, height * width),
                 .with_one = Eigen::MatrixXd::Zero(height + width, height * width),
                 .around = Eigen::VectorXd::Zero(height * width)};
  for (std::size_t row = 0; row < x.size(); ++row) {
    const GridPlace a = place_on(first, x[row]), b = place_on(second, y[row]);
    const std::array<std::pair<Eigen::Index, double>, 2> along = {
        {{static_cast<Eigen::Index>(a.low), 1 - a.part}, {static_cast<Eigen::Index>(a.high), a.part}}};
    const std::array<std::pair<Eigen::Index, double>, 2> across = {
        {{static_cast<Eigen::Index>(b.low), 1 - b.part}, {static_cast<Eigen::Index>(b.high), b.part}}};
    std::array<std::pair<Eigen::Index, double>, 4> hats;
    for (std::size_t k = 0; k < 4; ++k)
      hats[k] = {along[k / 2].first * width + across[k % 2].first,
                 along[k / 2].second * across[k % 2].second};
    for (const auto& [knot, weight] : hats) {
      out.around(knot) += 1;
      for (const auto& [other, its] : hats) out.products(knot, other) += weight * its;
      for (const auto& [i, its] : along) out.with_one(i, knot) += weight * its;
      for (const auto& [j, its] : across) out.with_one(height + j, knot) += weight * its;
    }
  }
  out.products /= static_cast<double>(x.size());
  out.with_one /= static_cast<double>(x.size());
  return out;
}

// A basis of the functions on the grid that are uncorrelated with every function of one of the columns.
Eigen::MatrixXd joint_functions(const Eigen::MatrixXd& with_one) {
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(with_one.transpose());
  qr.setThreshold(1e-10);
  const Eigen::Index size = with_one.cols();
  const Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(size, size);
  return q.rightCols(size - qr.rank());
}

Eigen::MatrixXd penalty(const GridAxis& first, const GridAxis& second) {
  const Eigen::MatrixXd along = roughness(first), across = roughness(second);
  const Eigen::Index height = along.rows(), width = across.rows();
  Eigen::MatrixXd out = Eigen::MatrixXd::Identity(height * width, height * width);
  for (Eigen::Index i = 0; i < height; ++i)
    for (Eigen::Index j = 0; j < width; ++j) {
      for (Eigen::Index k = 0; k < height; ++k) out(i * width + j, k * width + j) += along(i, k);
      for (Eigen::Index k = 0; k < width; ++k) out(i * width + j, i * width + k) += across(j, k);
    }
  return out;
}

std::size_t place_of(const std::vector<FeatureEncoding>& features, const std::string& name) {
  return static_cast<std::size_t>(
      std::find_if(features.begin(), features.end(),
                   [&](const auto& one) { return one.name == name && one.has_value; }) -
      features.begin());
}

}  // namespace

std::string product_name(const std::string& first, const std::string& second) {
  return first + "~*" + second + "~";
}

ProductEncoding fit_product(const FeatureEncoding& first, const FeatureEncoding& second,
                            std::span<const double> x, std::span<const double> y) {
  constexpr double kLeastVariance =
      0.06;                            // of the largest times the knots: about 0.6 for independent columns
  constexpr double kLeastPart = 1e-3;  // of the variance of the first column
  ProductEncoding out{.first_axis = axis_of(first, x), .second_axis = axis_of(second, y)};
  if (out.first_axis.knots.size() < 2 || out.second_axis.knots.size() < 2) return out;
  RowMoments rows = row_moments(out.first_axis, out.second_axis, x, y);
  const Eigen::MatrixXd joint = joint_functions(rows.with_one);
  if (joint.cols() == 0) return out;
  const double least = std::max(kRowsAround, 0.001 * static_cast<double>(x.size()));
  for (Eigen::Index knot = 0; knot < rows.around.size(); ++knot)
    if (rows.around(knot) < least) {
      rows.products.row(knot).setZero();
      rows.products.col(knot).setZero();
    }
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> axes(
      joint.transpose() * rows.products * joint,
      joint.transpose() * penalty(out.first_axis, out.second_axis) * joint);
  const Eigen::VectorXd variances = axes.eigenvalues().reverse();
  if (axes.info() != Eigen::Success ||
      !(variances(0) * static_cast<double>(rows.around.size()) > kLeastVariance))
    return out;
  Eigen::Index count = 0;
  double sum = 0;
  while (count < std::min<Eigen::Index>(kMostColumns, variances.size()) &&
         variances(count) > kLeastPart * variances(0))
    sum += variances(count++);
  const double scale = std::sqrt(sum / static_cast<double>(count));
  for (Eigen::Index k = 0; k < count; ++k) {
    Eigen::VectorXd values = joint * axes.eigenvectors().col(variances.size() - 1 - k) / scale;
    Eigen::Index largest = 0;
    values.cwiseAbs().maxCoeff(&largest);
    if (values(largest) < 0) values = -values;
    out.columns.emplace_back(values.begin(), values.end());
  }
  return out;
}

std::vector<double> product_numbers(const FeatureEncoding& feature, const Column& column,
                                    std::span<const Index> rows) {
  constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> out;
  out.reserve(rows.size());
  if (!facts(feature.type).levels) {
    for (const Index row : rows)
      out.push_back(column.missing(row) ? kMissing : column.numbers[static_cast<std::size_t>(row)]);
    return out;
  }
  const LevelLookup lookup(column, feature.levels);
  for (const Index row : rows) {
    const std::int32_t code = lookup(row);
    out.push_back(code < 0 ? kMissing : code);
  }
  return out;
}

std::vector<ProductEncoding> fit_products(
    const std::vector<FeatureEncoding>& features,
    const std::vector<std::pair<std::string, std::string>>& asked, const std::string& source,
    const std::function<std::vector<double>(const FeatureEncoding&)>& numbers) {
  std::vector<ProductEncoding> out;
  for (const auto& [first, second] : asked) {
    const std::size_t a = place_of(features, first), b = place_of(features, second);
    const std::string name = source + ": the product " + product_name(first, second) + ": ";
    for (const auto& [at, of] : {std::pair(a, first), std::pair(b, second)})
      if (at == features.size())
        throw DataError(name + in_quotes(of) + " has one value only in the training rows; leave it out");
    const std::vector<double> all_x = numbers(features[a]), all_y = numbers(features[b]);
    std::vector<double> x, y;
    for (std::size_t row = 0; row < all_x.size(); ++row)
      if (!std::isnan(all_x[row]) && !std::isnan(all_y[row])) {
        x.push_back(all_x[row]);
        y.push_back(all_y[row]);
      }
    if (!x.empty()) out.push_back(fit_product(features[a], features[b], x, y));
    if (x.empty() || out.back().columns.empty())
      throw DataError(name +
                      "the training rows do not tell it from the curves of the two columns; leave it out");
    out.back().first = a;
    out.back().second = b;
  }
  return out;
}

}  // namespace bl
