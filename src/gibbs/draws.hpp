// Kept draws of many chains: draw x chain x column, row-major.
#pragma once

#include <cassert>

#include "base/matrix.hpp"

namespace bl::gibbs {

template <class T>
class Draws {
 public:
  Draws() = default;
  Draws(Index draws, Index chains, Index columns) : chains_(chains), values_(draws * chains, columns) {}

  Index draws() const { return chains_ == 0 ? 0 : values_.rows() / chains_; }
  Index chains() const { return chains_; }
  Index columns() const { return values_.cols(); }
  T& operator()(Index draw, Index chain, Index column) { return values_(draw * chains_ + chain, column); }
  const T& operator()(Index draw, Index chain, Index column) const {
    return values_(draw * chains_ + chain, column);
  }
  // The rows of chains [first, first + count) of one draw.
  MatrixView<T> rows(Index draw, Index first, Index count) {
    assert(first + count <= chains_);
    return values_.view().row_range(draw * chains_ + first, count);
  }

 private:
  Index chains_ = 0;
  Matrix<T> values_;
};

}  // namespace bl::gibbs
