// Many models of one shape side by side, without a host thread for each.
#pragma once

#include "objective/objective.hpp"

namespace bl::bench {

struct ManyModels {
  double seconds = 0;         // of all epochs after the first, with their row orders brought to the GPU
  double launch_seconds = 0;  // without
  double mean_loss = 0;       // of the last epoch, over the models
};

// Every model has starting values, row orders and noise of its own. The first epoch is not timed.
ManyModels train_many(const Objective<float>& objective, int models, int batch, int epochs, double rate,
                      double sigma);

}  // namespace bl::bench
