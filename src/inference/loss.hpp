// The mean loss of all rows as a function of raw parameters, the same at every call: what is minimised and
// differentiated again for standard errors.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "engine/engine.hpp"

namespace bl::inference {

// Told between pieces of work, from any thread: what is being done, and how much of it (of = 0: not known).
// May throw to end the work.
using OnStep = std::function<void(const char* what, Index done, Index of)>;

class Loss {
 public:
  // The objective must outlive this. Rows of weight 0 are left out. The noise of score matching is that of a
  // fit by L-BFGS with this seed, or `given` (rows x draws * values). most_rows: only the first ones; 0: all.
  // DataError where the weights sum to zero.
  Loss(const Objective<double>& objective, std::uint64_t noise_seed, const Context& job, Index most_rows = 0,
       MatrixView<const double> given = {});

  // The same on an engine of someone else, who keeps it for as long as this.
  Loss(const Objective<double>& objective, std::uint64_t noise_seed, Engine<double>& engine,
       Index most_rows = 0, MatrixView<const double> given = {});

  double operator()(std::span<const double> raw, std::span<double> gradient);

  // Work over all rows tells where it stands.
  void watch(OnStep on_step) { on_step_ = std::move(on_step); }
  void step(const char* what, Index done, Index of) const {
    if (on_step_) on_step_(what, done, of);
  }

  const Objective<double>& objective() const { return *objective_; }
  const std::vector<std::int64_t>& rows() const { return rows_; }
  const Noise& noise() const { return noise_; }
  double total_weight() const { return total_weight_; }
  const Context& job() const { return engine_->context(); }
  Ranks* ranks() const { return engine_->context().ranks(); }  // null where it is computed alone

 private:
  Loss(const Objective<double>& objective, std::uint64_t noise_seed, std::unique_ptr<Engine<double>> own,
       Index most_rows, MatrixView<const double> given);

  const Objective<double>* objective_;
  Noise noise_;
  std::vector<std::int64_t> rows_;
  double total_weight_ = 0;
  std::unique_ptr<Engine<double>> own_;
  Engine<double>* engine_;
  RowSet loaded_;
  OnStep on_step_;
};

}  // namespace bl::inference
