// The mean loss of all rows as a function of raw parameters, the same at every call: what is minimised and
// differentiated again for standard errors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/parallel.hpp"
#include "objective/batch.hpp"

namespace bl::inference {

class Loss {
 public:
  // The objective must outlive this. Rows of weight 0 are left out. The noise of score matching is that of a
  // fit by L-BFGS with this seed, or `given` (rows x draws * values). most_rows: only the first ones; 0: all.
  // DataError where the weights sum to zero.
  Loss(const Objective<double>& objective, std::uint64_t noise_seed, ThreadPool& pool, Index most_rows = 0,
       MatrixView<const double> given = {});

  double operator()(std::span<const double> raw, std::span<double> gradient);

  const Objective<double>& objective() const { return *objective_; }
  const std::vector<std::int64_t>& rows() const { return rows_; }
  const Noise& noise() const { return noise_; }
  double total_weight() const { return total_weight_; }
  ThreadPool& pool() const { return *pool_; }

 private:
  const Objective<double>* objective_;
  ThreadPool* pool_;
  Noise noise_;
  std::vector<std::int64_t> rows_;
  double total_weight_ = 0;
  BatchEvaluator<double> evaluator_;
};

}  // namespace bl::inference
