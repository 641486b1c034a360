#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "inference/information.hpp"

namespace bl::inference {

namespace {

// Of the largest eigenvalue: below is what differences of gradients cannot tell from zero.
constexpr double kNoInformation = 1e-9;
// Share of a coefficient vector that may lie in the unidentified part by rounding.
constexpr double kDetermined = 1e-4;
// Entries of a direction below this share of the largest are rounding.
constexpr double kSparse = 1e-3;

// Columns that span the same space with as many zeros as Gauss-Jordan elimination with pivoting finds.
Eigen::MatrixXd sparse_basis(Eigen::MatrixXd columns) {
  std::vector<bool> used(static_cast<std::size_t>(columns.rows()), false);
  for (Index k = 0; k < columns.cols(); ++k) {
    Index row = -1;
    for (Index i = 0; i < columns.rows(); ++i)
      if (!used[static_cast<std::size_t>(i)] &&
          (row < 0 || std::abs(columns(i, k)) > (1 + kSparse) * std::abs(columns(row, k))))
        row = i;
    used[static_cast<std::size_t>(row)] = true;
    if (columns(row, k) == 0) continue;
    columns.col(k) /= columns(row, k);
    for (Index other = 0; other < columns.cols(); ++other)
      if (other != k) columns.col(other) -= columns(row, other) * columns.col(k);
  }
  return columns;
}

Direction direction_of(const Eigen::VectorXd& entries, const Chart& chart) {
  Direction out;
  const double largest = entries.cwiseAbs().maxCoeff();
  for (Index i = 0; i < entries.size(); ++i)
    if (std::abs(entries(i)) > kSparse * largest)
      out.entries.emplace_back(chart.positions[static_cast<std::size_t>(i)], entries(i) / largest);
  std::stable_sort(out.entries.begin(), out.entries.end(), [](const auto& a, const auto& b) {
    return std::abs(a.second) > std::abs(b.second) + kSparse;
  });
  return out;
}

}  // namespace

Identification identify(const Eigen::MatrixXd& hessian, const Chart& chart) {
  const Index size = hessian.rows();
  Identification out;
  out.inverse = Eigen::MatrixXd::Zero(size, size);
  out.null = Eigen::MatrixXd(size, 0);
  out.scale = Eigen::VectorXd::Ones(size);
  if (size == 0) return out;
  const double largest = hessian.diagonal().cwiseAbs().maxCoeff();
  for (Index i = 0; i < size; ++i)
    if (hessian(i, i) > 0) out.scale(i) = 1 / std::sqrt(hessian(i, i));
  // A coordinate without any information keeps a zero row: its scale must not make it look like one.
  for (Index i = 0; i < size; ++i)
    if (!(hessian(i, i) > 1e-14 * largest)) out.scale(i) = 1 / std::sqrt(largest > 0 ? largest : 1);
  const Eigen::MatrixXd unit = out.scale.asDiagonal() * hessian * out.scale.asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(unit);
  out.eigenvalues = solver.eigenvalues();
  const double limit = kNoInformation * out.eigenvalues(size - 1);
  Index lost = 0;
  while (lost < size && !(out.eigenvalues(lost) > limit)) ++lost;
  out.is_minimum = !(out.eigenvalues(0) < -limit);
  out.null = solver.eigenvectors().leftCols(lost);
  const Eigen::MatrixXd kept = out.scale.asDiagonal() * solver.eigenvectors().rightCols(size - lost);
  out.inverse = kept * out.eigenvalues.tail(size - lost).cwiseInverse().asDiagonal() * kept.transpose();
  if (lost == 0) return out;
  const Eigen::MatrixXd spanning = sparse_basis(chart.tangent * (out.scale.asDiagonal() * out.null));
  for (Index k = 0; k < lost; ++k) out.directions.push_back(direction_of(spanning.col(k), chart));
  return out;
}

bool Identification::determines(const Eigen::VectorXd& coefficients) const {
  const Eigen::VectorXd scaled = scale.cwiseProduct(coefficients);
  return null.cols() == 0 || (null.transpose() * scaled).norm() <= kDetermined * scaled.norm();
}

double Identification::condition() const {
  const Index lost = null.cols();
  return lost == eigenvalues.size() ? 1 : eigenvalues(eigenvalues.size() - 1) / eigenvalues(lost);
}

namespace {

// The two heads of one kind and block that the direction exchanges; empty where it is of another kind.
std::string two_heads(const ParameterMap& map, const Direction& direction) {
  std::vector<const HeadPlace*> heads;
  for (const auto& [position, weight] : direction.entries) {
    const HeadPlace* head = map.head_at(position);
    if (head && std::find(heads.begin(), heads.end(), head) == heads.end()) heads.push_back(head);
  }
  if (heads.size() != 2 || heads[0]->layer != heads[1]->layer || heads[0]->block != heads[1]->block ||
      heads[0]->kind != heads[1]->kind)
    return "";
  if (heads[0]->head > heads[1]->head) std::swap(heads[0], heads[1]);
  return fmt::format("{} and {} cannot be told apart: only what they add up to is determined",
                     head_name(*heads[0]), head_name(*heads[1]));
}

std::string combination(const Direction& direction, const std::function<std::string(Index)>& name) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, direction.entries.size()); ++i) {
    const auto& [position, weight] = direction.entries[i];
    text += fmt::format("{}{:.3g} {}",
                        i == 0       ? (weight < 0 ? "-" : "")
                        : weight < 0 ? " - "
                                     : " + ",
                        std::abs(weight), name(position));
  }
  const std::size_t more = direction.entries.size() - std::min(kShown, direction.entries.size());
  return text + (more > 0 ? fmt::format(" and {} more", more) : "");
}

}  // namespace

std::vector<std::string> direction_words(const ParameterMap& map, const std::vector<Direction>& directions,
                                         const std::function<std::string(Index position)>& name) {
  std::vector<std::string> words;
  for (const Direction& direction : directions) {
    std::string text = two_heads(map, direction);
    if (text.empty())
      text = direction.entries.size() == 1
                 ? fmt::format("{} is not determined by these rows", name(direction.entries[0].first))
                 : fmt::format("moving along {} does not change the distribution of these rows",
                               combination(direction, name));
    if (std::find(words.begin(), words.end(), text) == words.end()) words.push_back(std::move(text));
  }
  return words;
}

}  // namespace bl::inference
