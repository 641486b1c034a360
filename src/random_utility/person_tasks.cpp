#include <algorithm>

#include "base/rank_gather.hpp"
#include "random_utility/random_utility_model.hpp"

namespace bl::random_utility {

void PersonTasks::gather(std::span<double> parts, MatrixView<double> scores) const {
  const Index width = scores.cols + 1;
  std::vector<Index> places;
  for (const Index begin : begins_) places.push_back(begin * width);
  std::vector<double> all(static_cast<std::size_t>(places.back()));
  const auto person = [&](Index p) { return all.data() + p * width; };
  for (Index p = begins_[ranks_->rank()]; p < begins_[ranks_->rank() + 1]; ++p) {
    *person(p) = parts[static_cast<std::size_t>(p)];
    std::copy_n(scores.row(p), scores.cols, person(p) + 1);
  }
  std::vector<std::size_t> sizes;
  for (std::size_t rank = 0; rank < ranks_->size(); ++rank)
    sizes.push_back(static_cast<std::size_t>(places[rank + 1] - places[rank]) * sizeof(double));
  ranks_->all_gather(std::as_writable_bytes(std::span(all)), sizes);
  for (Index p = 0; p < begins_.back(); ++p) {
    parts[static_cast<std::size_t>(p)] = *person(p);
    std::copy_n(person(p) + 1, scores.cols, scores.row(p));
  }
}

}  // namespace bl::random_utility
