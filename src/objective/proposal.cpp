#include "objective/proposal.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "bl/errors.hpp"

namespace bl {

namespace {

constexpr double kEven = 0.2;  // probability that is spread evenly over the support
constexpr std::size_t kRowsPerBox = 16;
constexpr std::size_t kMostBoxes = 512;
constexpr double kEmpty = 0.25;      // share of a side: a margin wider than that is cut off
constexpr double kMargin = 0.1;      // of the rows' range stays around them
constexpr double kNarrowest = 1e-3;  // share of the support's side below which nothing is cut

}  // namespace

class Proposal::Builder {
 public:
  Builder(Proposal& out, const Matrix<double>& values, const Support& support)
      : out_(&out),
        values_(&values),
        support_(&support),
        most_rows_(std::max(kRowsPerBox, static_cast<std::size_t>(values.rows()) / kMostBoxes)) {
    rows_.resize(static_cast<std::size_t>(values.rows()));
    std::iota(rows_.begin(), rows_.end(), Index{0});
    add(rows_, {support.lower, support.upper});
  }

 private:
  struct Range {
    double least, most;
  };
  Range range(std::span<const Index> rows, std::size_t axis) const {
    Range range{(*values_)(rows[0], static_cast<Index>(axis)), (*values_)(rows[0], static_cast<Index>(axis))};
    for (const Index row : rows) {
      range.least = std::min(range.least, (*values_)(row, static_cast<Index>(axis)));
      range.most = std::max(range.most, (*values_)(row, static_cast<Index>(axis)));
    }
    return range;
  }
  bool may_cut(const Box& box, std::size_t axis) const {
    return box.upper[axis] - box.lower[axis] > kNarrowest * (support_->upper[axis] - support_->lower[axis]);
  }

  // The node of these rows, all inside the box, and of what is cut from it.
  std::int32_t add(std::span<Index> rows, const Box& box) {
    const auto at = static_cast<std::int32_t>(out_->nodes_.size());
    out_->nodes_.emplace_back();
    if (!trimmed(at, rows, box) && !halved(at, rows, box)) finish(at, rows.size(), box);
    return at;
  }

  // An empty margin becomes a box of its own.
  bool trimmed(std::int32_t at, std::span<Index> rows, const Box& box) {
    if (rows.empty()) return false;
    for (std::size_t axis = 0; axis < box.lower.size(); ++axis) {
      if (!may_cut(box, axis)) continue;
      const Range range = this->range(rows, axis);
      const double side = box.upper[axis] - box.lower[axis];
      const double margin = kMargin * std::max(range.most - range.least, kEmpty * side);
      if (range.least - margin - box.lower[axis] > kEmpty * side)
        return cut(at, axis, range.least - margin, {}, rows, box);
      if (box.upper[axis] - range.most - margin > kEmpty * side)
        return cut(at, axis, range.most + margin, rows, {}, box);
    }
    return false;
  }

  bool halved(std::int32_t at, std::span<Index> rows, const Box& box) {
    if (rows.size() <= most_rows_) return false;
    std::size_t axis = 0;
    double longest = 0;
    for (std::size_t a = 0; a < box.lower.size(); ++a) {
      const Range range = this->range(rows, a);
      if (range.most - range.least <= longest || !may_cut(box, a)) continue;
      longest = range.most - range.least;
      axis = a;
    }
    if (longest <= 0) return false;
    const auto value = [&](Index row) { return (*values_)(row, static_cast<Index>(axis)); };
    const auto middle = rows.begin() + static_cast<std::ptrdiff_t>(rows.size() / 2);
    std::nth_element(rows.begin(), middle, rows.end(), [&](Index a, Index b) {
      return value(a) < value(b) || (value(a) == value(b) && a < b);
    });
    double place = value(*middle);
    const double narrowest = 0.1 * kNarrowest * (support_->upper[axis] - support_->lower[axis]);
    // Among many equal values the cut lies beside them.
    if (place <= range(rows, axis).least) place += narrowest;
    if (place - box.lower[axis] < narrowest || box.upper[axis] - place < narrowest) return false;
    const auto split =
        std::partition(rows.begin(), rows.end(), [&](Index row) { return value(row) < place; });
    const auto below = static_cast<std::size_t>(split - rows.begin());
    if (below == 0 || below == rows.size()) return false;
    return cut(at, axis, place, rows.first(below), rows.subspan(below), box);
  }

  bool cut(std::int32_t at, std::size_t axis, double place, std::span<Index> below, std::span<Index> above,
           const Box& box) {
    Box low = box, high = box;
    low.upper[axis] = high.lower[axis] = place;
    const std::int32_t first = add(below, low), second = add(above, high);
    out_->nodes_[static_cast<std::size_t>(at)] = {static_cast<std::int32_t>(axis), place, first, second};
    return true;
  }

  void finish(std::int32_t at, std::size_t rows, const Box& box) {
    double log_volume = 0, log_share = 0;
    for (std::size_t a = 0; a < box.lower.size(); ++a) {
      log_volume += std::log(box.upper[a] - box.lower[a]);
      log_share += std::log((box.upper[a] - box.lower[a]) / (support_->upper[a] - support_->lower[a]));
    }
    const double probability = (1 - kEven) * static_cast<double>(rows) / static_cast<double>(rows_.size()) +
                               kEven * std::exp(log_share);
    out_->nodes_[static_cast<std::size_t>(at)].below = static_cast<std::int32_t>(out_->log_densities_.size());
    out_->log_densities_.push_back(std::log(probability) - log_volume);
    out_->cumulative_.push_back((out_->cumulative_.empty() ? 0 : out_->cumulative_.back()) + probability);
    out_->lower_.insert(out_->lower_.end(), box.lower.begin(), box.lower.end());
    out_->upper_.insert(out_->upper_.end(), box.upper.begin(), box.upper.end());
  }

  Proposal* out_;
  const Matrix<double>* values_;
  const Support* support_;
  std::size_t most_rows_;
  std::vector<Index> rows_;
};

Proposal::Proposal(const Matrix<double>& values, const Support& support) : dimension_(support.dimension()) {
  if (values.rows() == 0 || values.cols() != dimension_ || dimension_ == 0)
    throw UsageError("candidates need rows of the response to be drawn like");
  for (std::size_t a = 0; a < support.lower.size(); ++a)
    if (!(support.lower[a] < support.upper[a]) || !std::isfinite(support.upper[a] - support.lower[a]))
      throw UsageError("candidates need a finite support");
  Builder(*this, values, support);
}

double Proposal::draw(const RandomStream& stream, std::uint64_t row, std::uint64_t index,
                      std::span<double> place) const {
  const ProposalBoxes all = view();
  const auto uniform = [&](std::uint64_t i) { return stream.uniform(row, i); };
  const int box = all.box(index, uniform);
  for (int a = 0; a < all.dimension; ++a)
    place[static_cast<std::size_t>(a)] = all.place(box, index, a, uniform);
  return log_densities_[static_cast<std::size_t>(box)];
}

double Proposal::log_density(std::span<const double> place) const {
  const Node* node = nodes_.data();
  while (node->axis >= 0)
    node = &nodes_[static_cast<std::size_t>(
        place[static_cast<std::size_t>(node->axis)] < node->cut ? node->below : node->above)];
  return log_densities_[static_cast<std::size_t>(node->below)];
}

}  // namespace bl
