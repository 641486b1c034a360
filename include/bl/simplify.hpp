// From a large model to a small one that can be read in full.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "bl/model.hpp"

namespace bl {

struct SimplifyOptions {
  std::size_t blocks = 0;                          // of the small model; 0: chosen
  std::size_t columns = 0;                         // features that it reads, at most; 0: chosen
  std::size_t most_blocks = 8, most_columns = 32;  // where they are chosen
  std::size_t head_columns = 8;  // features that one head reads, at most: those that move it most
  std::size_t starts = 2;        // fits of every size from different starting values; the best one counts
  std::size_t threads = 0;
  // should_stop ends the work with Interrupted.
  std::function<bool()> should_stop = {};
  std::function<void(double seconds, const std::string& text)> on_progress = {};
};

// A loss is the mean of -log p(y|x) over validation rows, in the data's own units.
struct SimplifiedSize {
  std::size_t blocks = 0, heads = 0, columns = 0;  // heads of a block
  double loss = 0, standard_error = 0;
  double difference = 0, difference_error = 0;  // to the large model, of the same rows
  bool chosen = false;
};

struct HeldOutLoss {
  std::size_t rows = 0;  // 0: there are none, and the numbers mean nothing
  double loss = 0, standard_error = 0;
};

struct Simplified {
  Model model;  // of the chosen size
  std::vector<SimplifiedSize> sizes = {};
  std::vector<std::string> columns = {};  // that the small model reads, the one that matters most first
  std::size_t large_blocks = 0, large_heads = 0, large_columns = 0;
  HeldOutLoss large = {};                        // of the large model over validation rows
  HeldOutLoss large_test = {}, small_test = {};  // over test rows, which decided nothing
};

// Blocks of a problem that a person reads in full.
inline constexpr std::size_t kReadableBlocks = 3;

// Ranks the columns by the log-likelihood that is lost without them and fits models of one layer to the first
// few of them, for a ladder of sizes; where the response is a class, to the large model's probabilities as
// well as to the classes. Where a head would read more than `head_columns` of them, it keeps those that move
// it most, and the model is fitted again without the others. Where the response is a class, `heads` was not
// given, there are 1,000 training rows and the large model is noticeably better than all of these, the
// largest size is fitted with 6 U heads a block, too, and with 16 if those gained noticeably. Rows are cut as
// the settings of the model's fit cut them. Writes the size that is asked for, or the smallest that is within
// one standard error (of the difference, row by row) of the best one and within 0.005 of it. UsageError for
// choices, a single block, or responses without a known likelihood.
Simplified simplify(const Model& model, const Data& data, const SimplifyOptions& options = {});

// The ladder as a table, and in lines of at most 80 columns.
OutputTable size_table(const Simplified& result);
std::string render(const Simplified& result);

}  // namespace bl
