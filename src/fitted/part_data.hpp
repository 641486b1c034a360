// Encoded rows of a table with the storage that objectives view.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/rank_gather.hpp"
#include "base/spill.hpp"
#include "features/response_space.hpp"
#include "features/shared_encoder.hpp"
#include "objective/dataset.hpp"

namespace bl {

template <class T>
struct PartData {
  Index rows;
  Encoded<T> encoded;
  std::vector<std::int32_t> classes;
  std::vector<T> weights;
  std::vector<std::int64_t> held = {};          // DatasetView::held
  std::optional<RowVersions<T>> versions = {};  // DatasetView::versions

  // Where `shared` is not null it has the features, and `table` the rest.
  PartData(const Encoder& encoder, const ResponseSpace& space, const Table& table,
           std::span<const Index> of_table, bool out_of_core, const SharedTable* shared = nullptr)
      : rows(static_cast<Index>(of_table.size())),
        encoded(encode(encoder, table, of_table, out_of_core, shared)),
        classes(space.combine(encoded.classes)) {
    weights.assign(encoded.weights.begin(), encoded.weights.end());
    if (shared != nullptr) held = shared->held(of_table);
  }

  double megabytes() const {
    const auto numbers = encoded.features.flat().size() + encoded.continuous.flat().size() + weights.size();
    return static_cast<double>(numbers * sizeof(T) + classes.size() * sizeof(std::int32_t)) / (1 << 20);
  }

  DatasetView<T> view() const {
    return {.rows = rows,
            .context = encoded.features.view(),
            .values = encoded.continuous.view(),
            .classes = classes,
            .weights = weights,
            .alternatives = {},
            .held = held,
            .versions = versions ? &*versions : nullptr};
  }

 private:
  static Encoded<T> encode(const Encoder& encoder, const Table& table, std::span<const Index> rows,
                           bool out_of_core, const SharedTable* shared) {
    const SpillScope scope(out_of_core);
    if (shared == nullptr) return encoder.encode<T>(table, rows);
    Encoded<T> out;
    all_or_none(*shared->ranks, [&] {
      out = without_features(encoder).template encode<T>(table, rows);
      out.features = encoder.encode_features<T>(shared->own, shared->own_rows(rows));
    });
    return out;
  }
};

// Equal total weight per class; the mean weight stays what it was.
template <class T>
void balance_classes(PartData<T>& part, Index classes) {
  std::vector<double> sums(static_cast<std::size_t>(classes), 0);
  if (part.weights.empty()) part.weights.assign(part.classes.size(), T(1));
  double total = 0;
  for (std::size_t i = 0; i < part.classes.size(); ++i) {
    sums[static_cast<std::size_t>(part.classes[i])] += static_cast<double>(part.weights[i]);
    total += static_cast<double>(part.weights[i]);
  }
  double present = 0;
  for (const double sum : sums) present += sum > 0 ? 1 : 0;
  for (std::size_t i = 0; i < part.classes.size(); ++i)
    part.weights[i] *= static_cast<T>(total / (present * sums[static_cast<std::size_t>(part.classes[i])]));
}

// Every row once for each class that it may have, with that part of its weight: `share` of it by the
// probabilities given, the rest with its own class. What is left of classes below a hundredth goes to the
// likeliest.
template <class T>
void spread_classes(PartData<T>& part, const Matrix<double>& log_probabilities, double share) {
  constexpr double kLeast = 0.01;
  std::vector<Index> from;
  std::vector<std::int32_t> classes;
  std::vector<T> weights;
  std::vector<double> of_class(static_cast<std::size_t>(log_probabilities.cols()));
  for (Index row = 0; row < log_probabilities.rows(); ++row) {
    const auto at = static_cast<std::size_t>(row);
    for (std::size_t k = 0; k < of_class.size(); ++k)
      of_class[k] = share * std::exp(log_probabilities(row, static_cast<Index>(k)));
    of_class[static_cast<std::size_t>(part.classes[at])] += 1 - share;
    const auto top = std::max_element(of_class.begin(), of_class.end());
    for (double& one : of_class)
      if (one < kLeast && one < *top) *top += std::exchange(one, 0.0);
    const double weight = part.weights.empty() ? 1.0 : static_cast<double>(part.weights[at]);
    for (std::size_t k = 0; k < of_class.size(); ++k) {
      if (of_class[k] == 0) continue;
      from.push_back(row);
      classes.push_back(static_cast<std::int32_t>(k));
      weights.push_back(static_cast<T>(weight * of_class[k]));
    }
  }
  Matrix<T> features(static_cast<Index>(from.size()), part.encoded.features.cols());
  for (Index i = 0; i < features.rows(); ++i)
    std::copy_n(part.encoded.features.row(from[static_cast<std::size_t>(i)]), features.cols(),
                features.row(i));
  part.rows = features.rows();
  part.encoded.features = std::move(features);
  part.encoded.continuous = Matrix<T>(static_cast<Index>(from.size()), 0);
  part.classes = std::move(classes);
  part.weights = std::move(weights);
}

}  // namespace bl
