#include "explain/svg_parts.hpp"

#include <fmt/format.h>

#include "base/wrapped_text.hpp"

namespace bl::explain {

namespace {

constexpr double kLetter = 0.6;  // of the font size, for a letter of Helvetica on average

bool continues_letter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

std::size_t letters(const std::string& text) {
  std::size_t count = 0;
  for (const char c : text) count += continues_letter(c) ? 0U : 1U;
  return count;
}

}  // namespace

Point between(const Point& a, const Point& b, double share) {
  return {a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)};
}

std::string svg_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c == '"')
      out += "&quot;";
    else if (c == '\'')
      out += "&apos;";
    else
      out += static_cast<unsigned char>(c) < 32 || c == 127 ? ' ' : c;
  }
  return out;
}

std::string svg_shortened(const std::string& text, std::size_t length) {
  if (letters(text) <= length) return text;
  std::size_t count = 0, at = 0;
  while (at < text.size() && count < length - 1) {
    ++at;
    while (at < text.size() && continues_letter(text[at])) ++at;
    ++count;
  }
  return text.substr(0, at) + "\u2026";
}

double svg_text_width(const std::string& text) {
  return kLetter * kFont * static_cast<double>(letters(text));
}

std::string svg_text(const Point& at, const std::string& text, const std::string& attributes) {
  return fmt::format("<text x='{:.1f}' y='{:.1f}'{}{}>{}</text>\n", at.x, at.y, attributes.empty() ? "" : " ",
                     attributes, svg_escaped(text));
}

Paragraph svg_paragraph(const Point& at, const std::string& text, double width,
                        const std::string& attributes) {
  Paragraph out;
  if (text.empty()) return out;
  const auto fits = [&](const std::string& line) { return svg_text_width(line) <= width; };
  for (const std::string& line : set_in_lines("", words(text), "", fits))
    out.svg += svg_text({at.x, at.y + 1.25 * kFont * static_cast<double>(out.lines++)}, line, attributes);
  return out;
}

std::string svg_start(double width, double height) {
  std::string out = fmt::format(
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {0:.0f} {1:.0f}' width='{0:.0f}' "
      "height='{1:.0f}' font-family='Helvetica, Arial, sans-serif' font-size='{2}'>\n<defs>\n",
      width, height, kFont);
  for (const bool positive : {true, false})
    out += fmt::format(
        "<marker id='{}' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='9' markerHeight='9' "
        "markerUnits='userSpaceOnUse' orient='auto'><path d='M0 1L10 5L0 9z' fill='{}'/></marker>\n",
        positive ? "up" : "down", sign_color(positive));
  return out + "</defs>\n<rect width='100%' height='100%' fill='white'/>\n";
}

const char* sign_color(bool positive) {
  return positive ? kPositive : kNegative;
}

}  // namespace bl::explain
