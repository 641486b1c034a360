// Value and gradient over any set of rows, on several threads bit-identical for any number of them.
//
// The rows are cut into chunks by shapes alone. Chunk c belongs to lane c mod lanes; a lane works through its
// chunks in order into a gradient of its own, and lanes are summed in order at the end. Where the context's
// weights are many and the batch is short, their products stand apart from that (context_product.hpp). Ranks
// share the lanes, and put them together before they are summed; rows that lie elsewhere are fetched first.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/context.hpp"
#include "engine/cpu/context_product.hpp"
#include "engine/cpu/row_fetch.hpp"
#include "objective/objective.hpp"

namespace bl {

template <class T>
class BatchEvaluator {
 public:
  BatchEvaluator(const Objective<T>& objective, Context job);

  // Sum of the rows' losses. Where gradient is not empty it becomes scale * d(sum)/d(parameters).
  LossSum evaluate(std::span<const T> parameters, std::span<const std::int64_t> rows, const Noise& noise,
                   double scale, std::span<T> gradient);

 private:
  struct Lane {
    ObjectiveWorkspace<T> workspace;
    GradientSum<T> sums;
    LossSum loss;
  };
  struct Pass;
  void run_lane(const Pass& pass, std::size_t lane);
  // The context of the rows of this rank's lanes, where rows lie with several ranks.
  void fetch_rows(Pass& pass);
  // calls with the rows of each chunk of a lane: where they begin in the batch, and how many they are.
  template <class F>
  static void each_chunk(const Pass& pass, std::size_t lane, F&& call);
  void exchange_lanes(const Pass& pass);
  // gradient = sum over lanes, from parameter `first` on.
  void reduce(std::size_t lanes, Index first, std::span<T> gradient);
  // The first layer's weights, whose product with the context was precomputed.
  void finish_context(std::size_t lanes, std::span<T> gradient);

  const Objective<T>* objective_;
  Context job_;
  PreparedParameters<T> prepared_;
  ContextProduct<T> context_;
  std::vector<Lane> lanes_;
  Exchange exchange_;
  RowFetch<T> fetch_;
  std::vector<Index> chunk_places_;          // of each chunk among the rows that were fetched, -1: not here
  std::vector<std::int64_t> own_numbering_;  // 0, 1, 2, ...
};

}  // namespace bl
