// Products of two curves of a summary as text, LaTeX, Markdown and JSON: grids of values with their errors.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/finite_json.hpp"
#include "base/joined.hpp"
#include "base/markup.hpp"
#include "base/wrapped_text.hpp"
#include "summary/cells.hpp"
#include "summary/curve_estimates.hpp"

namespace bl {

namespace {

using nlohmann::json;

// A grid has at most 7 knots across, which fill a line of kSummaryWidth.
constexpr std::size_t kKnotWidth = 9, kCellWidth = 10;

// The text, or the value in fewer digits where it is longer than a cell.
std::string narrow(const std::string& text, double value) {
  constexpr std::size_t kLongest = kCellWidth - 3;  // a space, and two parentheses or a sign and a star
  if (text.size() <= kLongest) return text;
  const std::string four = fmt::format("{:.4g}", value);
  return four.size() <= kLongest ? four : fmt::format("{:.2g}", value);
}

std::string knot_cell(double knot) {
  return narrow(fmt::format("{:.6g}", knot), knot);
}

// With a star where the interval leaves out zero.
std::string value_cell(const EstimatedProduct& one, std::size_t i) {
  return narrow(estimate_cell(one.value[i]), one.value[i]) +
         (one.lower[i] > 0 || one.upper[i] < 0 ? "*" : "");
}

std::string error_cell(const EstimatedProduct& one, std::size_t i) {
  return "(" + narrow(estimate_cell(one.standard_error[i]), one.standard_error[i]) + ")";
}

std::string axes_words(const EstimatedProduct& one) {
  return one.first + " down, " + one.second + " across";
}

std::string legend(const InferenceSummary& s) {
  return fmt::format("standard errors in parentheses, * where the {:g}% interval leaves out 0",
                     100 * s.level);
}

std::string effect_test(const EstimatedProduct& one) {
  return test_words("no effect", one.flat, one.flat_degrees, one.flat_p);
}

// A line of knots of the second column, then one for each knot of the first.
std::vector<std::vector<std::string>> grid_lines(const EstimatedProduct& one, const std::string& corner) {
  std::vector<std::vector<std::string>> out = {{corner}};
  for (const double knot : one.second_at) out[0].push_back(knot_cell(knot));
  for (const double knot : one.first_at) {
    const std::size_t from = (out.size() - 1) * one.second_at.size();
    out.push_back({knot_cell(knot)});
    for (std::size_t j = 0; j < one.second_at.size(); ++j)
      out.back().push_back(value_cell(one, from + j) + " " + error_cell(one, from + j));
  }
  return out;
}

// Values, and below them their errors.
std::string grid_text(const EstimatedProduct& one) {
  std::string out(kKnotWidth, ' ');
  for (const double knot : one.second_at) out += fmt::format("{:>{}} ", knot_cell(knot), kCellWidth - 1);
  out.back() = '\n';
  for (std::size_t i = 0; i < one.first_at.size(); ++i) {
    std::string values = fmt::format("{:<{}}", "  " + knot_cell(one.first_at[i]), kKnotWidth);
    std::string errors(kKnotWidth, ' ');
    for (std::size_t j = 0; j < one.second_at.size(); ++j) {
      const std::size_t at = i * one.second_at.size() + j;
      const std::string value = value_cell(one, at);
      values += fmt::format("{:>{}}", value + (value.back() == '*' ? "" : " "), kCellWidth);
      errors += fmt::format("{:>{}}", error_cell(one, at), kCellWidth);
    }
    while (values.back() == ' ') values.pop_back();
    out += values + "\n" + errors + "\n";
  }
  return out;
}

}  // namespace

std::string products_text(const InferenceSummary& s) {
  if (s.products.empty()) return "";
  std::string out =
      "\n" + wrapped("", "Products of two curves, beyond the curves of their columns; " + legend(s), 0,
                     kSummaryWidth);
  for (const EstimatedProduct& one : s.products)
    out += std::string(kSummaryWidth, '-') + "\n" +
           wrapped("", one.name + ": " + one.in_words, 2, kSummaryWidth) +
           wrapped("  ", axes_words(one), 4, kSummaryWidth) + grid_text(one) + "  " + effect_test(one) + "\n";
  return out;
}

std::string products_latex(const InferenceSummary& s) {
  std::string out;
  for (const EstimatedProduct& one : s.products) {
    std::string grid;
    for (const auto& line : grid_lines(one, ""))
      grid += joined(line, " & ") + (grid.empty() ? " \\\\ \\hline\n" : " \\\\\n");
    out += fmt::format(
        "\\hline\n\\multicolumn{{7}}{{l}}{{{}: {}}} \\\\\n\\multicolumn{{7}}{{l}}{{\\quad "
        "\\begin{{tabular}}{{r|{}}}\n{}\\end{{tabular}}}} \\\\\n",
        latex_escaped(one.name), latex_escaped(one.in_words), std::string(one.second_at.size(), 'r'), grid);
    for (const std::string& line : {axes_words(one) + "; " + legend(s), effect_test(one)})
      out += fmt::format("\\multicolumn{{7}}{{l}}{{\\quad {}}} \\\\\n", latex_escaped(line));
  }
  return out;
}

std::string products_markdown(const InferenceSummary& s) {
  std::string out;
  for (const EstimatedProduct& one : s.products) {
    out += fmt::format("\n{}: {}; {}\n\n", markdown_escaped(one.name), markdown_escaped(one.in_words),
                       markdown_escaped(legend(s)));
    const auto lines = grid_lines(one, axes_words(one));
    for (std::size_t i = 0; i < lines.size(); ++i) {
      for (const std::string& cell : lines[i]) out += "| " + markdown_escaped(cell) + " ";
      out += "|\n";
      for (std::size_t j = 0; i == 0 && j < lines[0].size(); ++j) out += "|---:";
      if (i == 0) out += "|\n";
    }
    out += fmt::format("\n- {}\n", effect_test(one));
  }
  return out;
}

json products_json(const InferenceSummary& s) {
  json out = json::array();
  for (const EstimatedProduct& one : s.products) {
    const std::size_t width = one.second_at.size();
    out.push_back({{"name", one.name},
                   {"in_words", one.in_words},
                   {"columns", {one.first, one.second}},
                   {"at", {one.first_at, one.second_at}},
                   {"value", finite_rows(one.value, width)},
                   {"standard_error", finite_rows(one.standard_error, width)},
                   {"lower", finite_rows(one.lower, width)},
                   {"upper", finite_rows(one.upper, width)},
                   {"no_effect", test_json(one.flat, one.flat_degrees, one.flat_p)}});
  }
  return out;
}

}  // namespace bl
