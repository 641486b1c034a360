// Members that leave out a fold of the training rows each. The fold helps to end their training, and what
// they say about it, rows that they have not seen, tells how far the learned distribution can be trusted.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <numeric>
#include <span>
#include <vector>

#include "data/split.hpp"
#include "engine/engine.hpp"
#include "fit/members.hpp"
#include "fitted/part_data.hpp"

namespace bl {

// The lowest point of a function of one number with a single minimum.
template <class Function>
double lowest_point(double lower, double upper, int steps, const Function& function) {
  constexpr double kGolden = 0.6180339887498949;
  double a = upper - kGolden * (upper - lower), b = lower + kGolden * (upper - lower);
  double at_a = function(a), at_b = function(b);
  for (int i = 0; i < steps; ++i) {
    if (at_a < at_b) {
      upper = b, b = a, at_b = at_a;
      a = upper - kGolden * (upper - lower), at_a = function(a);
    } else {
      lower = a, a = b, at_a = at_b;
      b = lower + kGolden * (upper - lower), at_b = function(b);
    }
  }
  return (lower + upper) / 2;
}

// Where encoded rows come from.
struct FoldSource {
  const Encoder& encoder;
  const ResponseSpace& space;
  const Table& table;
};

template <class T>
class FoldRows {
 public:
  FoldRows(const Network<T>& network, const ObjectiveSpec& spec, const FoldSource& from, const Split& split,
           const std::vector<std::vector<Index>>& folds) {
    for (const std::vector<Index>& fold : folds) {
      std::vector<Index> rest, held_out = fold;
      std::set_difference(split.train.begin(), split.train.end(), fold.begin(), fold.end(),
                          std::back_inserter(rest));
      held_out.insert(held_out.end(), split.validation.begin(), split.validation.end());
      const Encoder lenient = from.encoder.with_unseen(UnseenPolicy::missing);
      parts_.emplace_back(from.encoder, from.space, from.table, rest, false);
      training_.emplace_back(network, spec, parts_.back().view());
      parts_.emplace_back(lenient, from.space, from.table, held_out, false);
      held_out_.emplace_back(network, spec, parts_.back().view());
      own_.push_back(static_cast<Index>(fold.size()));
    }
  }

  // Whether every part weighs something.
  bool weighty() const {
    const auto weighs = [](const Objective<T>& rows) {
      for (Index i = 0; i < rows.data().rows; ++i)
        if (rows.data().weight(i) > 0) return true;
      return false;
    };
    return std::all_of(training_.begin(), training_.end(), weighs) &&
           std::all_of(held_out_.begin(), held_out_.end(), weighs);
  }

  // Member m leaves out fold m modulo their number.
  std::vector<MemberRows<T>> of_members(Index members) const {
    std::vector<MemberRows<T>> rows;
    for (Index m = 0; m < members; ++m) rows.push_back({&training_[fold_of(m)], &held_out_[fold_of(m)]});
    return rows;
  }

  // The temperature at which the folds are most likely, each under the members that have not seen it, joined.
  double temperature(const Architecture& architecture, const TrainedMembers& learned,
                     const Context& job) const {
    constexpr double kLeast = -0.7, kMost = 1.6;  // logarithms
    constexpr int kSteps = 12;
    std::vector<Architecture> shapes(own_.size(), architecture);
    std::deque<Network<T>> networks;
    std::vector<std::vector<T>> parameters;
    std::vector<std::size_t> used;
    for (std::size_t fold = 0; fold < own_.size(); ++fold) {
      std::vector<std::vector<double>> members;
      for (std::size_t i = 0; i < learned.kept.size(); ++i)
        if (fold_of(static_cast<Index>(learned.kept[i])) == fold) members.push_back(learned.parameters[i]);
      if (members.empty()) continue;
      const std::vector<double> all = joined(shapes[fold], std::move(members));
      networks.emplace_back(shapes[fold]);
      parameters.emplace_back(all.begin(), all.end());
      used.push_back(fold);
    }
    const auto loss = [&](double log_temperature) {
      std::vector<double> losses(used.size());
      job.run(used.size(), [&](std::size_t i) {
        const Objective<T>& rows = held_out_[used[i]];
        ObjectiveSpec spec = rows.spec();
        spec.temperature *= std::exp(log_temperature);
        const Objective<T> at(networks[i], spec, rows.data());
        const auto engine = make_engine<T>(job.alone().on({}));
        std::vector<std::int64_t> numbers(static_cast<std::size_t>(own_[used[i]]));
        std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
        losses[i] = engine
                        ->loss(engine->load(at), {.rows = numbers},
                               {RandomStream(0, Purpose::score_noise), 0, {}}, parameters[i], {})
                        .loss;
      });
      return std::accumulate(losses.begin(), losses.end(), 0.0);
    };
    return std::exp(lowest_point(kLeast, kMost, kSteps, loss));
  }

 private:
  std::size_t fold_of(Index member) const { return static_cast<std::size_t>(member) % own_.size(); }

  std::deque<PartData<T>> parts_;  // objectives view them
  std::deque<Objective<T>> training_, held_out_;
  std::vector<Index> own_;  // rows of held_out_ that are the fold's; validation rows follow
};

}  // namespace bl
