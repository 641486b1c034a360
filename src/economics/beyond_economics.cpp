#include "economics/beyond_economics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/text.hpp"
#include "bl/errors.hpp"
#include "choice/beyond.hpp"
#include "features/beyond_names.hpp"

namespace bl {

namespace {

// A term moves with the attributes inside it; responses of these models are taken by the attributes alone.
void require_no_terms(const FittedModel& model) {
  if (!model.choice().schema.terms.empty())
    throw UsageError("marginal utilities, elasticities and values of " + beyond_words(model.choice().schema) +
                     " are not computed where its utility has terms; compare two scenarios (what_if), which "
                     "follow the terms");
}

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

double weight_of(const ChoiceData& data, std::size_t situation) {
  return data.weights.empty() ? 1 : data.weights[situation];
}

// Quantile of weighted values, by linear interpolation of the middle of their shares.
double weighted_quantile(std::vector<std::pair<double, double>> values, double level) {
  std::sort(values.begin(), values.end());
  double below = 0, value = values[0].first, at = 0;
  for (const auto& [next, share] : values) {
    const double middle = below + 0.5 * share;
    if (middle >= level)
      return middle == at || below == 0 ? next : value + (next - value) * (level - at) / (middle - at);
    below += share;
    value = next;
    at = middle;
  }
  return value;
}

}  // namespace

std::vector<double> beyond_elasticities(const FittedModel& model, const ChoiceData& base, Index x,
                                        ThreadPool& pool) {
  require_no_terms(model);
  const ChoiceResponses found = respond_beyond(model, base, x, pool);
  const std::size_t n = base.alternatives.size();
  std::vector<double> totals(n, 0), out(n * n, 0);
  for (std::size_t i = 0; i < base.chosen.size(); ++i) {
    const auto begin = static_cast<std::size_t>(base.begin[i]),
               size = static_cast<std::size_t>(base.size(static_cast<Index>(i)));
    const double* response = found.responses.data() + found.begins[i];
    for (std::size_t j = 0; j < size; ++j) {
      const auto row = static_cast<std::size_t>(base.classes[begin + j]);
      totals[row] += weight_of(base, i) * found.scores.probability[begin + j];
      for (std::size_t k = 0; k < size; ++k)
        out[row * n + static_cast<std::size_t>(base.classes[begin + k])] +=
            weight_of(base, i) * response[j * size + k] * base.attributes(static_cast<Index>(begin + k), x);
    }
  }
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t k = 0; k < n; ++k)
      out[j * n + k] = totals[j] > 0 ? out[j * n + k] / totals[j] : kUnknown;
  return out;
}

ChoiceSlopes beyond_slopes(const FittedModel& model, const ChoiceData& base, Index x, ThreadPool& pool) {
  require_no_terms(model);
  const ChoiceResponses found = respond_beyond(model, base, x, pool);
  const std::size_t n = base.alternatives.size();
  ChoiceSlopes out{base.alternatives, std::vector<double>(n, 0), std::vector<double>(n, 0)};
  std::vector<double> counts(n, 0);
  for (std::size_t i = 0; i < base.chosen.size(); ++i)
    for (auto j = static_cast<std::size_t>(base.begin[i]); j < static_cast<std::size_t>(base.begin[i + 1]);
         ++j) {
      const auto alternative = static_cast<std::size_t>(base.classes[j]);
      counts[alternative] += weight_of(base, i);
      out.mean[alternative] += weight_of(base, i) * found.slope[j];
      out.negative[alternative] += weight_of(base, i) * found.negative[j];
    }
  for (std::size_t a = 0; a < n; ++a) {
    out.mean[a] = counts[a] > 0 ? out.mean[a] / counts[a] : kUnknown;
    out.negative[a] = counts[a] > 0 ? out.negative[a] / counts[a] : kUnknown;
  }
  return out;
}

std::vector<double> beyond_ratios(const FittedModel& model, const ChoiceData& base, Index x, Index m) {
  require_no_terms(model);
  const BeyondModel beyond = make_beyond(model.choice().schema, base);
  const random_utility::Population population = beyond.model->population(model.choice().beyond);
  std::vector<std::pair<double, double>> all;
  std::vector<double> by;
  const auto count = static_cast<std::int32_t>(base.alternatives.size());
  for (std::int32_t a = 0; a < count; ++a) {
    std::vector<std::pair<double, double>> values;
    for (Index r = 0; r < population.coefficients.rows(); ++r) {
      double of_x = 0, of_m = 0;
      for (std::size_t k = 0; k < beyond.terms.size(); ++k) {
        const LinearTerm& term = beyond.terms[k];
        if (term.alternative >= 0 && term.alternative != a) continue;
        const double coefficient = population.coefficients(r, static_cast<Index>(k));
        of_x += term.attribute == x ? coefficient : 0;
        of_m += term.attribute == m ? coefficient : 0;
      }
      if (of_m != 0) values.emplace_back(of_x / of_m, population.shares[static_cast<std::size_t>(r)]);
    }
    for (const auto& [value, share] : values) all.emplace_back(value, share / count);
    by.push_back(values.empty() ? kUnknown : weighted_quantile(values, 0.5));
  }
  if (all.empty()) return {};
  std::vector<double> out = {weighted_quantile(all, 0.5), weighted_quantile(all, 0.25),
                             weighted_quantile(all, 0.75)};
  out.insert(out.end(), by.begin(), by.end());
  return out;
}

void require_common_money(const FittedModel& model, Index m) {
  const ChoiceSchema& schema = model.choice().schema;
  const std::vector<LinearTerm> terms = linear_terms(schema, model.choice().alternatives);
  bool differs = schema.latent.has_value();
  if (schema.random)
    for (const RandomCoefficients::One& one : schema.random->coefficients)
      differs |= terms[term_of(terms, one.name)].attribute == m;
  if (differs)
    throw UsageError(
        "the coefficient of " + in_quotes(schema.attributes[static_cast<std::size_t>(m)]) +
        " differs between persons, and the mean of a surplus divided by it need not exist; leave out "
        "`money`, or give money one coefficient");
}

}  // namespace bl
