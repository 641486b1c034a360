// Curves of a summary as text, LaTeX, Markdown and JSON.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/finite_json.hpp"
#include "base/markup.hpp"
#include "base/wrapped_text.hpp"
#include "summary/cells.hpp"
#include "summary/curve_estimates.hpp"

namespace bl {

namespace {

using nlohmann::json;

std::string p_words(double p) {
  return std::isnan(p) ? "not determined" : p < 0.0005 ? "p < 0.0005" : fmt::format("p = {:.3f}", p);
}

std::vector<std::string> tests_of(const EstimatedCurve& one) {
  std::vector<std::string> out;
  if (one.straight_degrees > 0)
    out.push_back(test_words("straight line", one.straight, one.straight_degrees, one.straight_p));
  out.push_back(test_words("no effect", one.flat, one.flat_degrees, one.flat_p));
  return out;
}

}  // namespace

std::string test_words(const char* hypothesis, double statistic, int degrees, double p) {
  if (std::isnan(p)) return fmt::format("{}: not determined by these rows", hypothesis);
  return fmt::format("{}: chi-squared {:.2f}, {} degree{} of freedom, {}", hypothesis, statistic, degrees,
                     degrees == 1 ? "" : "s", p_words(p));
}

json test_json(double statistic, int degrees, double p) {
  return {{"chi_squared", finite(statistic)}, {"degrees_of_freedom", degrees}, {"p", finite(p)}};
}

std::string curves_text(const InferenceSummary& s) {
  if (s.curves.empty()) return "";
  std::string out = fmt::format(
      "\nCurves, each with mean 0 over the training rows; {:g}% intervals point by point\n", 100 * s.level);
  for (const EstimatedCurve& one : s.curves) {
    out += std::string(kSummaryWidth, '-') + "\n" +
           wrapped("", one.name + ": " + one.in_words, 2, kSummaryWidth);
    for (std::size_t i = 0; i < one.at.size(); ++i)
      out += fmt::format("  at {:<19}{:>11}{:>11}{:>16}{:>9}{:>9}\n", fmt::format("{:.6g}", one.at[i]),
                         estimate_cell(one.value[i]), estimate_cell(one.standard_error[i]), "",
                         estimate_cell(one.lower[i]), estimate_cell(one.upper[i]));
    for (const std::string& test : tests_of(one)) out += "  " + test + "\n";
  }
  return out;
}

std::string curves_latex(const InferenceSummary& s) {
  std::string out;
  for (const EstimatedCurve& one : s.curves) {
    out += fmt::format("\\hline\n\\multicolumn{{7}}{{l}}{{{}: {}}} \\\\\n", latex_escaped(one.name),
                       latex_escaped(one.in_words));
    for (std::size_t i = 0; i < one.at.size(); ++i)
      out += fmt::format("\\quad at {:.6g} & {} & {} & & & {} & {} \\\\\n", one.at[i],
                         estimate_cell(one.value[i]), estimate_cell(one.standard_error[i]),
                         estimate_cell(one.lower[i]), estimate_cell(one.upper[i]));
    for (const std::string& test : tests_of(one))
      out += fmt::format("\\multicolumn{{7}}{{l}}{{\\quad {}}} \\\\\n", latex_escaped(test));
  }
  return out;
}

std::string curves_markdown(const InferenceSummary& s) {
  std::string out;
  for (const EstimatedCurve& one : s.curves) {
    out += fmt::format("\n{}: {}\n\n| at | value | std. err. | lower | upper |\n|---:|---:|---:|---:|---:|\n",
                       markdown_escaped(one.name), one.in_words);
    for (std::size_t i = 0; i < one.at.size(); ++i)
      out += fmt::format("| {:.6g} | {} | {} | {} | {} |\n", one.at[i], estimate_cell(one.value[i]),
                         estimate_cell(one.standard_error[i]), estimate_cell(one.lower[i]),
                         estimate_cell(one.upper[i]));
    out += "\n";
    for (const std::string& test : tests_of(one)) out += fmt::format("- {}\n", test);
  }
  return out;
}

json curves_json(const InferenceSummary& s) {
  json out = json::array();
  for (const EstimatedCurve& one : s.curves) {
    out.push_back({{"name", one.name},
                   {"in_words", one.in_words},
                   {"at", one.at},
                   {"value", finite(one.value)},
                   {"standard_error", finite(one.standard_error)},
                   {"lower", finite(one.lower)},
                   {"upper", finite(one.upper)},
                   {"no_effect", test_json(one.flat, one.flat_degrees, one.flat_p)}});
    if (one.straight_degrees > 0)
      out.back()["straight_line"] = test_json(one.straight, one.straight_degrees, one.straight_p);
  }
  return out;
}

}  // namespace bl
