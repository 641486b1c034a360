// The mean loss of all rows as a function of raw parameters, the same at every call: what is minimised and
// differentiated again for standard errors.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/engine.hpp"

namespace bl::inference {

class Loss {
 public:
  // The objective and the engine must outlive this. Rows of weight 0 are left out. The noise of score
  // matching is that of a fit by L-BFGS with this seed, or `given` (rows x draws * values). most_rows: only
  // the first ones; 0: all. DataError where the weights sum to zero.
  Loss(const Objective<double>& objective, std::uint64_t noise_seed, Engine<double>& engine,
       Index most_rows = 0, MatrixView<const double> given = {});

  double operator()(std::span<const double> raw, std::span<double> gradient);

  // Work over all rows tells where it stands, and ends where it is asked to.
  void step(const char* what, Index done, Index of) const {
    job().tell(what, done, of);
    job().require_going();
  }

  const Objective<double>& objective() const { return *objective_; }
  const std::vector<std::int64_t>& rows() const { return rows_; }
  const Noise& noise() const { return noise_; }
  double total_weight() const { return total_weight_; }
  const Context& job() const { return engine_->context(); }
  Ranks* ranks() const { return engine_->context().ranks(); }  // null where it is computed alone

 private:
  const Objective<double>* objective_;
  Noise noise_;
  std::vector<std::int64_t> rows_;
  double total_weight_ = 0;
  Engine<double>* engine_;
  RowSet loaded_;
};

}  // namespace bl::inference
