// A linear utility at all draws: the differences of the columns from those of the chosen alternative enter
// one kernel, which keeps the sums over the draws' probabilities in registers.
#include <algorithm>

#include "compute/draw_kernels.hpp"
#include "random_utility/drawn_utility.hpp"

namespace bl::random_utility {

namespace {

class DrawnLinear final : public DrawnUtility {
 public:
  DrawnLinear(const ChoiceSets& sets, const Utility& utility, const std::vector<Index>& random,
              std::size_t draws)
      : DrawnUtility(sets, utility, random, draws) {
    for (Index k = 0; k < utility.parameters(); ++k)
      if (std::find(random.begin(), random.end(), k) == random.end()) fixed_.push_back(k);
    const Index rows = sets.design.rows() - sets.situations();
    difference_.resize(rows, static_cast<Index>(random.size()));
    fixed_difference_.resize(rows, static_cast<Index>(fixed_.size()));
    Index at = 0;
    for (Index t = 0; t < sets.situations(); ++t) {
      const auto begin = static_cast<Index>(sets.begin[static_cast<std::size_t>(t)]);
      const Index base = begin + sets.chosen[static_cast<std::size_t>(t)];
      for (Index j = begin; j < begin + sets.size(t); ++j) {
        if (j == base) continue;
        const auto difference = [&](Index term) { return sets.design(j, term) - sets.design(base, term); };
        for (std::size_t k = 0; k < random.size(); ++k)
          difference_(at, static_cast<Index>(k)) = difference(random[k]);
        for (std::size_t k = 0; k < fixed_.size(); ++k)
          fixed_difference_(at, static_cast<Index>(k)) = difference(fixed_[k]);
        ++at;
      }
    }
  }

  void run(Index person, const double* parameters, bool logarithm, DrawnWorkspace& work) const override {
    const auto [first, last] = rows_of(person);
    const auto from = static_cast<std::size_t>(sets().persons[static_cast<std::size_t>(person)]),
               to = static_cast<std::size_t>(sets().persons[static_cast<std::size_t>(person) + 1]);
    work.probabilities.resize(static_cast<Index>(last - first), static_cast<Index>(draws()));
    work.slopes.resize(difference_.cols(), static_cast<Index>(draws()));
    work.likelihood.resize(draws());
    work.fixed.resize(static_cast<std::size_t>(last - first));
    for (std::int64_t row = first; row < last; ++row) {
      double sum = 0;
      for (std::size_t k = 0; k < fixed_.size(); ++k)
        sum += fixed_difference_(static_cast<Index>(row), static_cast<Index>(k)) * parameters[fixed_[k]];
      work.fixed[static_cast<std::size_t>(row - first)] = sum;
    }
    std::fill_n(work.likelihood.data(), draws(), logarithm ? 0.0 : 1.0);
    std::fill_n(work.slopes.data(), static_cast<std::size_t>(difference_.cols()) * draws(), 0.0);
    for (std::size_t t = from; t < to; ++t) {
      const std::int64_t row = sets().begin[t] - static_cast<std::int64_t>(t);
      logit_at_draws({.fixed = work.fixed.data() + (row - first),
                      .difference = difference_.row(static_cast<Index>(row)),
                      .alternatives = static_cast<std::size_t>(sets().size(static_cast<Index>(t)) - 1),
                      .coefficients = static_cast<std::size_t>(difference_.cols())},
                     work.coefficients.data(), draws(), logarithm, work.likelihood.data(),
                     work.probabilities.row(static_cast<Index>(row - first)), work.slopes.data());
    }
  }

  void differentiate(Index person, const double*, DrawnWorkspace& work,
                     std::span<double> score) const override {
    const auto [first, last] = rows_of(person);
    if (!fixed_.empty()) {
      work.sums.resize(static_cast<std::size_t>(last - first));
      weighted_row_sums(work.probabilities.data(), static_cast<std::size_t>(last - first),
                        work.likelihood.data(), draws(), work.sums.data());
      for (std::int64_t row = first; row < last; ++row)
        for (std::size_t k = 0; k < fixed_.size(); ++k)
          score[static_cast<std::size_t>(fixed_[k])] -=
              work.sums[static_cast<std::size_t>(row - first)] *
              fixed_difference_(static_cast<Index>(row), static_cast<Index>(k));
    }
    for (Index k = 0; k < work.slopes.rows(); ++k) {
      double* slope = work.slopes.row(k);
      for (std::size_t r = 0; r < draws(); ++r) slope[r] *= work.likelihood[r];
    }
  }

 private:
  std::vector<Index> fixed_;         // parameters that are the same for all
  Matrix<double> difference_;        // entries without the chosen ones x random parameters
  Matrix<double> fixed_difference_;  // the same x fixed parameters
};

}  // namespace

std::unique_ptr<DrawnUtility> drawn_utility(const ChoiceSets& sets, const Utility& utility,
                                            const std::vector<Index>& random, std::size_t draws) {
  if (utility.is_linear()) return std::make_unique<DrawnLinear>(sets, utility, random, draws);
  return std::make_unique<DrawnUtility>(sets, utility, random, draws);
}

}  // namespace bl::random_utility
