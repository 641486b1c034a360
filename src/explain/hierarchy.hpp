// Bottom to top: which earlier blocks a block aggregates, how strongly, and what each block is mostly about.
#pragma once

#include <string>
#include <vector>

#include "explain/render.hpp"

namespace bl::explain {

// One earlier block as read by another: its weight in each head, and its share of all that the block reads
// from earlier blocks, sum over heads of |lambda weight| plus |carried weight|.
struct Aggregation {
  std::size_t variable = 0;
  std::vector<double> head_weights;  // in the order of the block's heads
  double carried = 0;
  double share = 0;
};

struct BlockProfile {
  const Block* block = nullptr;
  // Part in the outputs: |readout| for the last layer, passed down by the shares above it; sums to 1 in a
  // layer.
  double influence = 0;
  std::vector<Aggregation> reads;  // the largest share first
  std::string dominant;            // "U1 +RM*MEDV -LSTAT; C1 +TAX; T1 -NOX +AGE"
};

// Profiles of all blocks, layer by layer. `terms` of each head are named in `dominant`.
std::vector<std::vector<BlockProfile>> hierarchy(const Problem& problem, std::size_t terms);

// The blocks that options ask for; of more than 8 the most influential, in the order of the model.
std::vector<const Block*> leading_blocks(const Problem& problem, const RenderOptions& options);

}  // namespace bl::explain
