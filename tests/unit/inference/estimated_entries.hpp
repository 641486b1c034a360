// What an estimate found, one by one.
#pragma once

#include <cmath>
#include <vector>

#include "inference/estimate.hpp"

namespace bl::test {

struct EstimatedEntry {
  Index position = 0;  // in the layout
  double value = 0;    // effective
  double error = 0;    // NaN where the rows do not determine it
};

inline std::vector<EstimatedEntry> entries_of(const inference::Estimate& e) {
  std::vector<EstimatedEntry> out;
  for (std::size_t k = 0; k < e.chart.positions.size(); ++k) {
    const Index position = e.chart.positions[k], i = static_cast<Index>(k);
    out.push_back(
        {position, e.chart.effective[static_cast<std::size_t>(position)], std::sqrt(e.entries(i, i))});
  }
  return out;
}

}  // namespace bl::test
