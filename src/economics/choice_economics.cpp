// Market shares, elasticities and trade-offs, all from probabilities and marginal utilities.
#include <algorithm>
#include <cmath>

#include "base/quantile.hpp"
#include "base/text.hpp"
#include "base/unknown.hpp"
#include "bl/choice.hpp"
#include "bl/errors.hpp"
#include "choice/prepared.hpp"
#include "choice/reading.hpp"
#include "economics/beyond_economics.hpp"
#include "economics/choice_errors.hpp"
#include "economics/choice_scenario.hpp"
#include "economics/choice_sums.hpp"
#include "economics/economics.hpp"
#include "economics/rival_responses.hpp"
#include "economics/trust.hpp"
#include "fitted/fitted_model.hpp"

namespace bl {

namespace {

// Of nothing a percent is nothing, though the slope there may be infinite, as that of a root.
double per_percent(double slope, double value) {
  return value == 0 ? 0 : slope * value;
}

// What the others of situation i do since they read k: P_j (dV_j/dx_k - sum over l of P_l dV_l/dx_k) x_k.
void add_rivals(const RivalResponses& rivals, const ChoiceData& base, std::size_t i, Index x,
                const std::vector<double>& probability, ElasticitySums& out) {
  const auto begin = static_cast<std::size_t>(base.begin[i]),
             end = static_cast<std::size_t>(base.begin[i + 1]);
  for (std::size_t k = begin; k < end; ++k) {
    const double value = base.attributes(static_cast<Index>(k), x) * base.weight(i);
    double mean = 0;
    for (std::size_t l = begin; l < end; ++l) mean += probability[l] * rivals.slope(i, l, k);
    for (std::size_t j = begin; j < end; ++j)
      out.add_response(j, k, probability[j] * (rivals.slope(i, j, k) - mean) * value);
  }
}

// dP_j / dx_k * x_k = P_j (1{j = k} - P_k) dV_k/dx_k * x_k, summed over situations and divided by the sum of
// P_j. Row by row: j n + k.
std::vector<double> elasticity_numbers(const FittedModel& model, PreparedChoices& choices, Index x,
                                       const Context& job) {
  if (model.choice().schema.beyond_logit()) return beyond_elasticities(model, choices, x, job);
  const ChoiceData& base = choices.data();
  const ChoiceScores scores = choices.scores(model, job);
  const Matrix<double> slopes = choices.marginal_utilities(model, job);
  const RivalResponses rivals(model, choices, x, job);
  ElasticitySums sums(base);
  for (std::size_t i = 0; i < base.chosen.size(); ++i) {
    const auto begin = static_cast<std::size_t>(base.begin[i]),
               end = static_cast<std::size_t>(base.begin[i + 1]);
    for (std::size_t j = begin; j < end; ++j) {
      const double share = base.weight(i) * scores.probability[j];
      sums.add_share(j, share);
      for (std::size_t k = begin; k < end; ++k) {
        const auto entry = static_cast<Index>(k);
        sums.add_response(j, k,
                          share * ((j == k ? 1 : 0) - scores.probability[k]) *
                              per_percent(slopes(entry, x), base.attributes(entry, x)));
      }
    }
    if (!rivals.none()) add_rivals(rivals, base, i, x, scores.probability, sums);
  }
  return sums.elasticities();
}

// What the members of a network say, and warnings about alternatives by their own attribute.
void add_members(const Model& model, PreparedChoices& choices, Index x, const Context& job,
                 ChoiceElasticities& out) {
  const std::size_t n = out.alternatives.size();
  std::vector<std::vector<double>> members;
  for (const Model& one : members_of(model))
    members.push_back(elasticity_numbers(one.impl(), choices, x, job));
  for (std::size_t j = 0; j < n && !members.empty(); ++j) {
    out.members.emplace_back();
    for (std::size_t k = 0; k < n; ++k) {
      std::vector<double> values;
      for (const std::vector<double>& one : members) values.push_back(one[j * n + k]);
      const auto [low, high] = std::minmax_element(values.begin(), values.end());
      out.members.back().push_back({*low, *high});
      // An alternative without the attribute has no elasticity by it.
      if (j == k && !(*low == 0 && *high == 0))
        warn_of_members("the elasticity of " + out.alternatives[j], out.by[j][j], values, out.warnings);
    }
  }
  if (!members.empty()) advise(model, members.size(), out.warnings);
}

}  // namespace

const std::vector<std::string>& alternatives(const Model& model) {
  return model.impl().choice().alternatives;
}

std::vector<std::string> attributes(const Model& model) {
  const ChoiceSchema& schema = model.impl().choice().schema;
  return {schema.attributes.begin(),
          schema.attributes.begin() + static_cast<std::ptrdiff_t>(schema.declared)};
}

OutputTable market_shares(const Model& model, const Data& data, Part part, std::size_t threads) {
  const FittedModel& m = model.impl();
  const ChoiceData choices = read_part(m, data.impl().table, part, false);
  const Context job(threads);
  const ChoiceScores scores = PreparedChoices(choices, unseen_levels(part)).scores(m, job);
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

ChoiceElasticities elasticities(const Model& model, PreparedChoices& choices, const std::string& attribute,
                                const EconomicsErrors& options, const Context& job) {
  const FittedModel& m = model.impl();
  const ChoiceData& base = choices.data();
  const auto x = static_cast<Index>(attribute_of(m, attribute));
  require_alone(m, base, attribute);
  const std::size_t n = base.alternatives.size();
  const auto values = elasticity_numbers(m, choices, x, job);
  const QuantityErrors found = quantity_errors(model, options, n * n, [&](const Model& other) {
    return elasticity_numbers(other.impl(), choices, x, job);
  });
  ChoiceElasticities out{.alternatives = base.alternatives, .by = {}, .errors = {}};
  for (std::size_t j = 0; j < n; ++j) {
    const auto from = static_cast<std::ptrdiff_t>(j * n), to = from + static_cast<std::ptrdiff_t>(n);
    out.by.emplace_back(values.begin() + from, values.begin() + to);
    out.errors.emplace_back(found.errors.begin() + from, found.errors.begin() + to);
    out.intervals.emplace_back(found.intervals.begin() + from, found.intervals.begin() + to);
  }
  add_members(model, choices, x, job, out);
  return out;
}

ChoiceElasticities elasticities(const Model& model, const Data& data, const std::string& attribute,
                                std::size_t threads, const EconomicsErrors& options) {
  const ChoiceData base = read_part(model.impl(), data.impl().table, Part::all, false);
  PreparedChoices choices(base);
  return elasticities(model, choices, attribute, options, Context(threads));
}

namespace {

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? kUnknown : quantile(values, 0.5);
}

// Means, signs and quartiles of dV/dx; in all, too.
ChoiceSlopes slope_numbers(const ChoiceData& base, const Matrix<double>& gradients, Index x,
                           SignShares& signs) {
  std::vector<double> slope, negative;
  std::vector<std::vector<double>> values(base.alternatives.size());
  double total = 0;
  for (std::size_t i = 0; i < base.chosen.size(); ++i) {
    const double w = base.weight(i);
    for (auto j = static_cast<std::size_t>(base.begin[i]); j < static_cast<std::size_t>(base.begin[i + 1]);
         ++j) {
      slope.push_back(gradients(static_cast<Index>(j), x));
      negative.push_back(slope.back() < 0 ? 1 : 0);
      total += w;
      signs.below += slope.back() < 0 ? w : 0;
      signs.above += slope.back() > 0 ? w : 0;
      values[static_cast<std::size_t>(base.classes[j])].push_back(slope.back());
    }
  }
  ChoiceSlopes out = mean_slopes(base, slope, negative);
  for (std::vector<double>& of : values) {
    std::sort(of.begin(), of.end());
    out.lower_quartile.push_back(of.empty() ? kUnknown : quantile(of, 0.25));
    out.upper_quartile.push_back(of.empty() ? kUnknown : quantile(of, 0.75));
  }
  signs.below /= total;
  signs.above /= total;
  return out;
}

ChoiceSlopes slopes_of(const Model& model, PreparedChoices& choices, const std::string& attribute,
                       const Context& job) {
  const FittedModel& m = model.impl();
  const ChoiceData& base = choices.data();
  const auto x = static_cast<Index>(attribute_of(m, attribute));
  require_alone(m, base, attribute);
  if (m.choice().schema.beyond_logit()) return beyond_slopes(m, choices, x, job);
  SignShares signs;
  ChoiceSlopes out = slope_numbers(base, choices.marginal_utilities(m, job), x, signs);
  const std::string what = "the marginal utility of " + attribute;
  warn_of_signs(what, signs, out.warnings);
  for (const Model& one : members_of(model)) {
    SignShares of_member;
    out.members.push_back(
        slope_numbers(base, choices.marginal_utilities(one.impl(), job), x, of_member).mean);
  }
  for (std::size_t a = 0; a < out.alternatives.size() && !out.members.empty(); ++a) {
    std::vector<double> values;
    for (const std::vector<double>& one : out.members) values.push_back(one[a]);
    warn_of_members(what + " in " + out.alternatives[a], out.mean[a], values, out.warnings);
  }
  if (!m.choice().schema.linear) advise(model, out.members.size(), out.warnings);
  return out;
}

}  // namespace

ChoiceSlopes slopes(const Model& model, const Data& data, const std::string& attribute, std::size_t threads) {
  const ChoiceData base = read_part(model.impl(), data.impl().table, Part::all, false);
  PreparedChoices choices(base);
  return slopes_of(model, choices, attribute, Context(threads));
}

namespace {

// dV/dx over dV/dm of every entry where m counts: of each alternative.
std::vector<std::vector<double>> ratios_of(const FittedModel& model, PreparedChoices& choices, Index x,
                                           Index m, const Context& job) {
  const ChoiceData& base = choices.data();
  const Matrix<double> slopes = choices.marginal_utilities(model, job);
  std::vector<std::vector<double>> by(base.alternatives.size());
  for (Index j = 0; j < slopes.rows(); ++j)
    if (slopes(j, m) != 0)
      by[static_cast<std::size_t>(base.classes[static_cast<std::size_t>(j)])].push_back(slopes(j, x) /
                                                                                        slopes(j, m));
  return by;
}

std::vector<double> medians(const std::vector<std::vector<double>>& by) {
  std::vector<double> out;
  for (const std::vector<double>& values : by) out.push_back(median(values));
  return out;
}

// Ratios that differ by more than rounding.
bool differ(const std::vector<double>& values) {
  if (values.empty()) return false;
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return *most - *least > 1e-9 * (std::abs(*most) + std::abs(*least));
}

// Medians over the population; a number that is the same for all has no quartiles of its own.
ChoiceTradeOff beyond_trade_off(const Model& model, PreparedChoices& choices, Index x, Index m,
                                const EconomicsErrors& options) {
  const BeyondRatios ratios(model.impl(), choices, x, m);
  const std::vector<double> numbers = ratios.numbers(model.impl());
  if (numbers.empty())
    throw NumericError("the utility does not depend on " +
                       in_quotes(attributes(model)[static_cast<std::size_t>(m)]) +
                       ", so there is no value in it");
  const QuantityErrors found = quantity_errors(
      model, options, numbers.size(), [&](const Model& other) { return ratios.numbers(other.impl()); });
  const std::vector<double>& errors = found.errors;
  const bool same = !differ({numbers[1], numbers[2]});
  ChoiceTradeOff out{.value = numbers[0],
                     .standard_error = same ? errors[0] : kUnknown,
                     .lower_quartile = numbers[1],
                     .upper_quartile = numbers[2],
                     .alternatives = choices.data().alternatives,
                     .by = {numbers.begin() + 3, numbers.end()},
                     .errors = {errors.begin() + 3, errors.end()}};
  out.interval = same ? found.intervals[0] : Interval{kUnknown, kUnknown};
  out.intervals.assign(found.intervals.begin() + 3, found.intervals.end());
  out.varies = ratios.by_situation() && !same;
  return out;
}

// What the members say, and why the value may not be trusted.
void judge(const Model& model, PreparedChoices& choices, const std::string& attribute,
           const std::string& money, const Context& job, ChoiceTradeOff& out) {
  const FittedModel& impl = model.impl();
  const ChoiceData& base = choices.data();
  const auto x = static_cast<Index>(attribute_of(impl, attribute)),
             m = static_cast<Index>(attribute_of(impl, money));
  const Matrix<double> gradients = choices.marginal_utilities(impl, job);
  SignShares of_money, of_attribute;
  static_cast<void>(slope_numbers(base, gradients, m, of_money));
  static_cast<void>(slope_numbers(base, gradients, x, of_attribute));
  warn_of_pleasing_cost(money, of_money, out.warnings);
  warn_of_signs("the marginal utility of " + attribute, of_attribute, out.warnings);
  if (impl.choice().schema.linear) return;
  for (const Model& one : members_of(model)) {
    std::vector<double> all;
    for (const std::vector<double>& values : ratios_of(one.impl(), choices, x, m, job))
      all.insert(all.end(), values.begin(), values.end());
    out.members.push_back(median(std::move(all)));
  }
  const std::string what = "the value of " + attribute;
  warn_of_members(what, out.value, out.members, out.warnings);
  warn_of_quartiles(what, out.value, out.lower_quartile, out.upper_quartile, out.warnings);
  advise(model, out.members.size(), out.warnings);
}

}  // namespace

ChoiceTradeOff trade_off(const Model& model, PreparedChoices& choices, const std::string& attribute,
                         const std::string& money, const EconomicsErrors& options, const Context& job) {
  const FittedModel& impl = model.impl();
  const auto x = static_cast<Index>(attribute_of(impl, attribute)),
             m = static_cast<Index>(attribute_of(impl, money));
  for (const std::string& name : {attribute, money}) require_alone(impl, choices.data(), name);
  if (impl.choice().schema.beyond_logit()) return beyond_trade_off(model, choices, x, m, options);
  const auto by = ratios_of(impl, choices, x, m, job);
  ChoiceTradeOff out;
  out.alternatives = impl.choice().alternatives;
  out.by = medians(by);
  const std::size_t n = out.alternatives.size();
  std::vector<double> all;
  for (const std::vector<double>& values : by) all.insert(all.end(), values.begin(), values.end());
  if (all.empty())
    throw NumericError("the utility does not depend on " + in_quotes(money) + ", so there is no value in it");
  out.varies = std::any_of(by.begin(), by.end(), differ);
  std::sort(all.begin(), all.end());
  out.value = quantile(all, 0.5);
  out.lower_quartile = quantile(all, 0.25);
  out.upper_quartile = quantile(all, 0.75);
  out.errors.assign(n, kUnknown);
  out.intervals.assign(n, {kUnknown, kUnknown});
  if (impl.choice().schema.linear) {
    QuantityErrors found = quantity_errors(model, options, n, [&](const Model& other) {
      return medians(ratios_of(other.impl(), choices, x, m, job));
    });
    out.errors = std::move(found.errors);
    out.intervals = std::move(found.intervals);
  }
  const bool same =
      !differ(all) && std::none_of(by.begin(), by.end(), [](const auto& values) { return values.empty(); });
  out.standard_error = same ? out.errors[0] : kUnknown;
  out.interval = same ? out.intervals[0] : Interval{kUnknown, kUnknown};
  judge(model, choices, attribute, money, job, out);
  return out;
}

ChoiceTradeOff trade_off(const Model& model, const Data& data, const std::string& attribute,
                         const std::string& money, std::size_t threads, const EconomicsErrors& options) {
  const ChoiceData base = read_part(model.impl(), data.impl().table, Part::all, false);
  PreparedChoices choices(base);
  return trade_off(model, choices, attribute, money, options, Context(threads));
}

std::vector<AttributeEconomics> attribute_economics(const Model& model, const Data& data,
                                                    const std::vector<std::string>& names,
                                                    const std::string& money, std::size_t threads,
                                                    const EconomicsErrors& options) {
  const ChoiceData base = read_part(model.impl(), data.impl().table, Part::all, false);
  PreparedChoices choices(base);
  const Context job(threads);
  std::vector<AttributeEconomics> out;
  for (const std::string& name : names) {
    out.push_back({name, slopes_of(model, choices, name, job),
                   elasticities(model, choices, name, options, job), std::nullopt});
    if (!money.empty() && money != name)
      out.back().trade_off = trade_off(model, choices, name, money, options, job);
  }
  return out;
}

}  // namespace bl
