#include "evidence/svg.hpp"

#include <fmt/format.h>

namespace bl::svg {

std::string text(double x, double y, const char* anchor, const std::string& content, int size) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\" font-size=\"{}\">{}</text>\n", x, y,
                     anchor, size, content);
}

std::string line(double x1, double y1, double x2, double y2, const std::string& style) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2,
                     style);
}

std::string dot(double x, double y, int radius, const char* color) {
  return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" fill=\"{}\"/>\n", x, y, radius, color);
}

std::string curve(const std::vector<std::pair<double, double>>& points, const std::string& style) {
  std::string places;
  for (const auto& [x, y] : points) places += fmt::format("{}{:.1f},{:.1f}", places.empty() ? "" : " ", x, y);
  return fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", places, style);
}

std::string page(double width, double height, const std::string& content) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n{2}</svg>\n",
      width, height, content);
}

std::string Panel::frame() const {
  return fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#444\"/>\n",
                     left, top, width, height);
}

std::string Panel::titles(const std::string& title, const std::string& x_label) const {
  return text(left + width / 2, top - 14, "middle", title, 14) +
         text(left + width / 2, bottom() + 38, "middle", x_label, 13);
}

std::string Panel::vertical(double x, const std::string& label) const {
  return line(x, top, x, bottom(), "stroke=\"#ddd\"") + text(x, bottom() + 18, "middle", label);
}

std::string Panel::horizontal(double y, const std::string& label) const {
  return line(left, y, right(), y, "stroke=\"#ddd\"") + text(left - 8, y + 4, "end", label);
}

}  // namespace bl::svg
