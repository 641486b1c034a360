// Shares, surplus and diversion of a scenario, together and situation by situation.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "base/unknown.hpp"
#include "bl/choice.hpp"
#include "bl/errors.hpp"
#include "choice/fit.hpp"
#include "choice/reading.hpp"
#include "choice/scores.hpp"
#include "economics/beyond_economics.hpp"
#include "economics/choice_errors.hpp"
#include "economics/choice_scenario.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

namespace {

std::vector<double> diversion_of(const std::vector<double>& before, const std::vector<double>& after,
                                 const std::vector<bool>& touched) {
  double won = 0, lost = 0;
  for (std::size_t j = 0; j < before.size(); ++j) {
    if (!touched[j]) continue;
    won += std::max(0.0, after[j] - before[j]);
    lost += std::max(0.0, before[j] - after[j]);
  }
  std::vector<double> out;
  for (std::size_t j = 0; j < before.size(); ++j)
    out.push_back(touched[j] || won == lost ? 0 : (before[j] - after[j]) / (won - lost));
  if (std::min(won, lost) < 1e-12) return out;
  double all = 0;
  for (std::size_t j = 0; j < before.size(); ++j) all += std::max(0.0, before[j] - after[j]);
  for (std::size_t j = 0; j < before.size(); ++j) out[j] = std::max(0.0, after[j] - before[j]) / all;
  return out;
}

struct Surplus {
  double utility = 0, money = kUnknown;
  std::optional<std::size_t> worthless;  // a situation in which money has no positive marginal utility
};

// Mean change of the log-sum; in money, of the log-sum over the marginal utility of money, which is minus
// that of the cost averaged by the probabilities before the change.
Surplus surplus_change(const FittedModel& model, const ChoiceData& base, const ChoiceScores& before,
                       const ChoiceScores& after, std::optional<Index> cost, const Context& job) {
  const Matrix<double> slopes = cost ? marginal_utilities(model, base, job) : Matrix<double>();
  Surplus surplus;
  double total = 0, in_money = 0;
  for (std::size_t i = 0; i < base.chosen.size(); ++i) {
    const double w = base.weight(i), gain = after.log_sum[i] - before.log_sum[i];
    total += w;
    surplus.utility += w * gain;
    if (!cost) continue;
    double worth = 0;
    for (auto j = base.begin[i]; j < base.begin[i + 1]; ++j)
      worth -= before.probability[static_cast<std::size_t>(j)] * slopes(static_cast<Index>(j), *cost);
    if (!(worth > 0) && !surplus.worthless) surplus.worthless = i;
    in_money += w * gain / worth;
  }
  surplus.utility /= total;
  if (cost && !surplus.worthless) surplus.money = in_money / total;
  return surplus;
}

// NumericError where money has no positive marginal utility; at other coefficients than the estimates (not
// `estimated`) the surplus in money is then NaN.
WhatIf what_if_numbers(const FittedModel& model, const ChoiceData& base, const ChangedChoices& changed,
                       std::optional<Index> cost, bool estimated, const Context& job) {
  const ChoiceScores before = score_choices(model, base, job),
                     after = score_choices(model, changed.data, job);
  WhatIf result;
  result.alternatives = changed.data.alternatives;
  result.before = mean_shares(base, base.classes, before.probability);
  result.before.resize(result.alternatives.size(), 0);
  result.after = mean_shares(changed.data, changed.names, after.probability);
  result.diversion = diversion_of(result.before, result.after, changed.touched);
  const Surplus surplus = surplus_change(model, base, before, after, cost, job);
  if (estimated && surplus.worthless)
    throw NumericError("money has no positive marginal utility in situation " +
                       in_quotes(base.labels[*surplus.worthless]) + ", so surplus has no value in " +
                       in_quotes(model.choice().schema.attributes[static_cast<std::size_t>(*cost)]));
  const bool random_utility = model.choice().schema.rivals.empty();
  result.surplus_change = random_utility ? surplus.utility : kUnknown;
  result.money_change = surplus.money;
  if (!random_utility) result.notes.emplace_back(kRivalWords);
  if (estimated && !(std::isfinite(surplus.utility) && (!cost || std::isfinite(surplus.money))))
    throw NumericError(
        "the change of surplus is not a finite number; the coefficients or the attributes are too large");
  return result;
}

}  // namespace

WhatIf what_if(const Model& model, const Data& data, const ChoiceScenario& scenario, const std::string& money,
               std::size_t threads, const EconomicsErrors& options) {
  const FittedModel& m = model.impl();
  const std::optional<Index> cost =
      money.empty() ? std::nullopt : std::optional(static_cast<Index>(attribute_of(m, money)));
  const ChoiceData base = read_part(m, data.impl().table, Part::all, false);
  if (cost) require_alone(m, base, money);
  if (cost && !m.choice().schema.rivals.empty())
    throw UsageError(std::string("no surplus in money: ") + kRivalWords + "; leave out `money`");
  if (cost && m.choice().schema.beyond_logit()) require_common_money(m, *cost);
  const ChangedChoices changed = apply_scenario(m, base, scenario);
  const Context job(threads);
  WhatIf result = what_if_numbers(m, base, changed, cost, true, job);
  const std::size_t n = result.alternatives.size();
  const QuantityErrors found = quantity_errors(model, options, n + 2, [&](const Model& other) {
    const WhatIf moved = what_if_numbers(other.impl(), base, changed, cost, false, job);
    std::vector<double> numbers;
    for (std::size_t j = 0; j < n; ++j) numbers.push_back(moved.after[j] - moved.before[j]);
    numbers.insert(numbers.end(), {moved.surplus_change, moved.money_change});
    return numbers;
  });
  const auto shares = static_cast<std::ptrdiff_t>(n);
  result.change_error.assign(found.errors.begin(), found.errors.begin() + shares);
  result.surplus_error = found.errors[n];
  result.money_error = cost ? found.errors[n + 1] : kUnknown;
  result.change_interval.assign(found.intervals.begin(), found.intervals.begin() + shares);
  result.surplus_interval = found.intervals[n];
  result.money_interval = cost ? found.intervals[n + 1] : Interval{kUnknown, kUnknown};
  return result;
}

OutputTable what_if_rows(const Model& model, const Data& data, const ChoiceScenario& scenario,
                         std::size_t threads) {
  const FittedModel& m = model.impl();
  const ChoiceData base = read_part(m, data.impl().table, Part::all, false);
  const ChangedChoices changed = apply_scenario(m, base, scenario);
  const Context job(threads);
  const ChoiceScores before = score_choices(m, base, job), after = score_choices(m, changed.data, job);
  const std::size_t rows = base.chosen.size();
  const ChoiceSchema& schema = m.choice().schema;
  OutputTable out{.rows = rows, .columns = {{schema.wide ? "line" : schema.situation, {}, base.labels}}};
  const auto add = [&](const std::string& when, const ChoiceData& choices,
                       const std::vector<std::int32_t>& names, const ChoiceScores& scores) {
    const std::size_t first = out.columns.size();
    for (const std::string& name : changed.data.alternatives)
      out.columns.push_back({"p(" + name + ") " + when, std::vector<double>(rows, 0), {}});
    for (std::size_t i = 0; i < rows; ++i)
      for (auto j = static_cast<std::size_t>(choices.begin[i]);
           j < static_cast<std::size_t>(choices.begin[i + 1]); ++j)
        out.columns[first + static_cast<std::size_t>(names[j])].numbers[i] = scores.probability[j];
  };
  add("before", base, base.classes, before);
  add("after", changed.data, changed.names, after);
  if (!schema.rivals.empty()) return out;  // no random utility, so no surplus
  OutputColumn surplus{"surplus change", {}, {}};
  for (std::size_t i = 0; i < rows; ++i) surplus.numbers.push_back(after.log_sum[i] - before.log_sum[i]);
  out.columns.push_back(std::move(surplus));
  return out;
}

}  // namespace bl
