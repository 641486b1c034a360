// What every model of random utility beyond the logit answers, given choices: how likely they are, and what
// the probabilities and their derivatives are.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/context.hpp"
#include "base/matrix.hpp"
#include "base/rank_shares.hpp"
#include "random_utility/choice_sets.hpp"
#include "random_utility/utility.hpp"

namespace bl::random_utility {

// Of the entries and situations of choice sets.
struct Forecast {
  std::vector<double> probability;  // entries
  std::vector<double> utility;      // entries: its mean over draws or classes
  std::vector<double> log_sum;      // situations: expected largest utility, up to a constant
  // Where responses are asked for: d utility / d attribute of the entry itself, its mean over draws or
  // classes and the share of them in which it is below zero.
  std::vector<double> slope, negative;
  // Situation by situation: d probability of entry j / d attribute of entry k, n x n row-major. Empty unless
  // asked for.
  std::vector<double> responses;
};

// Parameters of the utility as they differ in the population: a row per draw or class, with its share.
struct Population {
  Matrix<double> coefficients;  // rows x parameters of the utility
  std::vector<double> shares;
};

// Where situation t's responses begin.
inline std::vector<std::int64_t> response_begins(const ChoiceSets& sets) {
  std::vector<std::int64_t> out{0};
  for (Index t = 0; t < sets.situations(); ++t) out.push_back(out.back() + sets.size(t) * sets.size(t));
  return out;
}

// All numbers of a forecast at 0; slopes and responses only where they are asked for.
inline Forecast room_for_forecast(const ChoiceSets& sets, bool responses) {
  const auto entries = static_cast<std::size_t>(sets.design.rows());
  Forecast out;
  out.probability.resize(entries);
  out.utility.resize(entries);
  out.log_sum.resize(static_cast<std::size_t>(sets.situations()));
  if (!responses) return out;
  out.slope.resize(entries);
  out.negative.resize(entries);
  out.responses.resize(static_cast<std::size_t>(response_begins(sets).back()));
  return out;
}

// Derivatives of the design by one attribute, entries x columns; empty: responses are not asked for.
using DesignSlopes = MatrixView<const double>;

class RandomUtilityModel {
 public:
  // The parameters of every model begin with those of a utility (latent classes: of one after the other). The
  // choice sets must outlive the model.
  RandomUtilityModel(const ChoiceSets& sets, Utility utility) : sets_(&sets), utility_(std::move(utility)) {}
  virtual ~RandomUtilityModel() = default;
  RandomUtilityModel(const RandomUtilityModel&) = delete;
  RandomUtilityModel& operator=(const RandomUtilityModel&) = delete;

  virtual Index parameters() const = 0;

  // The weighted log-likelihood of all choices, and of each person the derivatives of the person's part: the
  // rows of scores, persons x parameters. -infinity where parameters are out of bounds. Ranks, where given,
  // share the persons.
  virtual double log_likelihood(std::span<const double> parameters, MatrixView<double> scores,
                                const Context& job, Ranks* ranks = nullptr) const = 0;

  virtual Forecast forecast(std::span<const double> parameters, DesignSlopes slopes,
                            const Context& job) const = 0;

  virtual Population population(std::span<const double> parameters) const = 0;

  const ChoiceSets& sets() const { return *sets_; }
  const Utility& utility() const { return utility_; }

 private:
  const ChoiceSets* sets_;
  Utility utility_;
};

// The persons of a likelihood in tasks that ranks share: each does a run of them.
class PersonTasks {
 public:
  // begin(task): the first person of a task; of the one behind the last task, how many there are.
  template <class Begin>
  PersonTasks(std::size_t tasks, Ranks* ranks, const Begin& begin) : ranks_(ranks), shares_(ranks, tasks) {
    for (std::size_t rank = 0; rank <= (ranks ? ranks->size() : 1); ++rank)
      begins_.push_back(begin(ranks ? shares_.begin(rank) : rank * tasks));
  }
  // So many persons to a task.
  PersonTasks(Index persons, Index each, Ranks* ranks)
      : PersonTasks(static_cast<std::size_t>((persons + each - 1) / each), ranks,
                    [&](std::size_t task) { return std::min(static_cast<Index>(task) * each, persons); }) {}

  // work(task, parts) writes the parts and scores of the task's persons. The sum of all parts in the order of
  // persons: the same for any number of threads and ranks.
  template <class Work>
  double sum(const Context& job, MatrixView<double> scores, const Work& work) const {
    std::vector<double> parts(static_cast<std::size_t>(begins_.back()), 0.0);
    job.run(shares_.last() - shares_.first(),
            [&](std::size_t at) { work(shares_.first() + at, std::span<double>(parts)); });
    if (ranks_ != nullptr) gather(parts, scores);
    double sum = 0;
    for (const double part : parts) sum += part;
    return sum;
  }

 private:
  // Each person's part and scores travel side by side.
  void gather(std::span<double> parts, MatrixView<double> scores) const;

  Ranks* ranks_;
  Shares shares_;
  std::vector<Index> begins_;  // of the persons of each rank, and the end
};

}  // namespace bl::random_utility
