// Encoded data as the objectives read it: views only, so that rows are never copied for their candidates.
#pragma once

#include <cstdint>
#include <span>

#include "base/matrix.hpp"
#include "objective/row_versions.hpp"

namespace bl {

// Choice sets of any size, one after the other: row i may choose among begin[i] ... begin[i + 1] - 1.
template <class T>
struct AlternativesView {
  std::span<const std::int64_t> begin;      // rows + 1
  MatrixView<const T> attributes;           // alternatives x values
  std::span<const std::int32_t> classes;    // which alternative each is; empty if the model has no classes
  std::span<const std::uint8_t> available;  // empty: all are
  std::span<const std::int32_t> chosen;     // rows: position within the row's own set
};

template <class T>
struct DatasetView {
  Index rows = 0;
  MatrixView<const T> context;            // rows x context
  MatrixView<const T> values;             // rows x values: the continuous response
  std::span<const std::int32_t> classes;  // rows: the class response
  std::span<const T> weights;             // rows; empty: all 1
  AlternativesView<T> alternatives;       // of a choice; begin empty otherwise
  // Where several ranks share the rows: rank r has the context of rows held[r] ... held[r + 1] - 1 and no
  // other; all else is with every rank. Empty: `context` has all rows.
  std::span<const std::int64_t> held = {};
  // Of the context, while it is learned. Null: rows are read as they are.
  const RowVersions<T>* versions = nullptr;

  // The context of a row, held by nobody else, as the epoch of this stream reads it.
  void read_context(std::int64_t row, const RandomStream& epoch, T* out) const {
    if (versions)
      versions->write(versions->of(epoch, row), context.row(row), out);
    else
      std::copy_n(context.row(row), context.cols, out);
  }

  T weight(Index row) const { return weights.empty() ? T(1) : weights[static_cast<std::size_t>(row)]; }
};

}  // namespace bl
