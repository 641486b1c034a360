// Shares, surplus and diversion of a scenario, together and situation by situation.
#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "base/unknown.hpp"
#include "bl/choice.hpp"
#include "bl/errors.hpp"
#include "choice/fit.hpp"
#include "choice/prepared.hpp"
#include "choice/reading.hpp"
#include "economics/beyond_economics.hpp"
#include "economics/choice_errors.hpp"
#include "economics/choice_scenario.hpp"
#include "economics/choice_sums.hpp"
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

// Situations before and after a scenario, and what somebody wants to know about them.
struct Asked {
  PreparedChoices before, after;
  const ChangedChoices& changed;
  std::optional<Index> cost = {};
};

struct Answers {
  ChoiceScores before, after;
};

Answers answers_of(const FittedModel& model, Asked& asked, const Context& job) {
  return {asked.before.scores(model, job), asked.after.scores(model, job)};
}

// NumericError where money has no positive marginal utility; at other coefficients than the estimates (not
// `estimated`) the surplus in money is then NaN.
WhatIf what_if_numbers(const FittedModel& model, Asked& asked, const Answers& found, bool estimated,
                       const Context& job) {
  const ChoiceData& base = asked.before.data();
  const ChangedChoices& changed = asked.changed;
  const std::optional<Index> cost = asked.cost;
  WhatIf result;
  result.alternatives = changed.data.alternatives;
  result.before = mean_shares(base, base.classes, found.before.probability);
  result.before.resize(result.alternatives.size(), 0);
  result.after = mean_shares(changed.data, changed.names, found.after.probability);
  result.diversion = diversion_of(result.before, result.after, changed.touched);
  const std::vector<double> worth =
      cost ? worth_of_money(base, found.before, asked.before.marginal_utilities(model, job), *cost)
           : std::vector<double>();
  const Surplus surplus = surplus_change(base, found.before, found.after, worth);
  if (const auto situation = worthless(worth); estimated && situation)
    throw NumericError("money has no positive marginal utility in situation " +
                       in_quotes(base.labels[*situation]) + ", so surplus has no value in " +
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

// Situation by situation: probabilities before and after, and the change of the log-sum.
OutputTable rows_of(const FittedModel& model, const Asked& asked, const Answers& found) {
  const ChoiceData& base = asked.before.data();
  const ChangedChoices& changed = asked.changed;
  const std::size_t rows = base.chosen.size();
  const ChoiceSchema& schema = model.choice().schema;
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
  add("before", base, base.classes, found.before);
  add("after", changed.data, changed.names, found.after);
  if (!schema.rivals.empty()) return out;  // no random utility, so no surplus
  OutputColumn surplus{"surplus change", {}, {}};
  for (std::size_t i = 0; i < rows; ++i)
    surplus.numbers.push_back(found.after.log_sum[i] - found.before.log_sum[i]);
  out.columns.push_back(std::move(surplus));
  return out;
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
  Asked asked{PreparedChoices(base), PreparedChoices(changed.data), changed, cost};
  const Answers answers = answers_of(m, asked, job);
  WhatIf result = what_if_numbers(m, asked, answers, true, job);
  result.rows = rows_of(m, asked, answers);
  const std::size_t n = result.alternatives.size();
  const QuantityErrors found = quantity_errors(model, options, n + 2, [&](const Model& other) {
    const FittedModel& at = other.impl();
    const WhatIf moved = what_if_numbers(at, asked, answers_of(at, asked, job), false, job);
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
  Asked asked{PreparedChoices(base), PreparedChoices(changed.data), changed};
  return rows_of(m, asked, answers_of(m, asked, Context(threads)));
}

}  // namespace bl
