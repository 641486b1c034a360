// Encoded rows of a table with the storage that objectives view.
#pragma once

#include <span>
#include <vector>

#include "base/spill.hpp"
#include "features/response_space.hpp"
#include "objective/dataset.hpp"

namespace bl {

template <class T>
struct PartData {
  Encoded<T> encoded;
  std::vector<std::int32_t> classes;
  std::vector<T> weights;

  PartData(const Encoder& encoder, const ResponseSpace& space, const Table& table,
           std::span<const Index> rows, bool out_of_core)
      : encoded([&] {
          const SpillScope scope(out_of_core);
          return encoder.encode<T>(table, rows);
        }()),
        classes(space.combine(encoded.classes)) {
    weights.assign(encoded.weights.begin(), encoded.weights.end());
  }

  double megabytes() const {
    const auto numbers = encoded.features.flat().size() + encoded.continuous.flat().size() + weights.size();
    return static_cast<double>(numbers * sizeof(T) + classes.size() * sizeof(std::int32_t)) / (1 << 20);
  }

  DatasetView<T> view() const {
    return {.rows = encoded.features.rows(),
            .context = encoded.features.view(),
            .values = encoded.continuous.view(),
            .classes = classes,
            .weights = weights,
            .alternatives = {}};
  }
};

// Every class the same weight in sum; the mean weight stays what it was.
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

}  // namespace bl
