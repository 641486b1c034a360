// The loss of a row for every objective, in plain double-precision loops: docs/model.md, "Objectives".
#pragma once

#include <span>
#include <vector>

#include "engine/reference/utility.hpp"
#include "objective/objective.hpp"

namespace bl::reference {

// One utility: an output at a point z = [x ; v ; one-hot class].
struct Candidate {
  std::vector<double> z;
  std::size_t output = 0;
  double log_weight = 0;  // of a node of a quadrature rule or of an interval, or of a random candidate
};

// -log p = log sum over candidates of exp(log_weight + BL/tau)  -  the same over what was observed: one
// candidate, or the nodes of the interval that the response is known to lie in.
struct Choice {
  std::vector<Candidate> candidates, observed;
};

template <class T>
class Loss {
 public:
  // The objective must outlive this. UsageError where its rows lie with several processes.
  explicit Loss(const Objective<T>& objective);

  // Loss of a row times its weight; gradient, where it is not empty, += scale * its derivative.
  LossSum row(const Utility& utility, Index row, const Noise& noise, double scale,
              std::span<double> gradient) const;

  // Where utilities are evaluated: for the likelihood, and for score matching (one per draw of noise).
  Choice choice(const Utility& utility, Index row, const Noise& noise) const;
  std::vector<Candidate> noisy_points(Index row, const Noise& noise) const;

 private:
  std::vector<double> point(Index row, const Noise& noise, std::span<const double> v,
                            Index class_index) const;
  std::vector<double> response(Index row) const;
  Choice density(const Utility& utility, Index row, const Noise& noise) const;
  std::vector<Candidate> interval(const Utility& utility, Index row, const Noise& noise, double lower,
                                  double upper) const;
  double noise_of(const Noise& noise, Index row, Index i) const;
  double likelihood(const Utility& utility, Index row, const Noise& noise, double scale,
                    std::span<double> gradient) const;
  double score_matching(const Utility& utility, Index row, const Noise& noise, double scale,
                        std::span<double> gradient) const;

  const Architecture& architecture() const { return objective_->network().architecture(); }

  const Objective<T>* objective_;
};

}  // namespace bl::reference
