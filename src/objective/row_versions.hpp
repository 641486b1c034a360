// Rows that training reads now as they are, now changed a little: images shifted by a pixel. Which version of
// a row an epoch sees is a function of the stream and the row, so it depends neither on threads nor on
// devices, nor on a resume.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/matrix.hpp"
#include "base/random.hpp"

namespace bl {

// Version 0 of a row is the row itself. Column j of version v is its column source(v - 1, j), or nothing
// where that is negative, plus offset(v - 1, j).
template <class T>
struct RowVersions {
  Matrix<std::int32_t> source;  // versions but the first x columns
  Matrix<T> offset;
  double share = 0;  // of the rows of an epoch that are not read as they are

  Index count() const { return source.rows() + 1; }

  // The version that the epoch of this stream reads of a row.
  Index of(const RandomStream& epoch, std::int64_t row) const {
    const RandomStream stream(epoch.seed(), Purpose::row_version, epoch.epoch());
    const double place = stream.uniform(static_cast<std::uint64_t>(row), 0);
    if (place >= share) return 0;
    return std::min(1 + static_cast<Index>(place / share * static_cast<double>(count() - 1)), count() - 1);
  }

  void write(Index version, const T* row, T* out) const {
    const Index columns = source.cols();
    if (version == 0) {
      std::copy_n(row, columns, out);
      return;
    }
    const std::int32_t* from = source.row(version - 1);
    const T* add = offset.row(version - 1);
    for (Index j = 0; j < columns; ++j) out[j] = (from[j] < 0 ? T(0) : row[from[j]]) + add[j];
  }
};

}  // namespace bl
