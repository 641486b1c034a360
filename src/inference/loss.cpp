#include "inference/loss.hpp"

#include <algorithm>

#include "bl/errors.hpp"

namespace bl::inference {

Loss::Loss(const Objective<double>& objective, std::uint64_t noise_seed, Engine<double>& engine,
           Index most_rows, MatrixView<const double> given)
    : objective_(&objective),
      noise_{RandomStream(noise_seed, Purpose::score_noise), objective.spec().sigma, given},
      engine_(&engine),
      loaded_(engine.load(objective)) {
  const Index all = objective.data().rows;
  for (Index row = 0; row < (most_rows > 0 ? std::min(most_rows, all) : all); ++row) {
    const double weight = objective.data().weight(row);
    if (weight == 0) continue;
    rows_.push_back(row);
    total_weight_ += weight;
  }
  if (!(total_weight_ > 0)) throw DataError("the row weights sum to zero; there is nothing to learn from");
}

double Loss::operator()(std::span<const double> raw, std::span<double> gradient) {
  const Batch all{.rows = rows_, .scale = 1 / total_weight_};
  return engine_->loss(loaded_, all, noise_, raw, gradient).loss / total_weight_;
}

}  // namespace bl::inference
