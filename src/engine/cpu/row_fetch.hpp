// The context of rows that lie with several ranks (DatasetView::held), brought to where it is computed with.
// Buffers only grow.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "base/spill.hpp"
#include "bl/ranks.hpp"
#include "objective/dataset.hpp"

namespace bl {

template <class T>
class RowFetch {
 public:
  // The data must outlive it.
  RowFetch(const DatasetView<T>& data, Ranks* ranks) : data_(&data), ranks_(ranks) {}

  bool needed() const { return !data_->held.empty() && data_->context.cols > 0; }

  // Rows that lie here are read soon. More than fit beside each other are left to be read in their order.
  // Where there is no context there is nothing to read.
  void announce(std::span<const std::int64_t> rows) const {
    if (needed() || data_->context.cols == 0 || rows.size() * row_bytes() > kWindowBytes) return;
    for (const std::int64_t row : rows) will_read(data_->context.row(row), row_bytes());
  }

  // Every row of the batch, in its order.
  MatrixView<const T> all(std::span<const std::int64_t> rows) {
    holds_every_row_ = false;
    fetched_.resize(static_cast<Index>(rows.size()), data_->context.cols);
    window(rows, [&](std::size_t i, const T* row) { put(static_cast<Index>(i), row); });
    return fetched_.view();
  }

  // `count` of them: that in position i of the batch goes to place(i), or nowhere where that is negative. All
  // rows of the data in their order are fetched once and kept.
  template <class Place>
  MatrixView<const T> some(std::span<const std::int64_t> rows, Index count, const Place& place) {
    const bool every_row = is_every_row(rows);
    if (every_row && holds_every_row_) return fetched_.view();
    holds_every_row_ = every_row;
    fetched_.resize(count, data_->context.cols);
    const auto step = std::max<std::size_t>(1, kWindowBytes / row_bytes());
    for (std::size_t from = 0; from < rows.size(); from += step)
      window(rows.subspan(from, std::min(step, rows.size() - from)), [&](std::size_t i, const T* row) {
        const Index to = place(static_cast<Index>(from + i));
        if (to >= 0) put(to, row);
      });
    return fetched_.view();
  }

 private:
  static constexpr std::size_t kWindowBytes = std::size_t{32} << 20;  // of rows that travel at once

  std::size_t row_bytes() const { return static_cast<std::size_t>(data_->context.cols) * sizeof(T); }
  std::size_t owner(std::int64_t row) const {
    const auto after = std::upper_bound(data_->held.begin(), data_->held.end(), row);
    return static_cast<std::size_t>(after - data_->held.begin()) - 1;
  }
  bool is_every_row(std::span<const std::int64_t> rows) const {
    if (static_cast<Index>(rows.size()) != data_->rows) return false;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i] != static_cast<std::int64_t>(i)) return false;
    return true;
  }
  void put(Index to, const T* row) { std::copy_n(row, data_->context.cols, fetched_.row(to)); }

  // use(i, context of rows[i]) for all of them, which travel as one.
  template <class Use>
  void window(std::span<const std::int64_t> rows, const Use& use) {
    sizes_.assign(ranks_->size(), 0);
    for (const std::int64_t row : rows) sizes_[owner(row)] += row_bytes();
    starts_.assign(ranks_->size(), 0);
    for (std::size_t rank = 1; rank < sizes_.size(); ++rank)
      starts_[rank] = starts_[rank - 1] + sizes_[rank - 1];
    if (buffer_.size() < rows.size() * row_bytes()) buffer_.resize(rows.size() * row_bytes());
    const std::size_t self = ranks_->rank();
    for (const std::int64_t row : rows)
      if (owner(row) == self) will_read(data_->context.row(row - data_->held[self]), row_bytes());
    std::byte* to = buffer_.data() + starts_[self];
    for (const std::int64_t row : rows) {
      if (owner(row) != self) continue;
      std::memcpy(to, data_->context.row(row - data_->held[self]), row_bytes());
      to += row_bytes();
    }
    ranks_->all_gather(std::span(buffer_).first(rows.size() * row_bytes()), sizes_);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      std::size_t& from = starts_[owner(rows[i])];
      use(i, reinterpret_cast<const T*>(buffer_.data() + from));
      from += row_bytes();
    }
  }

  const DatasetView<T>* data_;
  Ranks* ranks_;
  Matrix<T> fetched_;
  bool holds_every_row_ = false;
  AlignedVector<std::byte> buffer_;
  std::vector<std::size_t> sizes_, starts_;
};

}  // namespace bl
