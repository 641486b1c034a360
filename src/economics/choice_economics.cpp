// Market shares under a scenario, elasticities and trade-offs, all from probabilities and marginal utilities.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "base/quantile.hpp"
#include "base/text.hpp"
#include "bl/choice.hpp"
#include "bl/errors.hpp"
#include "choice/reading.hpp"
#include "choice/scores.hpp"
#include "economics/beyond_economics.hpp"
#include "economics/choice_scenario.hpp"
#include "economics/delta.hpp"
#include "features/linear_terms.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double weight_of(const ChoiceData& data, std::size_t situation) {
  return data.weights.empty() ? 1 : data.weights[situation];
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

// Of a model that stores no covariance, or whose parameters are not identified, nothing has an error: a
// combination that is not determined leaves no way to tell which quantities are.
std::vector<double> errors_of(const Model& model, std::size_t count, const Quantities& quantities) {
  const auto& inference = model.impl().stored.inference;
  const bool known = inference && inference->facts.value("directions", nlohmann::json::array()).empty();
  if (!known) return std::vector<double>(count, kUnknown);
  return delta_errors(model, "robust", count, quantities);
}

struct Surplus {
  double utility = 0, money = kUnknown;
};

// Mean change of the log-sum; in money, of the log-sum over the marginal utility of money, which is minus
// that of the cost averaged by the probabilities before the change.
Surplus surplus_change(const FittedModel& model, const ChoiceData& base, const ChoiceScores& before,
                       const ChoiceScores& after, std::optional<Index> cost, ThreadPool& pool) {
  const Matrix<double> slopes = cost ? marginal_utilities(model, base, pool) : Matrix<double>();
  Surplus surplus;
  double total = 0, in_money = 0;
  for (std::size_t i = 0; i < base.chosen.size(); ++i) {
    const double w = weight_of(base, i), gain = after.log_sum[i] - before.log_sum[i];
    total += w;
    surplus.utility += w * gain;
    if (!cost) continue;
    double worth = 0;
    for (auto j = base.begin[i]; j < base.begin[i + 1]; ++j)
      worth -= before.probability[static_cast<std::size_t>(j)] * slopes(static_cast<Index>(j), *cost);
    if (!(worth > 0))
      throw NumericError("money has no positive marginal utility in situation " + in_quotes(base.labels[i]) +
                         ", so surplus has no value in " +
                         in_quotes(model.choice().schema.attributes[static_cast<std::size_t>(*cost)]));
    in_money += w * gain / worth;
  }
  surplus.utility /= total;
  if (cost) surplus.money = in_money / total;
  return surplus;
}

WhatIf what_if_numbers(const FittedModel& model, const ChoiceData& base, const ChangedChoices& changed,
                       std::optional<Index> cost, ThreadPool& pool) {
  const ChoiceScores before = score_choices(model, base, pool),
                     after = score_choices(model, changed.data, pool);
  WhatIf result;
  result.alternatives = changed.data.alternatives;
  result.before = mean_shares(base, base.classes, before.probability);
  result.before.resize(result.alternatives.size(), 0);
  result.after = mean_shares(changed.data, changed.names, after.probability);
  result.diversion = diversion_of(result.before, result.after);
  const Surplus surplus = surplus_change(model, base, before, after, cost, pool);
  result.surplus_change = surplus.utility;
  result.money_change = surplus.money;
  return result;
}

// dP_j / dx_k * x_k = P_j (1{j = k} - P_k) dV_k/dx_k * x_k, summed over situations and divided by the sum of
// P_j. Row by row: j n + k.
std::vector<double> elasticity_numbers(const FittedModel& model, const ChoiceData& base, Index x,
                                       ThreadPool& pool) {
  if (model.choice().schema.beyond_logit()) return beyond_elasticities(model, base, x, pool);
  const ChoiceScores scores = score_choices(model, base, pool);
  const Matrix<double> slopes = marginal_utilities(model, base, pool);
  const std::size_t n = base.alternatives.size();
  std::vector<double> totals(n, 0), out(n * n, 0);
  for (std::size_t i = 0; i < base.chosen.size(); ++i) {
    const auto begin = static_cast<std::size_t>(base.begin[i]),
               end = static_cast<std::size_t>(base.begin[i + 1]);
    const double w = weight_of(base, i);
    for (std::size_t j = begin; j < end; ++j) {
      const auto row = static_cast<std::size_t>(base.classes[j]);
      totals[row] += w * scores.probability[j];
      for (std::size_t k = begin; k < end; ++k) {
        const auto entry = static_cast<Index>(k);
        out[row * n + static_cast<std::size_t>(base.classes[k])] +=
            w * scores.probability[j] * ((j == k ? 1 : 0) - scores.probability[k]) * slopes(entry, x) *
            base.attributes(entry, x);
      }
    }
  }
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k)
      out[j * n + k] = totals[j] > 0 ? out[j * n + k] / totals[j] : kUnknown;
  return out;
}

// dV/dx over dV/dm of each alternative in a linear utility; NaN where m does not count.
std::vector<double> linear_ratios(const FittedModel& model, Index x, Index m) {
  const ChoiceResponse& choice = model.choice();
  const auto terms = linear_terms(choice.schema, choice.alternatives);
  const auto weight =
      static_cast<std::size_t>(model.utility.network().layout().tensor("layers/0/U/weight").offset);
  std::vector<double> ratios;
  for (std::size_t a = 0; a < choice.alternatives.size(); ++a) {
    double of_x = 0, of_m = 0;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      if (terms[k].alternative >= 0 && static_cast<std::size_t>(terms[k].alternative) != a) continue;
      const double coefficient = model.stored.parameters[weight + k];
      of_x += terms[k].attribute == x ? coefficient : 0;
      of_m += terms[k].attribute == m ? coefficient : 0;
    }
    ratios.push_back(of_m == 0 ? kUnknown : of_x / of_m);
  }
  return ratios;
}

}  // namespace

const std::vector<std::string>& alternatives(const Model& model) {
  return model.impl().choice().alternatives;
}

const std::vector<std::string>& attributes(const Model& model) {
  return model.impl().choice().schema.attributes;
}

OutputTable market_shares(const Model& model, const Data& data, Part part, std::size_t threads) {
  const FittedModel& m = model.impl();
  const ChoiceData choices = read_part(m, data.impl().table, part, false);
  ThreadPool pool(threads);
  const ChoiceScores scores = score_choices(m, choices, pool, part);
  OutputTable out;
  out.rows = choices.alternatives.size();
  out.columns.push_back({"alternative", {}, choices.alternatives});
  out.columns.push_back({"predicted", mean_shares(choices, choices.classes, scores.probability), {}});
  if (!choices.choices_known()) return out;
  std::vector<double> picked(choices.classes.size(), 0);
  for (std::size_t i = 0; i < choices.chosen.size(); ++i)
    picked[static_cast<std::size_t>(choices.begin[i]) + static_cast<std::size_t>(choices.chosen[i])] = 1;
  out.columns.push_back({"observed", mean_shares(choices, choices.classes, picked), {}});
  return out;
}

WhatIf what_if(const Model& model, const Data& data, const ChoiceScenario& scenario, const std::string& money,
               std::size_t threads) {
  const FittedModel& m = model.impl();
  const std::optional<Index> cost =
      money.empty() ? std::nullopt : std::optional(static_cast<Index>(attribute_of(m, money)));
  if (cost && m.choice().schema.beyond_logit()) require_common_money(m, *cost);
  const ChoiceData base = read_part(m, data.impl().table, Part::all, false);
  const ChangedChoices changed = apply_scenario(m, base, scenario);
  ThreadPool pool(threads);
  WhatIf result = what_if_numbers(m, base, changed, cost, pool);
  const std::size_t n = result.alternatives.size();
  const auto errors = errors_of(model, n + 2, [&](const Model& other) {
    const WhatIf moved = what_if_numbers(other.impl(), base, changed, cost, pool);
    std::vector<double> numbers;
    for (std::size_t j = 0; j < n; ++j) numbers.push_back(moved.after[j] - moved.before[j]);
    numbers.insert(numbers.end(), {moved.surplus_change, moved.money_change});
    return numbers;
  });
  result.change_error.assign(errors.begin(), errors.begin() + static_cast<std::ptrdiff_t>(n));
  result.surplus_error = errors[n];
  result.money_error = cost ? errors[n + 1] : kUnknown;
  return result;
}

ChoiceElasticities elasticities(const Model& model, const Data& data, const std::string& attribute,
                                std::size_t threads) {
  const FittedModel& m = model.impl();
  const auto x = static_cast<Index>(attribute_of(m, attribute));
  const ChoiceData base = read_part(m, data.impl().table, Part::all, false);
  ThreadPool pool(threads);
  const std::size_t n = base.alternatives.size();
  const auto values = elasticity_numbers(m, base, x, pool);
  const auto errors = errors_of(
      model, n * n, [&](const Model& other) { return elasticity_numbers(other.impl(), base, x, pool); });
  ChoiceElasticities out{.alternatives = base.alternatives, .by = {}, .errors = {}};
  for (std::size_t j = 0; j < n; ++j) {
    const auto from = static_cast<std::ptrdiff_t>(j * n), to = from + static_cast<std::ptrdiff_t>(n);
    out.by.emplace_back(values.begin() + from, values.begin() + to);
    out.errors.emplace_back(errors.begin() + from, errors.begin() + to);
  }
  return out;
}

ChoiceSlopes slopes(const Model& model, const Data& data, const std::string& attribute, std::size_t threads) {
  const FittedModel& m = model.impl();
  const auto x = static_cast<Index>(attribute_of(m, attribute));
  const ChoiceData base = read_part(m, data.impl().table, Part::all, false);
  ThreadPool pool(threads);
  if (m.choice().schema.beyond_logit()) return beyond_slopes(m, base, x, pool);
  const Matrix<double> gradients = marginal_utilities(m, base, pool);
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

namespace {

// Over alternatives and situations, and of each alternative.
void fill_medians(const Matrix<double>& slopes, const std::vector<std::int32_t>& classes, Index x, Index m,
                  ChoiceTradeOff& out) {
  std::vector<double> all;
  std::vector<std::vector<double>> by(out.alternatives.size());
  for (Index j = 0; j < slopes.rows(); ++j) {
    if (slopes(j, m) == 0) continue;
    all.push_back(slopes(j, x) / slopes(j, m));
    by[static_cast<std::size_t>(classes[static_cast<std::size_t>(j)])].push_back(all.back());
  }
  if (all.empty()) return;
  const auto median = [](std::vector<double>& values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? kUnknown : quantile(values, 0.5);
  };
  out.value = median(all);
  out.lower_quartile = quantile(all, 0.25);
  out.upper_quartile = quantile(all, 0.75);
  for (auto& values : by) out.by.push_back(median(values));
}

// Medians over the population; a number that is the same for all has no quartiles of its own.
ChoiceTradeOff beyond_trade_off(const Model& model, const ChoiceData& base, Index x, Index m) {
  const std::vector<double> numbers = beyond_ratios(model.impl(), base, x, m);
  if (numbers.empty())
    throw NumericError("the utility does not depend on " + in_quotes(attributes(model)[static_cast<std::size_t>(m)]) +
                       ", so there is no value in it");
  const std::vector<double> errors = errors_of(model, numbers.size(), [&](const Model& other) {
    return beyond_ratios(other.impl(), base, x, m);
  });
  ChoiceTradeOff out{.value = numbers[0],
                     .standard_error = numbers[1] == numbers[2] ? errors[0] : kUnknown,
                     .lower_quartile = numbers[1],
                     .upper_quartile = numbers[2],
                     .alternatives = base.alternatives,
                     .by = {numbers.begin() + 3, numbers.end()},
                     .errors = {errors.begin() + 3, errors.end()}};
  return out;
}

}  // namespace

ChoiceTradeOff trade_off(const Model& model, const Data& data, const std::string& attribute,
                         const std::string& money, std::size_t threads) {
  const FittedModel& impl = model.impl();
  const auto x = static_cast<Index>(attribute_of(impl, attribute)),
             m = static_cast<Index>(attribute_of(impl, money));
  ChoiceTradeOff out;
  out.alternatives = impl.choice().alternatives;
  const std::size_t n = out.alternatives.size();
  out.errors.assign(n, kUnknown);
  const ChoiceData base = read_part(impl, data.impl().table, Part::all, false);
  ThreadPool pool(threads);
  if (impl.choice().schema.beyond_logit()) return beyond_trade_off(model, base, x, m);
  fill_medians(marginal_utilities(impl, base, pool), base.classes, x, m, out);
  if (out.by.empty())
    throw NumericError("the utility does not depend on " + in_quotes(money) + ", so there is no value in it");
  const bool linear = impl.choice().schema.linear;
  if (linear) {
    out.by = linear_ratios(impl, x, m);
    out.errors = errors_of(model, n, [&](const Model& other) { return linear_ratios(other.impl(), x, m); });
  }
  const bool same = std::all_of(out.by.begin(), out.by.end(), [&](double one) { return one == out.by[0]; });
  if (same && linear) out.value = out.by[0];
  out.standard_error = same ? out.errors[0] : kUnknown;
  return out;
}

}  // namespace bl
