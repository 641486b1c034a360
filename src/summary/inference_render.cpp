// Summaries and tests as text of 80 columns, JSON, CSV, LaTeX and Markdown.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/finite_json.hpp"
#include "base/markup.hpp"
#include "base/text.hpp"
#include "base/wrapped_text.hpp"
#include "bl/errors.hpp"
#include "bl/inference.hpp"
#include "bl/output.hpp"
#include "summary/cells.hpp"
#include "summary/curve_estimates.hpp"

namespace bl {

namespace {

using nlohmann::json;

constexpr std::size_t kNameColumn = 24;

// Six significant digits within ten characters.
std::string number(double value) {
  if (std::isnan(value)) return "-";
  const std::string text = fmt::format("{:.6g}", value);
  return text.size() <= 10 ? text : fmt::format("{:.3g}", value);
}

std::string probability(double p) {
  return std::isnan(p) ? "-" : fmt::format("{:.3f}", p);
}

std::string bounds_title(double level, bool upper) {
  const double tail = 0.5 * (1 - level);
  return fmt::format("{:.4g}", upper ? 1 - tail : tail);
}

std::string covariance_words(const InferenceSummary& s) {
  std::string text = s.covariance;
  for (const auto& [column, count] : s.clusters) text += fmt::format(", {} {}", count, column);
  return s.factor == "none" ? text : text + ", " + s.factor;
}

std::string starts_words(const InferenceSummary& s) {
  if (s.starts <= 1) return "from one start";
  return fmt::format("{} of {} starts", s.optima.empty() ? 0 : s.optima[0].starts, s.starts);
}

// Log-likelihoods to three digits after the point, as they are compared with published ones.
std::string likelihood(double value) {
  return fmt::format("{:.3f}", value);
}

std::vector<std::pair<std::string, std::string>> choice_facts(const InferenceSummary& s) {
  const ChoiceFacts& c = *s.choice;
  return {{"Choice", s.response},
          {"Log-likelihood", likelihood(s.log_likelihood)},
          {"Among", fmt::format("{} alternatives", c.alternatives)},
          {"Null log-lik.", likelihood(c.null_log_likelihood)},
          {"Model", s.model},
          {"Rho-square", fmt::format("{:.6f}", c.rho_square)},
          {"Situations", std::to_string(s.rows)},
          {"Adjusted", fmt::format("{:.6f}", c.adjusted_rho_square)},
          {"Persons", c.persons > 0 ? std::to_string(c.persons) : "not known"},
          {"AIC", likelihood(s.aic)},
          {"Parameters", std::to_string(s.parameters)},
          {"BIC", likelihood(s.bic)},
          {"Covariance", covariance_words(s)},
          {"Minimum", starts_words(s)},
          {"Units", s.standardised ? "standardised" : "of the data"},
          {"Gradient", fmt::format("{:.1e}", s.gradient)}};
}

std::vector<std::pair<std::string, std::string>> facts(const InferenceSummary& s) {
  if (s.choice) return choice_facts(s);
  return {{"Response", s.response},
          {"Log-likelihood", number(s.log_likelihood)},
          {"Model", s.model},
          {"AIC", number(s.aic)},
          {"Rows", std::to_string(s.rows)},
          {"BIC", number(s.bic)},
          {"Parameters", std::to_string(s.parameters)},
          {s.objective == "likelihood" ? "Mean loss" : "Mean loss, " + s.objective, number(s.loss)},
          {"Covariance", covariance_words(s)},
          {"Minimum", starts_words(s)},
          {"Units", s.standardised ? "standardised" : "of the data"},
          {"Gradient", fmt::format("{:.1e}", s.gradient)}};
}

std::string text_row(const EstimatedParameter& one, bool bootstrapped) {
  std::string line = one.name.size() <= kNameColumn ? fmt::format("{:<{}}", one.name, kNameColumn)
                                                    : one.name + "\n" + std::string(kNameColumn, ' ');
  line += fmt::format("{:>11}", estimate_cell(one.estimate));
  if (!one.state.empty()) return line + fmt::format("  ({})", one.state);
  line += fmt::format("{:>11}", estimate_cell(one.standard_error));
  if (bootstrapped)
    line += fmt::format("{:>11}", estimate_cell(one.bootstrap_error));
  else
    line +=
        fmt::format("{:>9}{:>7}", std::isnan(one.z) ? "-" : fmt::format("{:.2f}", one.z), probability(one.p));
  return line + fmt::format("{:>{}}{:>{}}", estimate_cell(one.lower), bootstrapped ? 11 : 9,
                            estimate_cell(one.upper), bootstrapped ? 11 : 9);
}

std::string optima_text(const InferenceSummary& s) {
  if (s.starts <= 1) return "";
  std::string out = "\nOptima found          loss    starts\n";
  const std::size_t shown = std::min<std::size_t>(s.optima.size(), 5);
  for (std::size_t i = 0; i < shown; ++i)
    out += fmt::format("{:>12}  {:>12.8f}  {:>8}\n", i + 1, s.optima[i].loss, s.optima[i].starts);
  if (shown < s.optima.size()) out += fmt::format("  and {} more\n", s.optima.size() - shown);
  return out;
}

int rows_with_estimates(const InferenceSummary& s) {
  return static_cast<int>(std::count_if(s.estimates.begin(), s.estimates.end(), [](const auto& one) {
    return one.state.empty() || one.state == "runs away";
  }));
}

std::string footer(const InferenceSummary& s) {
  std::string out = fmt::format(
      "Information: smallest eigenvalue {:.2e} (unit diagonal), condition {:.2e}{}\n", s.smallest_eigenvalue,
      s.condition, s.unidentified.empty() ? "" : "\n  of the identified part");
  if (s.choice && rows_with_estimates(s) > s.parameters)
    out += fmt::format("{} rows for {} parameters: in original units a constant follows from others\n",
                       rows_with_estimates(s), s.parameters);
  if (s.bootstrap > 0) out += fmt::format("Bootstrap: {} resamples\n", s.bootstrap);
  out += optima_text(s);
  if (!s.unidentified.empty()) out += "\nNot identified by these rows:\n";
  for (const std::string& one : s.unidentified) out += wrapped("  ", one, 4, kSummaryWidth);
  if (!s.notes.empty()) out += "\nNotes:\n";
  for (const std::string& note : s.notes) out += wrapped("  ", note, 4, kSummaryWidth);
  return out;
}

std::string text(const InferenceSummary& s) {
  const std::string rule(kSummaryWidth, '='), thin(kSummaryWidth, '-');
  std::string out = rule + "\n";
  const auto all = facts(s);
  for (std::size_t i = 0; i < all.size(); i += 2) {
    std::string left = fmt::format("{:<12}{}", all[i].first + ":", all[i].second);
    const std::string right = fmt::format("{:<16}{:>15}", all[i + 1].first + ":", all[i + 1].second);
    if (left.size() + right.size() + 2 > kSummaryWidth) {
      out += left.substr(0, kSummaryWidth) + "\n";
      left.clear();
    }
    out += fmt::format("{:<{}}{}\n", left, kSummaryWidth - right.size(), right);
  }
  out += rule + "\n";
  const bool boot = s.bootstrap > 0;
  const std::string low = "[" + bounds_title(s.level, false), high = bounds_title(s.level, true) + "]";
  out += boot ? fmt::format("{:<24}{:>11}{:>11}{:>11}{:>11}{:>11}\n", "", "estimate", "std.err.", "bootstrap",
                            low, high)
              : fmt::format("{:<24}{:>11}{:>11}{:>9}{:>7}{:>9}{:>9}\n", "", "estimate", "std.err.", "z",
                            "P>|z|", low, high);
  out += thin + "\n";
  for (const EstimatedParameter& one : s.estimates)
    if (!one.of_bend) out += text_row(one, boot) + "\n";
  return out + rule + "\n" + footer(s) + curves_text(s) + products_text(s);
}

json to_json(const InferenceSummary& s) {
  json estimates = json::array(), optima = json::array(), clusters = json::array();
  for (const EstimatedParameter& one : s.estimates)
    estimates.push_back({{"name", one.name},
                         {"estimate", finite(one.estimate)},
                         {"standard_error", finite(one.standard_error)},
                         {"z", finite(one.z)},
                         {"p", finite(one.p)},
                         {"lower", finite(one.lower)},
                         {"upper", finite(one.upper)},
                         {"bootstrap_error", finite(one.bootstrap_error)},
                         {"state", one.state}});
  for (const OptimumFound& one : s.optima)
    optima.push_back({{"loss", one.loss}, {"gradient", one.gradient}, {"starts", one.starts}});
  for (const auto& [column, count] : s.clusters) clusters.push_back({{"column", column}, {"count", count}});
  json out = {{"model", s.model},
              {"response", s.response},
              {"rows", s.rows},
              {"objective", s.objective},
              {"loss", s.loss},
              {"log_likelihood", finite(s.log_likelihood)},
              {"aic", finite(s.aic)},
              {"bic", finite(s.bic)},
              {"parameters", s.parameters},
              {"covariance", s.covariance},
              {"finite_sample_factor", s.factor},
              {"clusters", clusters},
              {"level", s.level},
              {"units", s.standardised ? "standardised" : "original"},
              {"gradient", s.gradient},
              {"starts", s.starts},
              {"optima", optima},
              {"smallest_eigenvalue", s.smallest_eigenvalue},
              {"condition", s.condition},
              {"not_identified", s.unidentified},
              {"notes", s.notes},
              {"bootstrap", s.bootstrap},
              {"digest", s.digest},
              {"estimates", estimates},
              {"covariance_matrix", finite(s.covariance_matrix)}};
  if (s.choice)
    out["choice"] = {{"alternatives", s.choice->alternatives},
                     {"persons", s.choice->persons},
                     {"null_log_likelihood", finite(s.choice->null_log_likelihood)},
                     {"rho_square", finite(s.choice->rho_square)},
                     {"adjusted_rho_square", finite(s.choice->adjusted_rho_square)}};
  if (!s.curves.empty()) out["curves"] = curves_json(s);
  if (!s.products.empty()) out["products"] = products_json(s);
  return out;
}

std::string csv(const InferenceSummary& s) {
  OutputTable table;
  table.rows = s.estimates.size();
  table.columns = {{"name", {}, {}}, {"estimate", {}, {}}, {"standard_error", {}, {}}, {"z", {}, {}},
                   {"p", {}, {}},    {"lower", {}, {}},    {"upper", {}, {}}};
  if (s.bootstrap > 0) table.columns.push_back({"bootstrap_error", {}, {}});
  table.columns.push_back({"state", {}, {}});
  for (const EstimatedParameter& one : s.estimates) {
    table.columns[0].texts.push_back(one.name);
    const double numbers[] = {one.estimate, one.standard_error, one.z, one.p, one.lower,
                              one.upper,    one.bootstrap_error};
    for (std::size_t k = 1; k + 1 < table.columns.size(); ++k)
      table.columns[k].numbers.push_back(numbers[k - 1]);
    table.columns.back().texts.push_back(one.state);
  }
  return format_table(table, TableFormat::csv, true);
}

std::string latex(const InferenceSummary& s) {
  std::string out = "\\begin{tabular}{lrrrrrr}\n\\hline\n";
  out += fmt::format(" & Estimate & Std.\\ err. & $z$ & $p$ & [{} & {}] \\\\\n\\hline\n",
                     bounds_title(s.level, false), bounds_title(s.level, true));
  for (const EstimatedParameter& one : s.estimates)
    if (!one.of_bend)
      out += fmt::format(
          "{} & {} & {} & {} & {} & {} & {} \\\\\n", latex_escaped(one.name), estimate_cell(one.estimate),
          one.state.empty() ? estimate_cell(one.standard_error) : one.state, estimate_cell(one.z),
          probability(one.p), estimate_cell(one.lower), estimate_cell(one.upper));
  out += curves_latex(s) + products_latex(s);
  out += "\\hline\n";
  for (const auto& [name, value] : facts(s))
    out += fmt::format("\\multicolumn{{7}}{{l}}{{{}: {}}} \\\\\n", latex_escaped(name), latex_escaped(value));
  for (const std::string& one : s.unidentified)
    out += fmt::format("\\multicolumn{{7}}{{l}}{{Not identified: {}}} \\\\\n", latex_escaped(one));
  return out + "\\hline\n\\end{tabular}\n";
}

std::string markdown(const InferenceSummary& s) {
  std::string out = fmt::format(
      "| | estimate | std. err. | z | P>\\|z\\| | [{} | {}] |\n|---|---:|---:|---:|---:|---:|---:|\n",
      bounds_title(s.level, false), bounds_title(s.level, true));
  for (const EstimatedParameter& one : s.estimates) {
    if (one.of_bend) continue;
    out += fmt::format(
        "| {} | {} | {} | {} | {} | {} | {} |\n", markdown_escaped(one.name), estimate_cell(one.estimate),
        one.state.empty() ? estimate_cell(one.standard_error) : one.state, estimate_cell(one.z),
        probability(one.p), estimate_cell(one.lower), estimate_cell(one.upper));
  }
  out += curves_markdown(s) + products_markdown(s) + "\n";
  for (const auto& [name, value] : facts(s)) out += fmt::format("- {}: {}\n", name, value);
  for (const std::string& one : s.unidentified) out += fmt::format("- Not identified: {}\n", one);
  for (const std::string& note : s.notes) out += fmt::format("- {}\n", note);
  return out;
}

}  // namespace

std::string render(const InferenceSummary& summary, SummaryFormat format) {
  switch (format) {
    case SummaryFormat::text:
      return text(summary);
    case SummaryFormat::json:
      return to_json(summary).dump(2) + "\n";
    case SummaryFormat::csv:
      return csv(summary);
    case SummaryFormat::latex:
      return latex(summary);
    case SummaryFormat::markdown:
      return markdown(summary);
  }
  return {};
}

std::string render(const std::vector<HypothesisTest>& tests, SummaryFormat format) {
  json list = json::array();
  std::string text;
  for (const HypothesisTest& test : tests) {
    list.push_back({{"kind", test.kind},
                    {"hypothesis", test.hypothesis},
                    {"chi_squared", test.statistic},
                    {"degrees_of_freedom", test.degrees},
                    {"p", test.p}});
    text += fmt::format("H0: {}\n  chi-squared {:.4f}, {} degree{} of freedom, p = {:.4g}\n", test.hypothesis,
                        test.statistic, test.degrees, test.degrees == 1 ? "" : "s", test.p);
  }
  return format == SummaryFormat::json ? json{{"tests", list}}.dump(2) + "\n" : text;
}

SummaryFormat summary_format(const std::string& name) {
  static const std::map<std::string, SummaryFormat> formats = {{"text", SummaryFormat::text},
                                                               {"json", SummaryFormat::json},
                                                               {"csv", SummaryFormat::csv},
                                                               {"latex", SummaryFormat::latex},
                                                               {"markdown", SummaryFormat::markdown}};
  const auto found = formats.find(name);
  if (found == formats.end())
    throw UsageError(fmt::format("`format` = '{}': expected text, json, csv, latex or markdown", name));
  return found->second;
}

}  // namespace bl
