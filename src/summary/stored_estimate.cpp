#include "summary/stored_estimate.hpp"

#include <fmt/format.h>

#include <cmath>

#include "data/table_hash.hpp"

namespace bl {

using nlohmann::json;

std::vector<double> row_major(const Eigen::MatrixXd& matrix) {
  std::vector<double> values;
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j) values.push_back(matrix(i, j));
  return values;
}

Eigen::MatrixXd square_matrix(const std::vector<double>& row_major) {
  const auto size = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(row_major.size()))));
  Eigen::MatrixXd out(size, size);
  for (Index i = 0; i < size; ++i)
    for (Index j = 0; j < size; ++j) out(i, j) = row_major[static_cast<std::size_t>(i * size + j)];
  return out;
}

namespace {

// Of the responses and weights of the rows, whatever explains them.
std::string response_digest(const DatasetView<double>& data) {
  WordHash hash;
  hash.add(static_cast<std::uint64_t>(data.rows));
  const auto add = [&](const char* name, const auto& values) {
    if (values.empty()) return;
    add_number_column(name, hash);
    for (const auto value : values) add_number(static_cast<double>(value), hash);
  };
  add("class", data.classes);
  add("chosen", data.alternatives.chosen);
  add("weight", data.weights);
  for (Index k = 0; k < data.values.cols; ++k) {
    std::vector<double> column;
    for (Index i = 0; i < data.values.rows; ++i) column.push_back(data.values(i, k));
    add("value", column);
  }
  return digest_text(hash);
}

}  // namespace

StoredInference stored_of(const inference::Estimate& e, const Objective<double>& objective, Index reference) {
  StoredInference out = stored_of(e, objective.data(), objective.spec().kind, reference);
  if (const auto& random = objective.spec().random)
    out.facts["notes"].push_back(fmt::format(
        "the likelihood is that of each response among {} random candidates, as in training; so are "
        "the errors",
        random->count));
  return out;
}

StoredInference stored_of(const inference::Estimate& e, const DatasetView<double>& data, ObjectiveKind kind,
                          Index reference) {
  StoredInference out;
  out.positions = e.chart.positions;
  const Eigen::MatrixXd& inverse = e.identification.inverse;
  const bool likelihood = kind == ObjectiveKind::likelihood;
  out.robust =
      row_major(entry_covariance(e.chart, e.identification, inverse * e.information.products * inverse));
  if (likelihood) out.classical = row_major(entry_covariance(e.chart, e.identification, inverse));
  json optima = json::array(), directions = json::array();
  for (const inference::Optimum& one : e.minimisation.optima)
    optima.push_back({{"loss", one.loss}, {"gradient", one.gradient_norm}, {"starts", one.starts}});
  for (const inference::Direction& one : e.identification.directions) directions.push_back(one.entries);
  std::vector<std::string> notes = e.notes;
  if (e.information.from_products)
    notes.emplace_back("kinks leave no second derivative: the information is that of the score products");
  out.facts = {{"objective", likelihood                              ? "likelihood"
                             : kind == ObjectiveKind::score_matching ? "score matching"
                                                                     : "hybrid"},
               {"rows", data.rows},
               {"total_weight", e.total_weight},
               {"loss", e.loss},
               {"gradient", e.gradient},
               {"starts", e.minimisation.starts},
               {"optima", optima},
               {"parameters", e.chart.size() - e.identification.null.cols()},
               {"condition", e.identification.condition()},
               {"smallest_eigenvalue", e.chart.size() > 0 ? e.identification.eigenvalues(0) : 0.0},
               {"directions", directions},
               {"notes", notes},
               {"reference", reference},
               {"response_digest", response_digest(data)}};
  return out;
}

}  // namespace bl
