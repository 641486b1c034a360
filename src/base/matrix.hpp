// Row-major matrices: a non-owning view and an owner that never shrinks its storage, so that a
// workspace resized to the same or a smaller shape allocates nothing.
#pragma once

#include <cassert>
#include <cstddef>
#include <span>
#include <type_traits>

#include "base/spill.hpp"

namespace bl {

using Index = std::ptrdiff_t;

template <class T>
struct MatrixView {
  T* data = nullptr;
  Index rows = 0;
  Index cols = 0;
  Index stride = 0;  // distance between the starts of two rows, at least cols

  T* row(Index i) const {
    assert(i >= 0 && i < rows);
    return data + i * stride;
  }
  T& operator()(Index i, Index j) const {
    assert(j >= 0 && j < cols);
    return row(i)[j];
  }
  MatrixView columns(Index from, Index count) const {
    assert(from >= 0 && from + count <= cols);
    return {data + from, rows, count, stride};
  }
  MatrixView row_range(Index from, Index count) const {
    assert(from >= 0 && from + count <= rows);
    return {data + from * stride, count, cols, stride};
  }
  operator MatrixView<const T>() const requires(!std::is_const_v<T>) { return {data, rows, cols, stride}; }
};

template <class T>
class Matrix {
 public:
  Matrix() = default;
  Matrix(Index rows, Index cols) { resize(rows, cols); }

  // Contents are unspecified after a change of shape.
  void resize(Index rows, Index cols) {
    rows_ = rows;
    cols_ = cols;
    const auto needed = static_cast<std::size_t>(rows * cols);
    if (storage_.size() < needed) storage_.resize(needed);
  }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  T* data() { return storage_.data(); }
  const T* data() const { return storage_.data(); }
  T* row(Index i) { return storage_.data() + i * cols_; }
  const T* row(Index i) const { return storage_.data() + i * cols_; }
  T& operator()(Index i, Index j) { return row(i)[j]; }
  const T& operator()(Index i, Index j) const { return row(i)[j]; }
  std::span<T> flat() { return {storage_.data(), static_cast<std::size_t>(rows_ * cols_)}; }
  std::span<const T> flat() const { return {storage_.data(), static_cast<std::size_t>(rows_ * cols_)}; }
  MatrixView<T> view() { return {storage_.data(), rows_, cols_, cols_}; }
  MatrixView<const T> view() const { return {storage_.data(), rows_, cols_, cols_}; }

 private:
  AlignedVector<T> storage_;
  Index rows_ = 0;
  Index cols_ = 0;
};

}  // namespace bl
