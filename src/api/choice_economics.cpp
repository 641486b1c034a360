// Market shares under a scenario, elasticities and trade-offs, all from probabilities and marginal utilities.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "api/choice_impl.hpp"
#include "api/choice_reading.hpp"
#include "base/text.hpp"
#include "bl/errors.hpp"

namespace bl {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double weight_of(const ChoiceData& data, std::size_t situation) {
  return data.weights.empty() ? 1 : data.weights[situation];
}

// The attributes of one alternative as a table, one row per entry.
Table attribute_table(const ChoiceModel::Impl& model, const ChoiceData& data,
                      const std::vector<Index>& entries) {
  Table table;
  table.source = "attributes";
  table.rows = static_cast<Index>(entries.size());
  for (std::size_t k = 0; k < model.schema.attributes.size(); ++k) {
    Column column;
    column.name = model.schema.attributes[k];
    for (const Index entry : entries) column.numbers.push_back(data.attributes(entry, static_cast<Index>(k)));
    table.columns.push_back(std::move(column));
  }
  return table;
}

void apply_change(const ChoiceModel::Impl& model, const ChoiceScenario::Change& change, ChoiceData& data) {
  const auto attribute = static_cast<Index>(model.attribute(change.attribute));
  const auto alternative = static_cast<std::int32_t>(model.alternative(change.alternative));
  std::vector<Index> entries;
  for (std::size_t j = 0; j < data.classes.size(); ++j)
    if (data.classes[j] == alternative) entries.push_back(static_cast<Index>(j));
  const auto values = Expression::parse(change.expression).evaluate(attribute_table(model, data, entries));
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (std::isnan(values[k])) {
      const auto situation =
          std::upper_bound(data.begin.begin(), data.begin.end(), entries[k]) - data.begin.begin() - 1;
      throw DataError(change.expression + " is not a number in situation " +
                      in_quotes(data.labels[static_cast<std::size_t>(situation)]));
    }
    data.attributes(entries[k], attribute) = values[k];
  }
}

// Without the alternatives that are withdrawn. UsageError where somebody would be left with nothing to
// choose.
ChoiceData without(const ChoiceModel::Impl& model, const ChoiceData& data,
                   const std::vector<std::string>& withdrawn) {
  std::vector<bool> gone(data.alternatives.size(), false);
  for (const std::string& name : withdrawn) gone[model.alternative(name)] = true;
  ChoiceData out = data;
  out.classes.clear();
  out.begin = {0};
  out.chosen.assign(data.chosen.size(), kUnknownChoice);
  Index at = 0;
  for (std::size_t i = 0; i < data.chosen.size(); ++i) {
    for (auto j = static_cast<Index>(data.begin[i]); j < static_cast<Index>(data.begin[i + 1]); ++j) {
      const std::int32_t alternative = data.classes[static_cast<std::size_t>(j)];
      if (gone[static_cast<std::size_t>(alternative)]) continue;
      std::copy_n(data.attributes.row(j), data.attributes.cols(), out.attributes.row(at++));
      out.classes.push_back(alternative);
    }
    if (at == out.begin.back())
      throw UsageError("situation " + in_quotes(data.labels[i]) + " would have no alternative left");
    out.begin.push_back(at);
  }
  out.attributes.resize(at, data.attributes.cols());
  return out;
}

// What those who lose shares lose goes to those who gain, in these proportions.
std::vector<double> diversion_of(const std::vector<double>& before, const std::vector<double>& after) {
  std::vector<double> diversion(before.size(), 0);
  double lost = 0;
  for (std::size_t j = 0; j < before.size(); ++j) lost += std::max(0.0, before[j] - after[j]);
  for (std::size_t j = 0; j < before.size() && lost > 0; ++j)
    diversion[j] = std::max(0.0, after[j] - before[j]) / lost;
  return diversion;
}

// Type 7 of the usual definitions: linear between order statistics.
double quantile(const std::vector<double>& sorted, double level) {
  const double place = level * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(place);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (place - static_cast<double>(low)) * (sorted[high] - sorted[low]);
}

}  // namespace

WhatIf ChoiceModel::what_if(const Data& data, const ChoiceScenario& scenario, const std::string& money,
                            std::size_t threads) const {
  const ChoiceData base = read_part(*impl_, data, Part::all, false);
  ChoiceData changed = base;
  for (const ChoiceScenario::Change& change : scenario.changes) apply_change(*impl_, change, changed);
  if (!scenario.withdrawn.empty()) changed = without(*impl_, changed, scenario.withdrawn);
  ThreadPool pool(threads);
  const ChoiceScores before = score_choices(*impl_, base, pool), after = score_choices(*impl_, changed, pool);
  WhatIf result{.alternatives = base.alternatives,
                .before = predicted_shares(base, before.probability),
                .after = predicted_shares(changed, after.probability),
                .diversion = {},
                .surplus_change = 0,
                .money_change = money.empty() ? kUnknown : 0};
  result.diversion = diversion_of(result.before, result.after);
  // The marginal utility of money is minus that of the cost, averaged by the probabilities before the change.
  const Matrix<double> slopes = money.empty() ? Matrix<double>() : marginal_utilities(*impl_, base, pool);
  const auto cost = money.empty() ? Index{0} : static_cast<Index>(impl_->attribute(money));
  double total = 0;
  for (std::size_t i = 0; i < base.chosen.size(); ++i) {
    const double w = weight_of(base, i), gain = after.log_sum[i] - before.log_sum[i];
    total += w;
    result.surplus_change += w * gain;
    if (money.empty()) continue;
    double worth = 0;
    for (auto j = base.begin[i]; j < base.begin[i + 1]; ++j)
      worth -= before.probability[static_cast<std::size_t>(j)] * slopes(static_cast<Index>(j), cost);
    if (!(worth > 0))
      throw NumericError("money has no positive marginal utility in situation " + in_quotes(base.labels[i]) +
                         ", so surplus has no value in " + in_quotes(money));
    result.money_change += w * gain / worth;
  }
  result.surplus_change /= total;
  result.money_change /= total;
  return result;
}

ChoiceElasticities ChoiceModel::elasticities(const Data& data, const std::string& attribute,
                                             std::size_t threads) const {
  const auto x = static_cast<Index>(impl_->attribute(attribute));
  const ChoiceData base = read_part(*impl_, data, Part::all, false);
  ThreadPool pool(threads);
  const ChoiceScores scores = score_choices(*impl_, base, pool);
  const Matrix<double> slopes = marginal_utilities(*impl_, base, pool);
  const std::size_t n = base.alternatives.size();
  ChoiceElasticities out{.alternatives = base.alternatives,
                         .by = std::vector<std::vector<double>>(n, std::vector<double>(n, 0))};
  std::vector<double> totals(n, 0);
  // dP_j / dx_k * x_k = P_j (1{j = k} - P_k) dV_k/dx_k * x_k, summed and divided by the sum of P_j.
  for (std::size_t i = 0; i < base.chosen.size(); ++i) {
    const auto begin = static_cast<std::size_t>(base.begin[i]),
               end = static_cast<std::size_t>(base.begin[i + 1]);
    const double w = weight_of(base, i);
    for (std::size_t j = begin; j < end; ++j) {
      const auto row = static_cast<std::size_t>(base.classes[j]);
      totals[row] += w * scores.probability[j];
      for (std::size_t k = begin; k < end; ++k) {
        const auto entry = static_cast<Index>(k);
        out.by[row][static_cast<std::size_t>(base.classes[k])] +=
            w * scores.probability[j] * ((j == k ? 1 : 0) - scores.probability[k]) * slopes(entry, x) *
            base.attributes(entry, x);
      }
    }
  }
  for (std::size_t j = 0; j < n; ++j)
    for (double& value : out.by[j]) value = totals[j] > 0 ? value / totals[j] : kUnknown;
  return out;
}

ChoiceSlopes ChoiceModel::slopes(const Data& data, const std::string& attribute, std::size_t threads) const {
  const auto x = static_cast<Index>(impl_->attribute(attribute));
  const ChoiceData base = read_part(*impl_, data, Part::all, false);
  ThreadPool pool(threads);
  const Matrix<double> gradients = marginal_utilities(*impl_, base, pool);
  const std::size_t n = base.alternatives.size();
  ChoiceSlopes out{.alternatives = base.alternatives,
                   .mean = std::vector<double>(n, 0),
                   .negative = std::vector<double>(n, 0)};
  std::vector<double> counts(n, 0);
  for (std::size_t i = 0; i < base.chosen.size(); ++i) {
    for (auto j = static_cast<std::size_t>(base.begin[i]); j < static_cast<std::size_t>(base.begin[i + 1]);
         ++j) {
      const auto alternative = static_cast<std::size_t>(base.classes[j]);
      const double slope = gradients(static_cast<Index>(j), x), w = weight_of(base, i);
      counts[alternative] += w;
      out.mean[alternative] += w * slope;
      out.negative[alternative] += slope < 0 ? w : 0;
    }
  }
  for (std::size_t a = 0; a < n; ++a) {
    out.mean[a] = counts[a] > 0 ? out.mean[a] / counts[a] : kUnknown;
    out.negative[a] = counts[a] > 0 ? out.negative[a] / counts[a] : kUnknown;
  }
  return out;
}

ChoiceTradeOff ChoiceModel::trade_off(const Data& data, const std::string& attribute,
                                      const std::string& money, std::size_t threads) const {
  const auto x = static_cast<Index>(impl_->attribute(attribute)),
             m = static_cast<Index>(impl_->attribute(money));
  const auto& coefficients = impl_->stored.coefficients;
  const auto find = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find_if(coefficients.begin(), coefficients.end(),
                                                 [&](const auto& one) { return one.name == name; }) -
                                    coefficients.begin());
  };
  const std::size_t a = find(attribute), b = find(money), n = coefficients.size();
  if (a < n && b < n) {
    // Var(a/b) by the delta method: gradient (1/b, -a/b^2).
    const double numerator = coefficients[a].estimate, denominator = coefficients[b].estimate,
                 ratio = numerator / denominator;
    const std::vector<double>& v = impl_->stored.covariance;
    const double variance = (v[a * n + a] - 2 * ratio * v[a * n + b] + ratio * ratio * v[b * n + b]) /
                            (denominator * denominator);
    return {.value = ratio,
            .standard_error = std::sqrt(variance),
            .lower_quartile = ratio,
            .upper_quartile = ratio};
  }
  const ChoiceData base = read_part(*impl_, data, Part::all, false);
  ThreadPool pool(threads);
  const Matrix<double> slopes = marginal_utilities(*impl_, base, pool);
  std::vector<double> ratios;
  for (Index j = 0; j < slopes.rows(); ++j)
    if (slopes(j, m) != 0) ratios.push_back(slopes(j, x) / slopes(j, m));
  if (ratios.empty())
    throw NumericError("the utility does not depend on " + in_quotes(money) + ", so there is no value in it");
  std::sort(ratios.begin(), ratios.end());
  return {.value = quantile(ratios, 0.5),
          .standard_error = kUnknown,
          .lower_quartile = quantile(ratios, 0.25),
          .upper_quartile = quantile(ratios, 0.75)};
}

}  // namespace bl
