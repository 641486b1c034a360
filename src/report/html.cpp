#include "report/html.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain/svg_parts.hpp"

namespace bl::report {

std::string escaped(const std::string& text) {
  return explain::svg_escaped(text);
}

std::string number(double value) {
  if (std::isnan(value)) return "–";
  if (std::isinf(value)) return value > 0 ? "∞" : "−∞";
  std::string text = fmt::format("{:.4g}", value == 0 ? 0.0 : value);
  if (const double size = std::abs(value); size >= 1e4 && size < 1e7) text = fmt::format("{:.0f}", value);
  if (text[0] == '-') text = "−" + text.substr(1);
  return text;
}

std::string percent(double share) {
  return std::isnan(share) ? "–" : fmt::format("{:.1f}%", 100 * share);
}

std::string with_error(double value, double error) {
  if (!std::isfinite(error) || error <= 0 || !std::isfinite(value)) return number(value);
  const int digits = std::clamp(static_cast<int>(1 - std::floor(std::log10(error))), 0, 8);
  const std::string text = fmt::format("{:.{}f}", value, digits);
  return fmt::format("{}{} ± {:.{}f}", text[0] == '-' ? "−" : "", text[0] == '-' ? text.substr(1) : text,
                     error, digits);
}

std::string table(const HtmlTable& t) {
  std::string out = "<div class=\"scroll\"><table>\n";
  if (!t.caption.empty()) out += "<caption>" + t.caption + "</caption>\n";
  out += "<thead><tr>";
  for (const std::string& column : t.columns) out += "<th scope=\"col\">" + column + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : t.rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i)
      out += i == 0 ? "<th scope=\"row\">" + row[i] + "</th>" : "<td>" + row[i] + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string section(const std::string& id, const std::string& title, const std::string& help,
                    const std::string& body) {
  return fmt::format(
      "<section id=\"{0}\" aria-labelledby=\"{0}-title\">\n<h2 id=\"{0}-title\">{1}</h2>\n<p "
      "class=\"help\">{2}</p>\n{3}</section>\n",
      id, title, help, body);
}

std::string details(const std::string& summary, const std::string& body, const std::string& id) {
  return fmt::format("<details{}><summary>{}</summary>\n{}</details>\n",
                     id.empty() ? "" : fmt::format(" id=\"{}\"", escaped(id)), summary, body);
}

std::string figure(const std::string& caption, const std::string& picture) {
  return "<figure>" + picture + "<figcaption>" + caption + "</figcaption></figure>\n";
}

std::string paragraph(const std::string& html, const char* kind) {
  return kind == nullptr ? "<p>" + html + "</p>\n" : fmt::format("<p class=\"{}\">{}</p>\n", kind, html);
}

}  // namespace bl::report
