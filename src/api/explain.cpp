#include "bl/explain.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "bl/errors.hpp"
#include "choice/beyond_text.hpp"
#include "choice/fit.hpp"
#include "explain/color.hpp"
#include "explain/fixed_level.hpp"
#include "explain/image_svg.hpp"
#include "explain/linear_text.hpp"
#include "explain/overview.hpp"
#include "explain/problem_json.hpp"
#include "explain/render.hpp"
#include "explain/svg.hpp"
#include "features/beyond_names.hpp"
#include "fitted/fitted_model.hpp"
#include "summary/curve_estimates.hpp"

namespace bl {

namespace {

explain::RenderOptions render_options(const ExplainOptions& options) {
  if (!(options.threshold >= 0 && options.threshold <= 1))
    throw UsageError(fmt::format("`threshold` = {}: expected a share from 0 to 1", options.threshold));
  return {.terms = options.terms.value_or(std::numeric_limits<std::size_t>::max()),
          .threshold = options.threshold,
          .block = options.block};
}

std::vector<std::string> response_names(const explain::Problem& problem) {
  std::vector<std::string> names;
  for (const explain::Variable& v : problem.variables)
    if (v.response) names.push_back(v.name);
  return names;
}

std::string render(const explain::Problem& problem, ExplainFormat format, const ExplainOptions& options,
                   const std::vector<explain::FactorReading>& readings) {
  explain::RenderOptions how = render_options(options);
  how.readings = readings;
  const auto text = [&] {
    return options.full || !options.block.empty() || !explain::is_large(problem)
               ? render_text(problem, how)
               : explain::overview_text(problem);
  };
  switch (format) {
    case ExplainFormat::text:
      return options.color ? explain::colored(text(), response_names(problem)) : text();
    case ExplainFormat::json:
      return explain_json(problem, how.readings).dump(2) + "\n";
    case ExplainFormat::latex:
      return render_latex(problem, how);
    case ExplainFormat::markdown:
      return render_markdown(problem, how);
    case ExplainFormat::dot:
      return render_dot(problem, how);
    case ExplainFormat::svg:
      return render_svg(problem, how);
  }
  return {};
}

// What terms stand for.
std::string terms_text(const ChoiceSchema& schema) {
  std::string out = schema.terms.empty() ? "" : "where\n";
  for (const ChoiceTerm& term : schema.terms)
    out += fmt::format("  {} = {}\n", term.name, term.expression.text());
  return out;
}

}  // namespace

std::string explain_model(const Model& model, ExplainFormat format, const ExplainOptions& options) {
  const FittedModel& m = model.impl();
  const ChoiceResponse* choice = m.stored.choice();
  if (choice == nullptr && !options.alternative.empty())
    throw UsageError("`alternative` is for models of choices among alternatives");
  const explain::Problem standardised = problem_of(m, explain::Units::standardised);
  explain::Problem problem = problem_with_stored_bands(
      m, options.standardised ? explain::Units::standardised : explain::Units::original);
  if (!options.alternative.empty())
    problem = explain::at_level(std::move(problem), kAlternative, options.alternative);
  if (const auto shape = explain::image_of(m.stored); shape && format == ExplainFormat::svg)
    if (const auto blocks = explain::image_blocks(standardised, options.block); !blocks.empty())
      return image_svg(m.stored, *shape, blocks);
  const bool whole = options.alternative.empty() && options.block.empty();
  if (format == ExplainFormat::text && whole && choice != nullptr && choice->schema.linear)
    return explain::linear_text(problem, kAlternative, choice->alternatives) + terms_text(choice->schema) +
           (choice->schema.beyond_logit() ? beyond_text(m) : "");
  if (format == ExplainFormat::text && whole && choice != nullptr && choice->schema.beyond_logit())
    return render(problem, format, options, {}) + terms_text(choice->schema) + beyond_text(m);
  if (choice != nullptr && choice->schema.beyond_logit())
    throw UsageError("of " + beyond_words(choice->schema) +
                     " the text alone shows all; its summary has other forms");
  ExplainOptions how = options;
  // Of a linear utility every coefficient counts, unless fewer are asked for.
  if (choice != nullptr && choice->schema.linear && !options.full) how.terms.reset();
  const std::string out = render(
      problem, format, how,
      choice == nullptr ? explain::common_factors(standardised) : std::vector<explain::FactorReading>{});
  const bool rivals = choice != nullptr && !choice->schema.rivals.empty();
  return format == ExplainFormat::text && rivals ? out + "\nNote: " + kRivalWords + ".\n" : out;
}

}  // namespace bl
