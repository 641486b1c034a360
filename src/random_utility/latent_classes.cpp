#include "random_utility/latent_classes.hpp"

#include <algorithm>
#include <cmath>

#include "compute/log_sum_exp.hpp"

namespace bl::random_utility {

namespace {

constexpr Index kPersonsPerTask = 64;

void softmax(std::span<double> values) {
  log_softmax(values);
  for (double& value : values) value = std::exp(value);
}

}  // namespace

std::vector<double> class_shares(Index classes, Index each, std::span<const double> parameters) {
  const auto rest = static_cast<Index>(parameters.size()) - classes * each;
  const Index of_share = rest / (classes - 1);
  std::vector<double> shares(static_cast<std::size_t>(classes), 0);
  for (Index c = 1; c < classes; ++c)
    shares[static_cast<std::size_t>(c)] =
        parameters[static_cast<std::size_t>(classes * each + (c - 1) * of_share)];
  softmax(shares);
  return shares;
}

void LatentClassLogit::log_shares(std::span<const double> parameters, Index person,
                                  std::span<double> out) const {
  const Index columns = sets().membership.cols();
  const double* g = parameters.data() + classes_ * each();
  out[0] = 0;
  for (Index c = 1; c < classes_; ++c, g += 1 + columns) {
    double sum = g[0];
    for (Index k = 0; k < columns; ++k) sum += g[1 + k] * sets().membership(person, k);
    out[static_cast<std::size_t>(c)] = sum;
  }
  log_softmax(out);
}

double LatentClassLogit::class_likelihood(const double* parameters, Index person, std::span<double> score,
                                          UtilityAt& at) const {
  const ChoiceSets& s = sets();
  std::fill(score.begin(), score.end(), 0.0);
  double sum = 0;
  for (auto t = s.persons[static_cast<std::size_t>(person)];
       t < s.persons[static_cast<std::size_t>(person) + 1]; ++t) {
    utility().evaluate(s, static_cast<Index>(t), parameters, at);
    log_softmax(std::span(at.value));
    const auto chosen = static_cast<std::size_t>(s.chosen[static_cast<std::size_t>(t)]);
    sum += at.value[chosen];
    const double* row = at.rows;
    for (std::size_t j = 0; j < at.value.size(); ++j) {
      const double rest = (j == chosen ? 1 : 0) - std::exp(at.value[j]);
      for (double& one : score) one += rest * *row++;
    }
  }
  return sum;
}

double LatentClassLogit::log_likelihood(std::span<const double> parameters, MatrixView<double> scores,
                                        const Context& job, Ranks* ranks) const {
  const ChoiceSets& s = sets();
  const auto count = static_cast<std::size_t>(classes_), size = static_cast<std::size_t>(each());
  const Index columns = s.membership.cols();
  const PersonTasks tasks(s.person_count(), kPersonsPerTask, ranks);
  return tasks.sum(job, scores, [&](std::size_t task, std::span<double> parts) {
    std::vector<double> share(count), joint(count), slopes(count * size);
    UtilityAt at;
    const Index from = static_cast<Index>(task) * kPersonsPerTask,
                to = std::min(from + kPersonsPerTask, s.person_count());
    for (Index p = from; p < to; ++p) {
      const double weight = s.weights.empty() ? 1 : s.weights[static_cast<std::size_t>(p)];
      log_shares(parameters, p, share);
      for (std::size_t c = 0; c < count; ++c)
        joint[c] = share[c] + class_likelihood(parameters.data() + c * size, p,
                                               std::span(slopes).subspan(c * size, size), at);
      const double total = log_sum_exp<double>(joint);
      parts[static_cast<std::size_t>(p)] = weight * total;
      double* score = scores.row(p);
      for (std::size_t c = 0; c < count; ++c) {
        const double posterior = weight * std::exp(joint[c] - total);
        for (std::size_t k = 0; k < size; ++k) *score++ = posterior * slopes[c * size + k];
      }
      for (std::size_t c = 1; c < count; ++c) {
        const double rest = weight * (std::exp(joint[c] - total) - std::exp(share[c]));
        *score++ = rest;
        for (Index k = 0; k < columns; ++k) *score++ = rest * s.membership(p, k);
      }
    }
  });
}

Forecast LatentClassLogit::forecast(std::span<const double> parameters, DesignSlopes slopes,
                                    const Context& job) const {
  const ChoiceSets& s = sets();
  const auto size = static_cast<std::size_t>(each());
  const std::vector<std::int64_t> begins = response_begins(s);
  Forecast out = room_for_forecast(s, slopes.data != nullptr);
  const Index tasks = (s.person_count() + kPersonsPerTask - 1) / kPersonsPerTask;
  job.run(static_cast<std::size_t>(tasks), [&](std::size_t task) {
    std::vector<double> share(static_cast<std::size_t>(classes_)), p, slope;
    UtilityAt at;
    const Index from = static_cast<Index>(task) * kPersonsPerTask,
                to = std::min(from + kPersonsPerTask, s.person_count());
    for (Index person = from; person < to; ++person) {
      log_shares(parameters, person, share);
      for (auto t = s.persons[static_cast<std::size_t>(person)];
           t < s.persons[static_cast<std::size_t>(person) + 1]; ++t)
        for (std::size_t c = 0; c < share.size(); ++c) {
          const double pi = std::exp(share[c]);
          const double* of_class = parameters.data() + c * size;
          utility().evaluate(s, static_cast<Index>(t), of_class, at);
          const std::vector<double>& v = at.value;
          const double scale = utility().scale(s, static_cast<Index>(t), of_class);
          const auto begin = static_cast<std::size_t>(s.begin[static_cast<std::size_t>(t)]), n = v.size();
          out.log_sum[static_cast<std::size_t>(t)] += pi * log_sum_exp<double>(v) / scale;
          p = v;
          softmax(p);
          slope.assign(n, 0);
          for (std::size_t j = 0; j < n; ++j) {
            out.probability[begin + j] += pi * p[j];
            out.utility[begin + j] += pi * v[j] / scale;
            if (slopes.data == nullptr) continue;
            const auto entry = static_cast<Index>(begin + j);
            slope[j] = utility().slope(s, entry, of_class, slopes.row(entry));
            out.slope[begin + j] += pi * slope[j];
            out.negative[begin + j] += slope[j] < 0 ? pi : 0;
          }
          if (slopes.data == nullptr) continue;
          double* response = out.responses.data() + begins[static_cast<std::size_t>(t)];
          for (std::size_t j = 0; j < n; ++j)
            for (std::size_t k = 0; k < n; ++k)
              response[j * n + k] += pi * p[j] * ((j == k ? 1 : 0) - p[k]) * scale * slope[k];
        }
    }
  });
  return out;
}

Population LatentClassLogit::population(std::span<const double> parameters) const {
  Population out{Matrix<double>(classes_, each()),
                 std::vector<double>(static_cast<std::size_t>(classes_), 0)};
  std::copy_n(parameters.begin(), classes_ * each(), out.coefficients.data());
  std::vector<double> share(static_cast<std::size_t>(classes_));
  double total = 0;
  for (Index p = 0; p < sets().person_count(); ++p) {
    const double weight = sets().weights.empty() ? 1 : sets().weights[static_cast<std::size_t>(p)];
    log_shares(parameters, p, share);
    total += weight;
    for (std::size_t c = 0; c < share.size(); ++c) out.shares[c] += weight * std::exp(share[c]);
  }
  for (double& one : out.shares) one /= total;
  return out;
}

Matrix<double> LatentClassLogit::posterior(std::span<const double> parameters) const {
  Matrix<double> out(sets().person_count(), classes_);
  const auto size = static_cast<std::size_t>(each());
  std::vector<double> ignored(size);
  UtilityAt at;
  for (Index p = 0; p < out.rows(); ++p) {
    const std::span<double> row(out.row(p), static_cast<std::size_t>(classes_));
    log_shares(parameters, p, row);
    for (std::size_t c = 0; c < row.size(); ++c)
      row[c] += class_likelihood(parameters.data() + c * size, p, ignored, at);
    softmax(row);
  }
  return out;
}

}  // namespace bl::random_utility
