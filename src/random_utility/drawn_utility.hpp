// A person's choices and their utilities at all draws of the parameters that differ between persons.
// Used by mixed_logit.cpp and mixed_forecast.cpp alone.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "base/spill.hpp"
#include "random_utility/random_utility_model.hpp"

namespace bl::random_utility {

// What one task computes with; rows of matrices are as long as the draws, padded to multiples of kDrawStep.
struct DrawnWorkspace {
  Matrix<double> coefficients;   // random parameters x draws
  Matrix<double> slopes;         // the same: d log-likelihood / d random parameter, times the draw's weight
  Matrix<double> probabilities;  // entries but the chosen ones x draws
  AlignedVector<double> likelihood;  // draws; later their weights
  Matrix<double> utilities;          // entries x draws: V / scale
  Matrix<double> entry_slopes;       // entries of a situation x draws
  // Of a linear utility: sums over what no draw changes.
  std::vector<double> fixed, sums;
  // Of heads: those whose weights differ between draws have rows, the others a number, per entry.
  Matrix<double> head_value, head_slope;
  std::vector<double> one_value, one_slope;
  Matrix<double> difference;
  AlignedVector<double> identity, zeros, ones, by_entry, by_head;
};

class DrawnUtility {
 public:
  // `random`: which parameters differ, in the order of the workspace's rows. The sets and the utility must
  // outlive this.
  DrawnUtility(const ChoiceSets& sets, const Utility& utility, const std::vector<Index>& random,
               std::size_t draws);
  virtual ~DrawnUtility() = default;
  DrawnUtility(const DrawnUtility&) = delete;
  DrawnUtility& operator=(const DrawnUtility&) = delete;

  // The probability of the person's choices at every draw, or its logarithm, into work.likelihood.
  virtual void run(Index person, const double* parameters, bool logarithm, DrawnWorkspace& work) const;

  // After run, with the draws' weights, which sum to 1, in work.likelihood: fills work.slopes, and the score
  // of the parameters that are the same for all.
  virtual void differentiate(Index person, const double* parameters, DrawnWorkspace& work,
                             std::span<double> score) const;

  // Of the entries [from, to): work.utilities.
  void utilities(Index from, Index to, const double* parameters, DrawnWorkspace& work) const;
  // The probabilities of a situation's entries from rows of work.utilities: those of the others into
  // `probabilities`, that of the chosen one multiplied into work.likelihood, or its logarithm added.
  void choose(Index situation, Index first_row, const double* parameters, bool logarithm,
              double* probabilities, DrawnWorkspace& work) const;
  // After utilities: d (V / scale) / d attribute of the same entries into work.entry_slopes.
  void attribute_slopes(Index from, Index to, const double* parameters, DesignSlopes slopes,
                        DrawnWorkspace& work) const;

 protected:
  const ChoiceSets& sets() const { return sets_; }
  std::size_t draws() const { return draws_; }
  // The first of the person's probabilities among those of all entries but the chosen ones, and the end.
  std::pair<std::int64_t, std::int64_t> rows_of(Index person) const;

 private:
  struct Head {
    double sign = 1;
    Activation activation = Activation::identity;
    Index lambda = -1, random_lambda = -1;  // a parameter; a row of the coefficients; neither: 1
    std::vector<UtilityHead::Weight> fixed, random;
    Index varying = -1;  // its place among those whose weights differ between draws
  };
  void head_at(const Head& head, const double* parameters, const double* z, Index row, std::size_t place,
               DrawnWorkspace& work) const;
  const double* lambdas(const Head& head, const double* parameters, DrawnWorkspace& work) const;
  void differentiate_entry(Index row, const double* z, const double* parameters, DrawnWorkspace& work,
                           std::span<double> score) const;

  const ChoiceSets& sets_;
  const Utility& utility_;
  std::size_t draws_;
  std::vector<Head> heads_;
  Index varying_ = 0;  // heads
};

// The fastest one: where the utility is linear, differences of the columns enter one kernel.
std::unique_ptr<DrawnUtility> drawn_utility(const ChoiceSets& sets, const Utility& utility,
                                            const std::vector<Index>& random, std::size_t draws);

}  // namespace bl::random_utility
