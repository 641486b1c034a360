// Parts of a picture as SVG text.
#pragma once

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace bl::svg {

std::string text(double x, double y, const char* anchor, const std::string& content, int size = 12);
std::string line(double x1, double y1, double x2, double y2, const std::string& style);
std::string dot(double x, double y, int radius, const char* color);
std::string curve(const std::vector<std::pair<double, double>>& points, const std::string& style);
std::string page(double width, double height, const std::string& content);

struct Panel {
  double left, top, width, height;

  double bottom() const { return top + height; }
  double right() const { return left + width; }
  std::string frame() const;
  std::string titles(const std::string& title, const std::string& x_label) const;
  // Grid lines with what they stand for.
  std::string vertical(double x, const std::string& label) const;
  std::string horizontal(double y, const std::string& label) const;
};

// Logarithms, base 10, on both axes.
struct LogPanel : Panel {
  double x_low, x_high, y_low, y_high;

  double x(double value) const { return left + (std::log10(value) - x_low) / (x_high - x_low) * width; }
  double y(double value) const { return bottom() - (std::log10(value) - y_low) / (y_high - y_low) * height; }
};

}  // namespace bl::svg
