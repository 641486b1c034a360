#include "bl/explain.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "api/render_problem.hpp"
#include "api/row_law.hpp"
#include "bl/errors.hpp"
#include "explain/color.hpp"
#include "explain/problem_json.hpp"
#include "explain/render.hpp"
#include "explain/svg.hpp"

namespace bl {

namespace {

explain::RenderOptions render_options(const ExplainOptions& options) {
  if (!(options.threshold >= 0 && options.threshold <= 1))
    throw UsageError(fmt::format("threshold {}: expected a share from 0 to 1", options.threshold));
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

}  // namespace

std::string explain_model(const Model& model, ExplainFormat format, const ExplainOptions& options) {
  const explain::Problem standardised = problem_of(model.impl(), explain::Units::standardised);
  return render_problem(
      options.standardised ? standardised : problem_of(model.impl(), explain::Units::original), format,
      options, explain::common_factors(standardised));
}

std::string render_problem(const explain::Problem& problem, ExplainFormat format,
                           const ExplainOptions& options,
                           const std::vector<explain::FactorReading>& readings) {
  explain::RenderOptions render = render_options(options);
  render.readings = readings;
  switch (format) {
    case ExplainFormat::text:
      return options.color ? explain::colored(render_text(problem, render), response_names(problem))
                           : render_text(problem, render);
    case ExplainFormat::json:
      return explain_json(problem, render.readings).dump(2) + "\n";
    case ExplainFormat::latex:
      return render_latex(problem, render);
    case ExplainFormat::markdown:
      return render_markdown(problem, render);
    case ExplainFormat::dot:
      return render_dot(problem, render);
    case ExplainFormat::svg:
      return render_svg(problem, render);
  }
  return {};
}

}  // namespace bl
