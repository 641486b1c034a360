#include "predict/predicted_rows.hpp"

#include <algorithm>
#include <utility>

#include "features/shared_encoder.hpp"

namespace bl {

PredictedRows::PredictedRows(const Encoder& encoder, const Table& table, const SharedTable* shared,
                             std::span<const Index> rows)
    : shared_(shared), rows_(static_cast<Index>(rows.size())) {
  if (shared_ == nullptr) {
    encoded_ = encoder.encode<double>(table, rows);
    return;
  }
  Matrix<double> own;
  all_or_none(*shared_->ranks, [&] {
    encoded_ = without_features(encoder).encode<double>(table, rows);
    own = encoder.encode_features<double>(shared_->own, shared_->own_rows(rows));
  });
  take_run(own, rows);
}

// A run begins with the first whole block among the rows of its rank; the rows before that go to the rank
// that has the block's beginning.
void PredictedRows::take_run(const Matrix<double>& own, std::span<const Index> rows) {
  Ranks& ranks = *shared_->ranks;
  const std::vector<std::int64_t> held = shared_->held(rows);
  for (const std::int64_t at : held)
    begins_.push_back(std::min<Index>(rows_, (at + kPredictedBlock - 1) / kPredictedBlock * kPredictedBlock));
  // Of every rank, the rows before its run (or all of them where it has none).
  const auto early = [&](std::size_t rank) {
    return std::min<Index>(begins_[rank], held[rank + 1]) - held[rank];
  };
  std::vector<Index> places = {0};  // of the numbers of each
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    places.push_back(places.back() + early(rank) * own.cols());
  std::vector<double> travelled(static_cast<std::size_t>(places.back()));
  const std::size_t self = ranks.rank();
  gather_values<double>(ranks, own.flat().first(static_cast<std::size_t>(early(self) * own.cols())), places,
                        travelled);
  Matrix<double> run(begins_[self + 1] - begins_[self], own.cols());
  std::size_t owner = self;
  for (Index i = 0; i < run.rows(); ++i) {
    const Index at = begins_[self] + i;
    while (at >= held[owner + 1]) ++owner;
    const double* row = owner == self ? own.row(at - held[self])
                                      : travelled.data() + places[owner] + (at - held[owner]) * own.cols();
    std::copy_n(row, own.cols(), run.row(i));
  }
  encoded_.features = std::move(run);
}

void PredictedRows::gather(Matrix<double>& rows) const {
  if (begins_.empty()) return;
  Matrix<double> all(rows_, rows.cols());
  std::vector<Index> places;
  for (const Index begin : begins_) places.push_back(begin * rows.cols());
  gather_values<double>(*shared_->ranks, std::as_const(rows).flat(), places, all.flat());
  rows = std::move(all);
}

void PredictedRows::gather(std::vector<double>& rows) const {
  if (begins_.empty()) return;
  std::vector<double> all(static_cast<std::size_t>(rows_));
  gather_values<double>(*shared_->ranks, rows, begins_, all);
  rows = std::move(all);
}

}  // namespace bl
