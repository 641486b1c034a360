// Where candidates of a continuous response are drawn from: a density over the support that is constant on
// boxes.
//
// The boxes follow the training rows. One that holds many of them is halved at the median of its longest
// side, and a wide empty margin is cut off, so boxes are small where rows are. Part of the probability is
// spread evenly, so that no place of the support is out of reach.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/matrix.hpp"
#include "base/random.hpp"
#include "objective/proposal_boxes.hpp"
#include "objective/quadrature_rule.hpp"

namespace bl {

// Up to so many dimensions a quadrature rule judges what random candidates have taught.
inline constexpr Index kMostRuleDimensions = 2;

class Proposal {
 public:
  // values: rows x dimension, inside the support. UsageError where there are none, or the support is empty or
  // infinite.
  Proposal(const Matrix<double>& values, const Support& support);

  Index dimension() const { return dimension_; }
  Index boxes() const { return static_cast<Index>(log_densities_.size()); }

  // What draws read; valid as long as the proposal.
  ProposalBoxes view() const {
    return {lower_.data(), upper_.data(), cumulative_.data(), static_cast<int>(boxes()),
            static_cast<int>(dimension_)};
  }
  std::span<const double> log_densities() const { return log_densities_; }

  // Candidate `index` of a row goes to `place`; returns the log of the density there. A function of its
  // arguments alone.
  double draw(const RandomStream& stream, std::uint64_t row, std::uint64_t index,
              std::span<double> place) const;
  // Of a place outside the support: that of the nearest box.
  double log_density(std::span<const double> place) const;

 private:
  struct Box {
    std::vector<double> lower, upper;
  };
  struct Node {
    std::int32_t axis = -1;  // -1: a box
    double cut = 0;
    std::int32_t below = 0, above = 0;  // nodes, or in `below` the number of the box
  };
  class Builder;

  Index dimension_;
  std::vector<Node> nodes_;
  std::vector<double> lower_, upper_;  // of every box, dimension by dimension
  std::vector<double> log_densities_;  // of every box
  std::vector<double> cumulative_;     // probability of the boxes up to and including each
};

}  // namespace bl
