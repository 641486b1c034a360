#include "random_utility/drawn_utility.hpp"

#include <algorithm>

#include "compute/activation_kinds.hpp"
#include "compute/draw_kernels.hpp"
#include "compute/kernels.hpp"

namespace bl::random_utility {

DrawnUtility::DrawnUtility(const ChoiceSets& sets, const Utility& utility, const std::vector<Index>& random,
                           std::size_t draws)
    : sets_(sets), utility_(utility), draws_(draws) {
  const auto row_of = [&](Index parameter) {
    const auto found = std::find(random.begin(), random.end(), parameter);
    return found == random.end() ? Index{-1} : static_cast<Index>(found - random.begin());
  };
  for (const UtilityHead& from : utility.heads()) {
    Head head{.sign = from.sign, .activation = from.activation, .fixed = {}, .random = {}};
    head.random_lambda = from.lambda < 0 ? -1 : row_of(from.lambda);
    head.lambda = head.random_lambda < 0 ? from.lambda : -1;
    for (const UtilityHead::Weight& one : from.weights) {
      const Index row = row_of(one.parameter);
      if (row < 0)
        head.fixed.push_back(one);
      else
        head.random.push_back({.parameter = row, .column = one.column});
    }
    if (!head.random.empty()) head.varying = varying_++;
    heads_.push_back(std::move(head));
  }
}

std::pair<std::int64_t, std::int64_t> DrawnUtility::rows_of(Index person) const {
  const auto of = [&](Index p) {
    const std::int64_t situation = sets_.persons[static_cast<std::size_t>(p)];
    return sets_.begin[static_cast<std::size_t>(situation)] - situation;
  };
  return {of(person), of(person + 1)};
}

// The value of a head at an entry and its slope by what it is applied to.
void DrawnUtility::head_at(const Head& head, const double* parameters, const double* z, Index row,
                           std::size_t place, DrawnWorkspace& work) const {
  double a = 0;
  for (const UtilityHead::Weight& one : head.fixed) a += parameters[one.parameter] * z[one.column];
  if (head.varying < 0) {
    const auto [value, slope] = value_and_slope(head.activation, a);
    work.one_value[place] = value;
    work.one_slope[place] = slope;
    return;
  }
  double* value = work.head_value.row(row * varying_ + head.varying);
  std::fill_n(value, draws_, a);
  for (const UtilityHead::Weight& one : head.random) {
    const double* coefficient = work.coefficients.row(one.parameter);
    for (std::size_t r = 0; r < draws_; ++r) value[r] += coefficient[r] * z[one.column];
  }
  const auto size = static_cast<Index>(draws_);
  BlockShape shape{.blocks = 1, .sections = {}};
  shape.sections[0] = {.activation = head.activation, .sign = 1, .begin = 0, .heads_per_block = size};
  shape.sections[1].begin = shape.sections[2].begin = size;
  double sum = 0;
  kernels<double>().blocks_forward(shape, work.ones.data(), {value, 1, size, size},
                                   {work.head_slope.row(row * varying_ + head.varying), 1, size, size},
                                   {&sum, 1, 1, 1}, false);
}

const double* DrawnUtility::lambdas(const Head& head, const double* parameters, DrawnWorkspace& work) const {
  if (head.random_lambda >= 0) return work.coefficients.row(head.random_lambda);
  std::fill_n(work.by_head.data(), draws_, head.lambda < 0 ? 1 : parameters[head.lambda]);
  return work.by_head.data();
}

void DrawnUtility::utilities(Index from, Index to, const double* parameters, DrawnWorkspace& work) const {
  const Index n = to - from;
  const auto padded = static_cast<Index>(draws_);
  work.utilities.resize(n, padded);
  work.head_value.resize(n * varying_, padded);
  work.head_slope.resize(n * varying_, padded);
  work.one_value.resize(static_cast<std::size_t>(n) * heads_.size());
  work.one_slope.resize(work.one_value.size());
  work.ones.resize(draws_);
  std::fill_n(work.ones.data(), draws_, 1.0);
  work.by_head.resize(draws_);
  work.by_entry.resize(draws_);
  std::fill_n(work.utilities.data(), static_cast<std::size_t>(n) * draws_, 0.0);
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    const Head& head = heads_[h];
    const double* lambda = lambdas(head, parameters, work);
    for (Index row = 0; row < n; ++row) {
      const std::size_t place = static_cast<std::size_t>(row) * heads_.size() + h;
      head_at(head, parameters, sets_.design.row(from + row), row, place, work);
      double* v = work.utilities.row(row);
      if (head.varying < 0) {
        const double value = head.sign * work.one_value[place];
        for (std::size_t r = 0; r < draws_; ++r) v[r] += value * lambda[r];
      } else {
        const double* value = work.head_value.row(row * varying_ + head.varying);
        for (std::size_t r = 0; r < draws_; ++r) v[r] += head.sign * lambda[r] * value[r];
      }
    }
  }
}

// Differences of utilities enter the kernel of a linear utility as coefficients of their own.
void DrawnUtility::choose(Index situation, Index first_row, const double* parameters, bool logarithm,
                          double* probabilities, DrawnWorkspace& work) const {
  const Index n = sets_.size(situation), base = sets_.chosen[static_cast<std::size_t>(situation)];
  const auto others = static_cast<std::size_t>(n - 1);
  const double scale = utility_.scale(sets_, situation, parameters);
  work.difference.resize(n - 1, static_cast<Index>(draws_));
  const double* of_base = work.utilities.row(first_row + base);
  for (Index j = 0, row = 0; j < n; ++j) {
    if (j == base) continue;
    const double* v = work.utilities.row(first_row + j);
    double* to = work.difference.row(row++);
    for (std::size_t r = 0; r < draws_; ++r) to[r] = scale * (v[r] - of_base[r]);
  }
  work.identity.resize(others * others);
  std::fill_n(work.identity.data(), others * others, 0.0);
  for (std::size_t j = 0; j < others; ++j) work.identity[j * others + j] = 1;
  work.zeros.resize(others);
  std::fill_n(work.zeros.data(), others, 0.0);
  logit_at_draws({.fixed = work.zeros.data(),
                  .difference = work.identity.data(),
                  .alternatives = others,
                  .coefficients = others},
                 work.difference.data(), draws_, logarithm, work.likelihood.data(), probabilities, nullptr);
}

void DrawnUtility::run(Index person, const double* parameters, bool logarithm, DrawnWorkspace& work) const {
  const auto from = sets_.persons[static_cast<std::size_t>(person)],
             to = sets_.persons[static_cast<std::size_t>(person) + 1];
  const auto entry = [&](std::int64_t t) {
    return static_cast<Index>(sets_.begin[static_cast<std::size_t>(t)]);
  };
  const auto [first, last] = rows_of(person);
  work.probabilities.resize(static_cast<Index>(last - first), static_cast<Index>(draws_));
  work.likelihood.resize(draws_);
  std::fill_n(work.likelihood.data(), draws_, logarithm ? 0.0 : 1.0);
  utilities(entry(from), entry(to), parameters, work);
  for (std::int64_t t = from; t < to; ++t) {
    const Index row = entry(t) - entry(from);
    choose(static_cast<Index>(t), row, parameters, logarithm,
           work.probabilities.row(row - static_cast<Index>(t - from)), work);
  }
}

// work.by_entry holds d log-likelihood / d (V / scale) of the entry at each draw, times the draw's weight.
void DrawnUtility::differentiate_entry(Index row, const double* z, const double* parameters,
                                       DrawnWorkspace& work, std::span<double> score) const {
  const double* by = work.by_entry.data();
  for (std::size_t h = 0; h < heads_.size(); ++h) {
    const Head& head = heads_[h];
    const std::size_t place = static_cast<std::size_t>(row) * heads_.size() + h;
    const double* lambda = lambdas(head, parameters, work);
    const double* value = head.varying < 0 ? nullptr : work.head_value.row(row * varying_ + head.varying);
    const double* slope = head.varying < 0 ? nullptr : work.head_slope.row(row * varying_ + head.varying);
    const auto value_at = [&](std::size_t r) { return value == nullptr ? work.one_value[place] : value[r]; };
    if (head.random_lambda >= 0) {
      double* to = work.slopes.row(head.random_lambda);
      for (std::size_t r = 0; r < draws_; ++r) to[r] += head.sign * by[r] * value_at(r);
    } else if (head.lambda >= 0) {
      double sum = 0;
      for (std::size_t r = 0; r < draws_; ++r) sum += by[r] * value_at(r);
      score[static_cast<std::size_t>(head.lambda)] += head.sign * sum;
    }
    double total = 0;
    for (std::size_t r = 0; r < draws_; ++r) {
      const double one = by[r] * lambda[r] * (slope == nullptr ? work.one_slope[place] : slope[r]);
      total += one;
      if (slope != nullptr) work.by_head[r] = one;  // the lambda of this draw is not needed any more
    }
    for (const UtilityHead::Weight& one : head.fixed)
      score[static_cast<std::size_t>(one.parameter)] += head.sign * total * z[one.column];
    for (const UtilityHead::Weight& one : head.random) {
      double* to = work.slopes.row(one.parameter);
      const double factor = head.sign * z[one.column];
      for (std::size_t r = 0; r < draws_; ++r) to[r] += factor * work.by_head[r];
    }
  }
}

void DrawnUtility::differentiate(Index person, const double* parameters, DrawnWorkspace& work,
                                 std::span<double> score) const {
  const auto from = sets_.persons[static_cast<std::size_t>(person)],
             to = sets_.persons[static_cast<std::size_t>(person) + 1];
  const auto first = static_cast<Index>(sets_.begin[static_cast<std::size_t>(from)]);
  work.slopes.resize(work.coefficients.rows(), static_cast<Index>(draws_));
  std::fill_n(work.slopes.data(), static_cast<std::size_t>(work.slopes.rows()) * draws_, 0.0);
  const double* weight = work.likelihood.data();
  double* by = work.by_entry.data();
  Index probability = 0;
  for (std::int64_t t = from; t < to; ++t) {
    const auto situation = static_cast<Index>(t);
    const Index n = sets_.size(situation), base = sets_.chosen[static_cast<std::size_t>(t)],
                begin = static_cast<Index>(sets_.begin[static_cast<std::size_t>(t)]) - first;
    const double scale = utility_.scale(sets_, situation, parameters);
    const Index by_scale = utility_.scale_parameter(sets_, situation);
    for (Index j = 0; j < n; ++j) {
      const auto row_of = [&](Index k) {
        return work.probabilities.row(probability + (k < base ? k : k - 1));
      };
      if (j == base) {  // 1 less its own probability is the sum of the others
        std::fill_n(by, draws_, 0.0);
        for (Index k = 0; k < n; ++k)
          for (std::size_t r = 0; k != base && r < draws_; ++r) by[r] += scale * weight[r] * row_of(k)[r];
      } else {
        for (std::size_t r = 0; r < draws_; ++r) by[r] = -scale * weight[r] * row_of(j)[r];
      }
      const double* v = work.utilities.row(begin + j);
      for (std::size_t r = 0; by_scale >= 0 && r < draws_; ++r)
        score[static_cast<std::size_t>(by_scale)] += by[r] * v[r];
      differentiate_entry(begin + j, sets_.design.row(first + begin + j), parameters, work, score);
    }
    probability += n - 1;
  }
}

void DrawnUtility::attribute_slopes(Index from, Index to, const double* parameters, DesignSlopes slopes,
                                    DrawnWorkspace& work) const {
  work.entry_slopes.resize(to - from, static_cast<Index>(draws_));
  for (Index row = 0; row < to - from; ++row) {
    double* out = work.entry_slopes.row(row);
    std::fill_n(out, draws_, 0.0);
    const double* by_column = slopes.row(from + row);
    for (std::size_t h = 0; h < heads_.size(); ++h) {
      const Head& head = heads_[h];
      double* by = work.by_entry.data();
      double fixed = 0;
      for (const UtilityHead::Weight& one : head.fixed)
        fixed += parameters[one.parameter] * by_column[one.column];
      std::fill_n(by, draws_, fixed);
      for (const UtilityHead::Weight& one : head.random)
        for (std::size_t r = 0; r < draws_; ++r)
          by[r] += work.coefficients(one.parameter, static_cast<Index>(r)) * by_column[one.column];
      const double* lambda = lambdas(head, parameters, work);
      const double one_slope = work.one_slope[static_cast<std::size_t>(row) * heads_.size() + h];
      const double* slope = head.varying < 0 ? nullptr : work.head_slope.row(row * varying_ + head.varying);
      for (std::size_t r = 0; r < draws_; ++r)
        out[r] += head.sign * lambda[r] * (slope == nullptr ? one_slope : slope[r]) * by[r];
    }
  }
}

}  // namespace bl::random_utility
