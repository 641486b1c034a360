#include "economics/beyond_economics.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/text.hpp"
#include "base/unknown.hpp"
#include "bl/errors.hpp"
#include "economics/choice_sums.hpp"
#include "fitted/choice_utility.hpp"

namespace bl {

namespace {

using Weighted = std::vector<std::pair<double, double>>;  // values with their shares

// The smallest of sorted values whose share of those up to it reaches the level: of classes, the value of one
// of them. Where it is reached exactly, the middle of it and the next.
double weighted_quantile(const Weighted& values, double level) {
  double total = 0, below = 0;
  for (const auto& one : values) total += one.second;
  for (std::size_t i = 0; i + 1 < values.size(); ++i) {
    below += values[i].second;
    if (std::abs(below - level * total) < 1e-9 * total) return 0.5 * (values[i].first + values[i + 1].first);
    if (below > level * total) return values[i].first;
  }
  return values.back().first;
}

// Products of patterns and draws that make up a median. Fewer draws stand for each pattern where there are
// many, one after the other, so that neighbours have different ones.
constexpr std::size_t kProducts = 1'000'000, kFewestDraws = 64;

}  // namespace

std::vector<double> beyond_elasticities(const FittedModel& model, PreparedChoices& choices, Index x,
                                        const Context& job) {
  const ChoiceData& base = choices.data();
  const ChoiceResponses found = choices.responses(model, x, Per::percent, job);
  ElasticitySums sums(base);
  for (std::size_t i = 0; i < base.chosen.size(); ++i) {
    const auto begin = static_cast<std::size_t>(base.begin[i]),
               size = static_cast<std::size_t>(base.size(static_cast<Index>(i)));
    const double* response = found.responses.data() + found.begins[i];
    for (std::size_t j = 0; j < size; ++j) {
      sums.add_share(begin + j, base.weight(i) * found.scores.probability[begin + j]);
      for (std::size_t k = 0; k < size; ++k)
        sums.add_response(begin + j, begin + k, base.weight(i) * response[j * size + k]);
    }
  }
  return sums.elasticities();
}

ChoiceSlopes beyond_slopes(const FittedModel& model, PreparedChoices& choices, Index x, const Context& job) {
  const ChoiceResponses found = choices.responses(model, x, Per::unit, job);
  return mean_slopes(choices.data(), found.slope, found.negative);
}

BeyondRatios::BeyondRatios(const FittedModel& model, PreparedChoices& choices, Index x, Index m)
    : beyond_(choices.beyond(model)), alternatives_(choices.data().alternatives.size()) {
  const ChoiceSchema& schema = model.choice().schema;
  const ChoiceData& base = choices.data();
  const Matrix<double> by_x = design_slopes(beyond_, schema, base, x, Per::unit),
                       by_m = design_slopes(beyond_, schema, base, m, Per::unit);
  const Index columns = by_x.cols();
  const bool linear = schema.linear;  // else marginal utilities depend on where the entry is
  std::map<std::pair<std::int32_t, std::vector<double>>, std::pair<std::size_t, Index>> counts;
  for (Index row = 0; row < by_x.rows(); ++row) {
    std::vector<double> both(by_x.row(row), by_x.row(row) + columns);
    both.insert(both.end(), by_m.row(row), by_m.row(row) + columns);
    const double* z = beyond_.sets->design.row(row);
    if (!linear) both.insert(both.end(), z, z + columns);
    auto& [count, entry] =
        counts[{beyond_.sets->alternative[static_cast<std::size_t>(row)], std::move(both)}];
    ++count;
    entry = row;
  }
  std::vector<std::size_t> of_alternative(alternatives_, 0);
  for (const auto& [key, found] : counts) {
    const std::vector<double>& both = key.second;
    patterns_.push_back({.alternative = static_cast<std::size_t>(key.first),
                         .share = static_cast<double>(found.first) / static_cast<double>(by_x.rows()),
                         .entry = found.second,
                         .by_x = {both.begin(), both.begin() + columns},
                         .by_m = {both.begin() + columns, both.begin() + 2 * columns}});
    by_situation_ |= ++of_alternative[static_cast<std::size_t>(key.first)] > 1;
  }
}

std::vector<double> BeyondRatios::numbers(const FittedModel& model) const {
  const random_utility::Population population = beyond_.model->population(model.choice().beyond);
  const std::size_t rows = population.shares.size(),
                    draws = std::min(rows, std::max(kFewestDraws, kProducts / patterns_.size()));
  std::vector<Weighted> by(alternatives_);
  for (std::size_t p = 0, row = 0; p < patterns_.size(); ++p)
    for (std::size_t r = 0; r < draws; ++r, row = (row + 1) % rows) {
      const double* coefficients = population.coefficients.row(static_cast<Index>(row));
      const Pattern& pattern = patterns_[p];
      const auto slope = [&](const std::vector<double>& by_column) {
        return beyond_.model->utility().slope(*beyond_.sets, pattern.entry, coefficients, by_column.data());
      };
      const double of_m = slope(pattern.by_m);
      if (of_m != 0)
        by[pattern.alternative].emplace_back(slope(pattern.by_x) / of_m,
                                             pattern.share * population.shares[row]);
    }
  Weighted all;
  for (Weighted& values : by) {
    std::sort(values.begin(), values.end());
    all.insert(all.end(), values.begin(), values.end());
  }
  if (all.empty()) return {};
  std::sort(all.begin(), all.end());
  std::vector<double> out = {weighted_quantile(all, 0.5), weighted_quantile(all, 0.25),
                             weighted_quantile(all, 0.75)};
  for (const Weighted& values : by) out.push_back(values.empty() ? kUnknown : weighted_quantile(values, 0.5));
  return out;
}

void require_common_money(const FittedModel& model, Index m) {
  const ChoiceSchema& schema = model.choice().schema;
  const std::vector<UtilityParameter> utility = utility_parameters(model.stored);
  const ChoiceUtility read = choice_utility(model.stored.architecture, schema.linear);
  bool differs = schema.latent.has_value();
  const auto reads_money = [&](const Term& column) {
    return std::any_of(column.begin(), column.end(), [&](std::int32_t input) {
      if (input < static_cast<std::int32_t>(schema.declared)) return input == m;
      const std::size_t term = static_cast<std::size_t>(input) - schema.declared;
      if (term >= schema.terms.size()) return false;
      const auto& reads = schema.terms[term].reads;
      return std::find(reads.begin(), reads.end(), static_cast<std::size_t>(m)) != reads.end();
    });
  };
  // Every weight of a block's heads may change the marginal utility of money.
  if (schema.random && schema.linear)
    for (const RandomCoefficients::One& one : schema.random->coefficients)
      differs |= reads_money(read.columns[parameter_of(utility, one.name)]);
  if (schema.random && !schema.linear) differs = true;
  if (differs)
    throw UsageError(
        "the coefficient of " + in_quotes(schema.attributes[static_cast<std::size_t>(m)]) +
        " differs between persons, and the mean of a surplus divided by it need not exist; leave out "
        "`money`, or give money one coefficient");
}

}  // namespace bl
