#include "random_utility/nested_logit.hpp"

#include <algorithm>
#include <cmath>

#include "compute/log_sum_exp.hpp"

namespace bl::random_utility {

namespace {

constexpr Index kSituationsPerTask = 256;

}  // namespace

// A situation's nests that have members in it, own nests of single alternatives among them.
struct NestedLogit::Situation {
  struct Member {
    std::size_t entry = 0, nest = 0;   // positions in the situation; in `nests`
    double log_share = 0, scaled = 0;  // mu (V + log a)
    double within = 0;                 // P(j | m)
    Index share = -1;
    bool of_first = true;
  };
  struct Nest {
    Index nest = -1;                                         // of the model; -1: an alternative of its own
    double mu = 1, log_sum = 0, value = 0, probability = 0;  // log_sum: of the scaled; value: S
    double mean_scaled = 0;                                  // of the scaled, by P(j | m)
  };
  UtilityAt at;
  std::vector<double> probability, buffer;
  std::vector<Member> members;
  std::vector<Nest> nests;
  double log_sum = 0;
};

NestedLogit::NestedLogit(const ChoiceSets& sets, Utility utility, NestedLogitSpec spec)
    : RandomUtilityModel(sets, std::move(utility)), spec_(std::move(spec)) {}

void NestedLogit::solve(std::span<const double> parameters, Index situation, Situation& at) const {
  const ChoiceSets& s = sets();
  const auto begin = s.begin[static_cast<std::size_t>(situation)];
  const auto n = static_cast<std::size_t>(s.size(situation));
  const double* mu = parameters.data() + utility().parameters();
  const double* shares = mu + spec_.nests;
  utility().evaluate(s, situation, parameters.data(), at.at);
  at.probability.assign(n, 0);
  at.members.clear();
  at.nests.clear();
  const auto nest_at = [&](Index nest) {
    for (std::size_t m = 0; nest >= 0 && m < at.nests.size(); ++m)
      if (at.nests[m].nest == nest) return m;
    at.nests.push_back({.nest = nest, .mu = nest < 0 ? 1 : mu[nest]});
    return at.nests.size() - 1;
  };
  for (std::size_t j = 0; j < n; ++j) {
    const auto entry = static_cast<Index>(begin) + static_cast<Index>(j);
    const NestPlace& place =
        spec_.places[static_cast<std::size_t>(s.alternative[static_cast<std::size_t>(entry)])];
    const double share = place.share < 0 ? 1 : shares[place.share];
    at.members.push_back(
        {.entry = j, .nest = nest_at(place.first), .log_share = std::log(share), .share = place.share});
    if (place.second >= 0)
      at.members.push_back({.entry = j,
                            .nest = nest_at(place.second),
                            .log_share = std::log1p(-share),
                            .share = place.share,
                            .of_first = false});
  }
  const auto each_member = [&](std::size_t m, auto&& action) {
    for (Situation::Member& one : at.members)
      if (one.nest == m) action(one);
  };
  std::vector<double>& values = at.buffer;
  for (std::size_t m = 0; m < at.nests.size(); ++m) {
    Situation::Nest& nest = at.nests[m];
    values.clear();
    each_member(m, [&](Situation::Member& one) {
      one.scaled = nest.mu * (at.at.value[one.entry] + one.log_share);
      values.push_back(one.scaled);
    });
    nest.log_sum = log_sum_exp<double>(values);
    nest.value = nest.log_sum / nest.mu;
    nest.mean_scaled = 0;
    each_member(m, [&](Situation::Member& one) {
      one.within = std::exp(one.scaled - nest.log_sum);
      nest.mean_scaled += one.within * one.scaled;
    });
  }
  values.clear();
  for (const Situation::Nest& nest : at.nests) values.push_back(nest.value);
  at.log_sum = log_sum_exp<double>(values);
  for (Situation::Nest& nest : at.nests) nest.probability = std::exp(nest.value - at.log_sum);
  for (const Situation::Member& one : at.members)
    at.probability[one.entry] += at.nests[one.nest].probability * one.within;
}

// d log P(chosen) / d parameters, from d log P(c, m) weighted by P(c, m) / P(c).
void NestedLogit::score_situation(std::span<const double> parameters, Index situation, Situation& at,
                                  std::span<double> score) const {
  solve(parameters, situation, at);
  const ChoiceSets& s = sets();
  const Index of_nests = utility().parameters(), of_shares = of_nests + spec_.nests;
  const auto c = static_cast<std::size_t>(s.chosen[static_cast<std::size_t>(situation)]);
  // by_utility[k] = d log P(c) / d V_k; by_member: d log P(c) / d log a of the member alone.
  std::vector<double>& by_utility = at.buffer;
  by_utility.assign(at.probability.size(), 0);
  for (std::size_t k = 0; k < by_utility.size(); ++k) by_utility[k] = -at.probability[k];
  std::fill(score.begin(), score.end(), 0.0);
  for (const Situation::Member& one : at.members) {
    const Situation::Nest& nest = at.nests[one.nest];
    double posterior = 0;  // of the nest, given the choice
    for (const Situation::Member& other : at.members)
      if (other.nest == one.nest && other.entry == c)
        posterior = nest.probability * other.within / at.probability[c];
    const bool chosen = one.entry == c;
    const double by_scaled = posterior * (nest.mu * ((chosen ? 1 : 0) - one.within) + one.within);
    by_utility[one.entry] += by_scaled;
    if (one.share >= 0) {
      const double by_log_share = by_scaled - nest.probability * one.within;
      const double share = parameters[static_cast<std::size_t>(of_shares + one.share)];
      score[static_cast<std::size_t>(of_shares + one.share)] +=
          by_log_share * (one.of_first ? 1 / share : -1 / (1 - share));
    }
    if (!chosen || nest.nest < 0) continue;
    score[static_cast<std::size_t>(of_nests + nest.nest)] +=
        posterior * (one.scaled - nest.mean_scaled) / nest.mu;
  }
  // d S_m / d mu_m, which moves P(m) against the others.
  for (std::size_t m = 0; m < at.nests.size(); ++m) {
    const Situation::Nest& nest = at.nests[m];
    if (nest.nest < 0) continue;
    double posterior = 0;
    for (const Situation::Member& one : at.members)
      if (one.nest == m && one.entry == c) posterior = nest.probability * one.within / at.probability[c];
    score[static_cast<std::size_t>(of_nests + nest.nest)] +=
        (posterior - nest.probability) * (nest.mean_scaled - nest.log_sum) / (nest.mu * nest.mu);
  }
  const double* row = at.at.rows;
  for (const double by : by_utility)
    for (Index k = 0; k < of_nests; ++k) score[static_cast<std::size_t>(k)] += by * *row++;
}

double NestedLogit::log_likelihood(std::span<const double> parameters, MatrixView<double> scores,
                                   const Context& job, Ranks* ranks) const {
  const ChoiceSets& s = sets();
  const PersonTasks tasks(s.person_count(), kSituationsPerTask, ranks);
  return tasks.sum(job, scores, [&](std::size_t task, std::span<double> parts) {
    Situation at;
    std::vector<double> score(static_cast<std::size_t>(parameters.size()));
    const Index from = static_cast<Index>(task) * kSituationsPerTask,
                to = std::min(from + kSituationsPerTask, s.person_count());
    for (Index p = from; p < to; ++p) {
      const double weight = s.weights.empty() ? 1 : s.weights[static_cast<std::size_t>(p)];
      std::fill_n(scores.row(p), scores.cols, 0.0);
      for (auto t = s.persons[static_cast<std::size_t>(p)]; t < s.persons[static_cast<std::size_t>(p) + 1];
           ++t) {
        score_situation(parameters, static_cast<Index>(t), at, score);
        const auto chosen = static_cast<std::size_t>(s.chosen[static_cast<std::size_t>(t)]);
        parts[static_cast<std::size_t>(p)] += weight * std::log(at.probability[chosen]);
        for (std::size_t k = 0; k < score.size(); ++k) scores(p, static_cast<Index>(k)) += weight * score[k];
      }
    }
  });
}

Forecast NestedLogit::forecast(std::span<const double> parameters, DesignSlopes slopes,
                               const Context& job) const {
  const ChoiceSets& s = sets();
  const std::vector<std::int64_t> begins = response_begins(s);
  Forecast out = room_for_forecast(s, slopes.data != nullptr);
  const Index tasks = (s.situations() + kSituationsPerTask - 1) / kSituationsPerTask;
  job.run(static_cast<std::size_t>(tasks), [&](std::size_t task) {
    Situation at;
    const Index from = static_cast<Index>(task) * kSituationsPerTask,
                to = std::min(from + kSituationsPerTask, s.situations());
    for (Index t = from; t < to; ++t) {
      solve(parameters, t, at);
      const auto begin = static_cast<std::size_t>(s.begin[static_cast<std::size_t>(t)]),
                 n = at.probability.size();
      const double scale = utility().scale(s, t, parameters.data());
      out.log_sum[static_cast<std::size_t>(t)] = at.log_sum / scale;
      for (std::size_t j = 0; j < n; ++j) out.utility[begin + j] = at.at.value[j] / scale;
      std::copy_n(at.probability.begin(), n, out.probability.begin() + static_cast<std::ptrdiff_t>(begin));
      if (slopes.data != nullptr)
        respond(parameters, t, at, slopes, out.responses.data() + begins[static_cast<std::size_t>(t)], out);
    }
  });
  return out;
}

// dP_j/dV_k = sum_m P(m) P(j|m) [mu_m (1{j = k} - P(k|m)) + P(k|m)] over the nests of k, less P_j P_k.
void NestedLogit::respond(std::span<const double> parameters, Index situation, const Situation& at,
                          DesignSlopes slopes, double* responses, Forecast& out) const {
  const auto begin = static_cast<std::size_t>(sets().begin[static_cast<std::size_t>(situation)]),
             n = at.probability.size();
  const double scale = utility().scale(sets(), situation, parameters.data());
  for (std::size_t j = 0; j < n; ++j) {
    const auto entry = static_cast<Index>(begin + j);
    const double slope = utility().slope(sets(), entry, parameters.data(), slopes.row(entry));
    out.slope[begin + j] = slope;
    out.negative[begin + j] = slope < 0 ? 1 : 0;
    for (std::size_t k = 0; k < n; ++k) responses[j * n + k] = -at.probability[j] * at.probability[k];
  }
  for (const Situation::Member& of_k : at.members)
    for (const Situation::Member& of_j : at.members) {
      if (of_j.nest != of_k.nest) continue;
      const Situation::Nest& nest = at.nests[of_k.nest];
      responses[of_j.entry * n + of_k.entry] +=
          nest.probability * of_j.within *
          (nest.mu * ((of_j.entry == of_k.entry ? 1 : 0) - of_k.within) + of_k.within);
    }
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k) responses[j * n + k] *= scale * out.slope[begin + k];
}

Population NestedLogit::population(std::span<const double> parameters) const {
  Population out{Matrix<double>(1, utility().parameters()), {1}};
  std::copy_n(parameters.begin(), utility().parameters(), out.coefficients.row(0));
  return out;
}

}  // namespace bl::random_utility
