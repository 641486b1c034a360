#include "report/uncertainty.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bl/choice.hpp"
#include "bl/inference.hpp"
#include "fitted/fitted_model.hpp"
#include "report/chart.hpp"
#include "report/html.hpp"

namespace bl::report {

namespace {

constexpr double kNormal = 1.959963984540054;  // 95%
constexpr std::size_t kDrawnRows = 60;

std::string choice_coefficients(const Model& model) {
  std::vector<IntervalRow> rows;
  HtmlTable out{
      .caption = "Errors: classical, robust (sandwich), and clustered by person where persons are known",
      .columns = {"coefficient", "estimate", "classical", "robust", "by person"},
      .rows = {}};
  for (const ChoiceCoefficient& c : coefficients(model)) {
    rows.push_back(
        {c.name, c.estimate, c.estimate - kNormal * c.robust_error, c.estimate + kNormal * c.robust_error});
    out.rows.push_back({escaped(c.name), number(c.estimate), number(c.standard_error), number(c.robust_error),
                        number(c.clustered_error)});
  }
  return figure(
             "95% intervals from robust standard errors. An interval that crosses zero: the data do not "
             "determine the sign. Hollow: no error is known.",
             interval_chart("Coefficients with 95% intervals", rows)) +
         table(out);
}

std::string stored_coefficients(const Model& model) {
  const InferenceSummary summary = stored_inference(model);
  std::vector<IntervalRow> rows;
  for (const EstimatedParameter& e : summary.estimates)
    if (rows.size() < kDrawnRows) rows.push_back({e.name, e.estimate, e.lower, e.upper});
  std::string out =
      figure(fmt::format("{:.0f}% intervals, {} covariance, {} rows. Hollow: at a bound, fixed, or not "
                         "identified by the data.",
                         100 * summary.level, escaped(summary.covariance), summary.rows),
             interval_chart("Coefficients with intervals", rows));
  if (summary.estimates.size() > rows.size())
    out += paragraph(fmt::format("The first {} of {} estimates; the summary lists all.", rows.size(),
                                 summary.estimates.size()));
  for (const std::string& note : summary.notes) out += paragraph(escaped(note), "note");
  return out;
}

}  // namespace

std::string coefficients_html(const Model& model) {
  if (!coefficients(model).empty()) return choice_coefficients(model);
  if (has_inference(model)) return stored_coefficients(model);
  return paragraph(
      "This model keeps no standard errors of its coefficients. They exist at a minimum of the loss on "
      "identified "
      "parameters; training that ends by validation rows stops before it, and members that are joined have "
      "many "
      "sets of coefficients with the same distribution. A summary from the rows takes a small model to its "
      "minimum; saved, the model keeps its covariance, and a report made of it shows intervals here. Until "
      "then, "
      "read "
      "uncertainty from the errors of the metrics and of the importances.",
      "note");
}

}  // namespace bl::report
