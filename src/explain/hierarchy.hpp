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

// A column of the data as read by a block itself: its share of all that the block reads, sum over heads of
// |lambda| times the sizes of terms (divided among their factors; of levels the mean), and the sign of its
// largest term.
struct ColumnShare {
  std::string column;  // for levels of a nominal column their column
  double share = 0;
  bool positive = true;
  bool response = false;
};

struct BlockProfile {
  const Block* block = nullptr;
  // Part in the outputs: |readout| for the last layer, passed down by the shares above it; sums to 1 in a
  // layer.
  double influence = 0;
  std::vector<Aggregation> reads;    // the largest share first
  std::vector<ColumnShare> columns;  // the largest share first
  std::string dominant;              // "U1 +RM*MEDV -LSTAT; C1 +TAX; T1 -NOX +AGE"
  std::string words;                 // "wants more RM*MEDV, less LSTAT; limits TAX; balances AGE against NOX"
};

// Profiles of all blocks, layer by layer. `terms` of each head are named in `dominant`.
std::vector<std::vector<BlockProfile>> hierarchy(const Problem& problem, std::size_t terms);

// One head in words, by its largest terms: "wants more RM, less LSTAT", "limits TAX, RM makes room",
// "balances AGE against NOX".
std::string head_words(const Problem& problem, const Head& head, std::size_t terms);

// The strongest way from the data to the utility: up to three columns, then a block of each layer it passes,
// then the output.
std::vector<std::string> strongest_path(const Problem& problem,
                                        const std::vector<std::vector<BlockProfile>>& layers);

// The blocks that options ask for; of more than 8 the most influential, in the order of the model.
std::vector<const Block*> leading_blocks(const Problem& problem, const RenderOptions& options);

}  // namespace bl::explain
