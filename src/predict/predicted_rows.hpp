// Rows that are to be predicted. Where they lie with several ranks each predicts a run of them, and what it
// predicts is brought to all.
#pragma once

#include <span>
#include <vector>

#include "base/rank_gather.hpp"
#include "data/shared_table.hpp"
#include "features/encoder.hpp"

namespace bl {

// Rows are predicted in blocks of so many from the first on, by whichever rank: sums inside a block do not
// depend on ranks.
inline constexpr Index kPredictedBlock = 64;

class PredictedRows {
 public:
  // `table` has responses and weights of all rows, and the features where `shared` is null. Rows are
  // ascending where it is not.
  PredictedRows(const Encoder& encoder, const Table& table, const SharedTable* shared,
                std::span<const Index> rows);

  // Responses and weights of all rows; features of those that are predicted here.
  const Encoded<double>& encoded() const { return encoded_; }
  Index first() const { return begins_.empty() ? 0 : begins_[shared_->ranks->rank()]; }
  Index count() const { return encoded_.features.rows(); }

  // work() that predicts those that are predicted here; an error of one rank is thrown by all.
  template <class F>
  void predict(F&& work) const {
    if (shared_ == nullptr)
      work();
    else
      all_or_none(*shared_->ranks, work);
  }

  // What was predicted here, a row or a number for each, becomes that of all rows.
  void gather(Matrix<double>& rows) const;
  void gather(std::vector<double>& rows) const;

 private:
  void take_run(const Matrix<double>& own, std::span<const Index> rows);

  const SharedTable* shared_;
  Index rows_;
  Encoded<double> encoded_;
  std::vector<Index> begins_;  // of each rank's run, and the end; empty: all are here
};

}  // namespace bl
