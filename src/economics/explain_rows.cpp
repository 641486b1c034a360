// One row decomposed: what every block and head adds, and what one more unit of a variable would change.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "bl/errors.hpp"
#include "bl/explain.hpp"
#include "economics/effects.hpp"
#include "economics/situations.hpp"
#include "explain/gradient.hpp"
#include "explain/hierarchy.hpp"
#include "explain/row_text.hpp"

namespace bl {

namespace {

using explain::Problem;
using explain::Variable;

bool has_responses(const FittedModel& model, const Table& table, Index row) {
  const auto& responses = model.stored.encoder.responses();
  return std::all_of(responses.begin(), responses.end(), [&](const ResponseEncoding& r) {
    const Column* column = table.find(r.name);
    return column != nullptr && !column->missing(row);
  });
}

std::string response_text(const FittedModel& model, const explain::Response& response) {
  std::string text;
  for (std::size_t k = 0; k < model.space.continuous_responses.size(); ++k) {
    const ResponseEncoding& r = model.stored.encoder.responses()[model.space.continuous_responses[k]];
    text += fmt::format("{}{} = {:.6g}", text.empty() ? "" : ", ", r.name, r.decode(response.values[k]));
  }
  if (model.space.classes() > 0)
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", model.space.class_name,
                        model.space.class_labels[static_cast<std::size_t>(response.class_index)]);
  return text;
}

// The utility of a response of the row, with all its parts.
explain::RowCase row_case(const FittedModel& model, const Problem& problem, const double* features,
                          const explain::Response& response) {
  Solution at = solution(problem, features, response);
  return {.title = {},
          .response = response_text(model, response),
          .output = at.output,
          .evaluation = std::move(at.evaluation)};
}

// The class of highest utility but for the one of `best`; a class response has two at least.
explain::RowCase next_best_class(const FittedModel& model, const Problem& problem, const double* features,
                                 const explain::RowCase& best) {
  explain::RowCase next;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::int32_t c = 0; c < model.space.classes(); ++c) {
    explain::RowCase one = row_case(model, problem, features, {{}, c});
    const double utility = one.evaluation.outputs[one.output];
    if (one.response == best.response || utility <= highest) continue;
    highest = utility;
    next = std::move(one);
  }
  next.title = "next best";
  return next;
}

// What one more unit of each number changes: the utility at the observed response, and the prediction.
std::string change_text(const FittedModel& model, const Problem& problem, const RowEffects& effects) {
  constexpr std::size_t kMostOutcomes = 2;  // that fit beside each other
  constexpr double kRounding = 1e-12;  // of the way to standardised units and back, in standard deviations
  const std::vector<std::string> outcomes = outcome_names(model);
  // Of two classes the second says all.
  const std::size_t first = outcomes.size() == 2 && model.space.classes() == 2 ? 1 : 0;
  const std::size_t last = std::min(outcomes.size(), first + kMostOutcomes);
  const bool utility = !effects.marginal.empty();
  std::string out = "\nIf a variable rises by one unit\n";
  out += fmt::format("  {:<18} {:>10}", "", "value");
  if (utility) out += fmt::format(" {:>11}", "utility");
  for (std::size_t m = first; m < last; ++m) out += fmt::format(" {:>11} {:>10}", outcomes[m], "elasticity");
  out += "\n";
  const std::vector<std::size_t> places = variables_with_derivatives(problem);
  for (std::size_t k = 0; k < places.size(); ++k) {
    const Variable& v = problem.variables[places[k]];
    if (v.response && !utility) continue;
    const double value = std::abs(effects.values[k]) < kRounding * v.scale ? 0 : effects.values[k];
    out += fmt::format("  {:<18} {:>10}", v.name, explain::number_text(value));
    if (utility) out += fmt::format(" {:>11}", fmt::format("{:+.4g}", effects.marginal[k]));
    for (std::size_t m = first; m < last && !v.response; ++m)
      out += fmt::format(" {:>11} {:>10}", fmt::format("{:+.4g}", effects.derivatives[m][k]),
                         fmt::format("{:+.3g}", effects.derivatives[m][k] * value / effects.outcomes[m]));
    out += "\n";
  }
  if (last < outcomes.size() && last > first)
    out += fmt::format("  and {} more classes; `economics` and `row` together have all\n",
                       outcomes.size() - last);
  return out;
}

// Where the utility is not smooth, both of its slopes.
std::string kink_text(const Problem& problem, const explain::RowCase& one, const RowEffects& effects) {
  std::string out;
  for (const explain::Head* head : explain::heads_at_kinks(problem, one.evaluation, kAtKink))
    out += fmt::format("  not smooth here: {} is at its kink\n", head->name);
  const std::vector<std::size_t> places = variables_with_derivatives(problem);
  for (std::size_t k = 0; k < effects.marginal.size(); ++k)
    if (effects.marginal[k] != effects.marginal_left[k])
      out += fmt::format("    {}: {:+.4g} per unit when it rises, {:+.4g} when it falls\n",
                         problem.variables[places[k]].name, effects.marginal[k], -effects.marginal_left[k]);
  return out;
}

}  // namespace

std::string explain_row(const Model& model, const Data& data, std::size_t row,
                        const ExplainOptions& options) {
  const Context job(1);
  if (model.is_choice()) return explain_situation(model.impl(), data.impl().table, row, options.block, job);
  const FittedModel& impl = model.impl();
  const Table& table = data.impl().table;
  if (row < 1 || row > static_cast<std::size_t>(table.rows))
    throw UsageError(fmt::format("`row` = {}: the data has rows 1 to {}", row, table.rows));
  const std::vector<Index> rows = {static_cast<Index>(row) - 1};
  const Problem problem = problem_of(impl, explain::Units::standardised);
  const Matrix<double> features = impl.stored.encoder.encode_features<double>(table, rows);
  std::vector<explain::RowCase> cases;
  std::optional<explain::Response> observed;
  if (has_responses(impl, table, rows[0])) {
    observed = observed_responses(impl, impl.stored.encoder.encode<double>(table, rows)).front();
    cases.push_back(row_case(impl, problem, features.row(0), *observed));
    cases.back().title = "observed";
  }
  cases.push_back(
      row_case(impl, problem, features.row(0), explain::best_response(impl.utility, features.row(0))));
  cases.back().title = "best";
  if (cases.size() == 2 && impl.space.values() == 0 && cases[0].response == cases[1].response) {
    cases[0].title = "observed and best";
    cases[1] = next_best_class(impl, problem, features.row(0), cases[0]);
  }
  const RowEffects effects =
      row_effects(impl, problem, features.row(0), observed, row_distributions(impl, features, job).front());
  const explain::RenderOptions render{.terms = 0, .threshold = 0, .block = options.block};
  std::string out = fmt::format("Row {} ({})\n\n", row, table.place(rows[0]));
  out += explain::render_row(problem, explain::leading_blocks(problem, render), cases);
  out += change_text(impl, problem, effects);
  return out + (observed ? kink_text(problem, cases.front(), effects) : "");
}

}  // namespace bl
