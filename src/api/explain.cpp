#include "bl/explain.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "api/impl.hpp"
#include "api/render_problem.hpp"
#include "bl/errors.hpp"
#include "explain/problem_json.hpp"
#include "explain/read_problem.hpp"
#include "explain/render.hpp"
#include "explain/svg.hpp"

namespace bl {

namespace {

explain::Problem problem_of(const Model::Impl& model, explain::Units units) {
  return explain::read_problem(model.stored, {model.space.class_name, model.space.class_labels}, units);
}

explain::RenderOptions render_options(const ExplainOptions& options) {
  if (!(options.threshold >= 0 && options.threshold <= 1))
    throw UsageError(fmt::format("threshold {}: expected a share from 0 to 1", options.threshold));
  return {.terms = options.terms.value_or(std::numeric_limits<std::size_t>::max()),
          .threshold = options.threshold,
          .block = options.block};
}

}  // namespace

std::string explain_model(const Model& model, ExplainFormat format, const ExplainOptions& options) {
  return render_problem(problem_of(model.impl(), options.standardised ? explain::Units::standardised
                                                                      : explain::Units::original),
                        format, options);
}

std::string render_problem(const explain::Problem& problem, ExplainFormat format,
                           const ExplainOptions& options) {
  const explain::RenderOptions render = render_options(options);
  switch (format) {
    case ExplainFormat::text:
      return render_text(problem, render);
    case ExplainFormat::json:
      return to_json(problem).dump(2) + "\n";
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
