// The sizes that are tried, and which of them is taken.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace bl {

struct Size {
  std::size_t blocks = 0, columns = 0;
  std::size_t utility_heads = 1;  // of a block
  bool operator==(const Size&) const = default;
};

// Blocks 1, 2, 3, 5, 8 and columns 4, 8, 16, 32 up to the most that is asked for, with as many columns as
// there are. Few columns first.
std::vector<Size> ladder(const Size& most, std::size_t features);

// Mean and standard error of what rows lose, with weights where there are any.
struct RowMean {
  double mean = 0, error = 0;
};
RowMean mean_of(const std::vector<double>& losses, const std::vector<double>& weights);
// Of a minus b, row by row.
RowMean mean_difference(const std::vector<double>& a, const std::vector<double>& b,
                        const std::vector<double>& weights);

inline constexpr double kNoticeableLoss = 0.005;

// The next size above the last of these, the largest blocks and columns with more U heads: 6, then 16.
// `behind` is how much worse than the large model the best of the sizes is, `gained` what the last step up in
// heads brought. None where the first is within its error or kNoticeableLoss, or the second is not
// noticeable.
std::optional<Size> with_more_heads(const Size& last, const RowMean& behind, double gained);

// Among the sizes that are asked for (0: any), the smallest (blocks times columns times heads) whose mean
// loss is within one standard error of the difference to the best one's, and within kNoticeableLoss.
std::size_t chosen_size(const std::vector<Size>& sizes, const std::vector<std::vector<double>>& losses,
                        const std::vector<double>& weights, const Size& asked);

}  // namespace bl
