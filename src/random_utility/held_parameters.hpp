// A model of random utility with some of its parameters held where they are.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "random_utility/random_utility_model.hpp"

namespace bl::random_utility {

class HeldParameters final : public RandomUtilityModel {
 public:
  // `held` are positions, ascending. The model must outlive this one.
  HeldParameters(const RandomUtilityModel& model, std::vector<double> parameters,
                 const std::vector<Index>& held)
      : RandomUtilityModel(model.sets(), model.utility()), model_(model), all_(std::move(parameters)) {
    for (Index k = 0; k < static_cast<Index>(all_.size()); ++k)
      if (std::find(held.begin(), held.end(), k) == held.end()) free_.push_back(k);
    scores_.resize(sets().person_count(), static_cast<Index>(all_.size()));
  }

  const std::vector<Index>& free() const { return free_; }

  // The parameters of the model behind, with those that are held.
  std::vector<double> all(std::span<const double> free) const {
    std::vector<double> out = all_;
    for (std::size_t k = 0; k < free_.size(); ++k) out[static_cast<std::size_t>(free_[k])] = free[k];
    return out;
  }
  template <class T>
  std::vector<T> free_of(const std::vector<T>& values) const {
    std::vector<T> out;
    for (const Index k : free_) out.push_back(values[static_cast<std::size_t>(k)]);
    return out;
  }

  Index parameters() const override { return static_cast<Index>(free_.size()); }

  double log_likelihood(std::span<const double> parameters, MatrixView<double> scores, const Context& job,
                        Ranks* ranks = nullptr) const override {
    const double value = model_.log_likelihood(all(parameters), scores_.view(), job, ranks);
    for (Index i = 0; i < scores.rows; ++i)
      for (Index k = 0; k < scores.cols; ++k) scores(i, k) = scores_(i, free_[static_cast<std::size_t>(k)]);
    return value;
  }

  Forecast forecast(std::span<const double> parameters, DesignSlopes slopes,
                    const Context& job) const override {
    return model_.forecast(all(parameters), slopes, job);
  }

  Population population(std::span<const double> parameters) const override {
    return model_.population(all(parameters));
  }

 private:
  const RandomUtilityModel& model_;
  std::vector<double> all_;
  std::vector<Index> free_;
  mutable Matrix<double> scores_;  // of all parameters
};

}  // namespace bl::random_utility
