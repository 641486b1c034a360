// A comparison as text of 80 columns, Markdown, LaTeX, JSON and CSV.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/finite_json.hpp"
#include "base/markup.hpp"
#include "base/text.hpp"
#include "base/wrapped_text.hpp"
#include "bl/compare.hpp"
#include "bl/output.hpp"
#include "summary/cells.hpp"

namespace bl {

namespace {

using nlohmann::json;
using Cell = Comparison::Cell;

constexpr std::size_t kNameWidth = 23, kColumnWidth = 14, kPerPanel = 4;

std::string compared_number(double value) {
  if (std::isnan(value)) return "-";
  const double size = std::abs(value);
  return size == 0 || (size >= 1e-3 && size < 1e6) ? fmt::format("{:.4f}", value)
                                                   : fmt::format("{:.3e}", value);
}

std::string estimate_text(const Cell& cell) {
  return cell.present ? compared_number(cell.estimate) : "";
}

std::string error_text(const Cell& cell) {
  if (!cell.present) return "";
  return cell.state.empty() ? "(" + compared_number(cell.standard_error) + ")" : cell.state;
}

struct Fact {
  const char* name;
  std::function<std::string(const Comparison::Column&)> text;
};

std::vector<Fact> facts_of(const Comparison& c) {
  const auto likelihood = [](double value) { return std::isnan(value) ? "-" : fmt::format("{:.3f}", value); };
  const bool choices = std::any_of(c.columns.begin(), c.columns.end(),
                                   [](const Comparison::Column& one) { return !std::isnan(one.rho_square); });
  std::vector<Fact> out = {
      {"Log-likelihood", [=](const Comparison::Column& one) { return likelihood(one.log_likelihood); }},
      {"Parameters", [](const Comparison::Column& one) { return std::to_string(one.parameters); }},
      {"AIC", [=](const Comparison::Column& one) { return likelihood(one.aic); }},
      {"BIC", [=](const Comparison::Column& one) { return likelihood(one.bic); }}};
  if (choices) {
    out.push_back(
        {"Rho-square", [](const Comparison::Column& one) { return compared_number(one.rho_square); }});
    out.push_back({"Adjusted rho-square",
                   [](const Comparison::Column& one) { return compared_number(one.adjusted_rho_square); }});
  }
  out.push_back(
      {"LR against the first", [=](const Comparison::Column& one) { return likelihood(one.lr_statistic); }});
  out.push_back({"  degrees of freedom", [](const Comparison::Column& one) {
                   return std::isnan(one.lr_statistic) ? std::string("-") : std::to_string(one.lr_degrees);
                 }});
  out.push_back({"  p", [](const Comparison::Column& one) {
                   return std::isnan(one.lr_p) ? "-" : fmt::format("{:.4g}", one.lr_p);
                 }});
  out.push_back({"Rows", [](const Comparison::Column& one) { return std::to_string(one.rows); }});
  out.push_back({"Errors", [](const Comparison::Column& one) { return one.covariance; }});
  return out;
}

std::string panel(const Comparison& c, std::size_t from, std::size_t to) {
  const std::string rule(kNameWidth + kColumnWidth * (to - from), '-');
  const auto line = [&](const std::string& name, auto&& text) {
    std::string out = name.size() <= kNameWidth ? fmt::format("{:<{}}", name, kNameWidth)
                                                : name + "\n" + std::string(kNameWidth, ' ');
    for (std::size_t m = from; m < to; ++m)
      out += fmt::format("{:>{}}", shortened(text(m), kColumnWidth - 1), kColumnWidth);
    out.erase(out.find_last_not_of(' ') + 1);
    return out + "\n";
  };
  std::string out = line("", [&](std::size_t m) { return c.columns[m].name; }) + rule + "\n";
  for (std::size_t k = 0; k < c.parameters.size(); ++k) {
    const bool any = std::any_of(c.cells[k].begin() + static_cast<std::ptrdiff_t>(from),
                                 c.cells[k].begin() + static_cast<std::ptrdiff_t>(to),
                                 [](const Cell& cell) { return cell.present; });
    if (!any) continue;
    out += line(c.parameters[k], [&](std::size_t m) { return estimate_text(c.cells[k][m]); });
    out += line("", [&](std::size_t m) { return error_text(c.cells[k][m]); });
  }
  out += rule + "\n";
  for (const Fact& fact : facts_of(c))
    out += line(fact.name, [&](std::size_t m) { return fact.text(c.columns[m]); });
  return out + rule + "\n";
}

std::string text(const Comparison& c) {
  std::string out;
  for (std::size_t from = 0; from < c.columns.size(); from += kPerPanel)
    out += (from > 0 ? "\n" : "") + panel(c, from, std::min(c.columns.size(), from + kPerPanel));
  for (const Comparison::Column& one : c.columns)
    out += wrapped("  ", one.name + ": " + one.model, 4, kSummaryWidth);
  for (const std::string& note : c.notes) out += wrapped("  ", note, 4, kSummaryWidth);
  return out;
}

std::string markdown(const Comparison& c) {
  const auto line = [&](const std::string& name, auto&& cell) {
    std::string out = "| " + markdown_escaped(name) + " |";
    for (std::size_t m = 0; m < c.columns.size(); ++m) out += " " + cell(m) + " |";
    return out + "\n";
  };
  std::string out = line("", [&](std::size_t m) { return markdown_escaped(c.columns[m].name); }) + "|---|";
  for (std::size_t m = 0; m < c.columns.size(); ++m) out += "---:|";
  out += "\n";
  for (std::size_t k = 0; k < c.parameters.size(); ++k)
    out += line(c.parameters[k], [&](std::size_t m) {
      const Cell& cell = c.cells[k][m];
      return cell.present ? estimate_text(cell) + " " + error_text(cell) : std::string();
    });
  for (const Fact& fact : facts_of(c))
    out += line(fact.name, [&](std::size_t m) { return fact.text(c.columns[m]); });
  out += "\n";
  for (const std::string& note : c.notes) out += "- " + note + "\n";
  return out;
}

std::string latex(const Comparison& c) {
  const auto line = [&](const std::string& name, auto&& cell) {
    std::string out = latex_escaped(name);
    for (std::size_t m = 0; m < c.columns.size(); ++m) out += " & " + latex_escaped(cell(m));
    return out + " \\\\\n";
  };
  std::string out = "\\begin{tabular}{l" + std::string(c.columns.size(), 'r') + "}\n\\hline\n";
  out += line("", [&](std::size_t m) { return c.columns[m].name; }) + "\\hline\n";
  for (std::size_t k = 0; k < c.parameters.size(); ++k) {
    out += line(c.parameters[k], [&](std::size_t m) { return estimate_text(c.cells[k][m]); });
    out += line("", [&](std::size_t m) { return error_text(c.cells[k][m]); });
  }
  out += "\\hline\n";
  for (const Fact& fact : facts_of(c))
    out += line(fact.name, [&](std::size_t m) { return fact.text(c.columns[m]); });
  return out + "\\hline\n\\end{tabular}\n";
}

json to_json(const Comparison& c) {
  json models = json::array(), parameters = json::array();
  for (const Comparison::Column& one : c.columns)
    models.push_back(
        {{"name", one.name},
         {"model", one.model},
         {"covariance", one.covariance},
         {"rows", one.rows},
         {"parameters", one.parameters},
         {"log_likelihood", finite(one.log_likelihood)},
         {"aic", finite(one.aic)},
         {"bic", finite(one.bic)},
         {"rho_square", finite(one.rho_square)},
         {"adjusted_rho_square", finite(one.adjusted_rho_square)},
         {"likelihood_ratio", finite(one.lr_statistic)},
         {"degrees_of_freedom", std::isnan(one.lr_statistic) ? json(nullptr) : json(one.lr_degrees)},
         {"p", finite(one.lr_p)}});
  for (std::size_t k = 0; k < c.parameters.size(); ++k) {
    json cells = json::array();
    for (const Cell& cell : c.cells[k])
      cells.push_back(cell.present ? json{{"estimate", finite(cell.estimate)},
                                          {"standard_error", finite(cell.standard_error)},
                                          {"state", cell.state}}
                                   : json(nullptr));
    parameters.push_back({{"name", c.parameters[k]}, {"by_model", cells}});
  }
  return {{"models", models}, {"parameters", parameters}, {"notes", c.notes}};
}

std::string csv(const Comparison& c) {
  OutputTable table;
  table.columns = {
      {"parameter", {}, {}}, {"model", {}, {}}, {"estimate", {}, {}}, {"standard_error", {}, {}}};
  for (std::size_t k = 0; k < c.parameters.size(); ++k)
    for (std::size_t m = 0; m < c.columns.size(); ++m) {
      if (!c.cells[k][m].present) continue;
      ++table.rows;
      table.columns[0].texts.push_back(c.parameters[k]);
      table.columns[1].texts.push_back(c.columns[m].name);
      table.columns[2].numbers.push_back(c.cells[k][m].estimate);
      table.columns[3].numbers.push_back(c.cells[k][m].standard_error);
    }
  return format_table(table, TableFormat::csv, true);
}

}  // namespace

std::string render(const Comparison& comparison, SummaryFormat format) {
  switch (format) {
    case SummaryFormat::text:
      return text(comparison);
    case SummaryFormat::json:
      return to_json(comparison).dump(2) + "\n";
    case SummaryFormat::csv:
      return csv(comparison);
    case SummaryFormat::latex:
      return latex(comparison);
    case SummaryFormat::markdown:
      return markdown(comparison);
  }
  return {};
}

}  // namespace bl
