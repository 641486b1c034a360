// What the rows say about the coordinates of a chart: the Hessian of the loss (J) and products of scores (K),
// as sums over rows, and the directions about which they say nothing.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "inference/chart.hpp"
#include "inference/loss.hpp"

namespace bl::inference {

// Sum over groups of s s', s the sum of a group's row gradients (times their weights). `groups` has a number
// for every row of the data; empty: every row is a group of its own. Row gradients are never held together:
// memory does not grow with the rows.
Eigen::MatrixXd score_products(const Loss& loss, const Chart& chart, std::span<const std::int32_t> groups);

// Hessian of the sum of losses by Richardson differences of the exact gradient (error of order step^4). The
// steps are measured by the scores: `products` are those of single rows.
Eigen::MatrixXd hessian(Loss& loss, const Chart& chart, const Eigen::MatrixXd& products);

// Gradient of the mean loss by the coordinates.
Eigen::VectorXd coordinate_gradient(Loss& loss, const Chart& chart);

// relu and abs leave no second derivative that differences could find; there J is K, its expectation where
// the model is right.
bool has_kinks(const Architecture& architecture);

struct Information {
  Eigen::MatrixXd hessian;   // coordinates x coordinates, sum over rows
  Eigen::MatrixXd products;  // of single rows
  Eigen::VectorXd gradient;  // of the mean loss
  double total_weight = 0;
  bool from_products = false;  // hessian is products
};

Information information(Loss& loss, const Chart& chart);

// A direction in which the distribution does not change, in free entries (effective values), largest first.
struct Direction {
  std::vector<std::pair<Index, double>> entries;  // position, weight
};

struct Identification {
  Eigen::VectorXd eigenvalues;        // of the Hessian scaled to a unit diagonal, ascending
  Eigen::MatrixXd inverse;            // of the Hessian on the identified part
  Eigen::MatrixXd null;               // scaled coordinates x unidentified directions, orthonormal
  Eigen::VectorXd scale;              // coordinate = scale * scaled coordinate
  std::vector<Direction> directions;  // that span the unidentified part, as sparse as may be
  bool is_minimum = true;             // false: the loss falls along some direction, a saddle

  // Whether a linear function of the coordinates is determined by the rows.
  bool determines(const Eigen::VectorXd& coefficients) const;
  // Largest over smallest eigenvalue of the identified part.
  double condition() const;
};

Identification identify(const Eigen::MatrixXd& hessian, const Chart& chart);

// One sentence for each unidentified direction, or for several that two heads share. `name` is what a
// parameter is called.
std::vector<std::string> direction_words(const ParameterMap& map, const std::vector<Direction>& directions,
                                         const std::function<std::string(Index position)>& name);

}  // namespace bl::inference
