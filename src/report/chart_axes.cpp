#include "report/chart_axes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html.hpp"

namespace bl::report {

std::vector<double> ticks(double low, double high, int count) {
  const double rough = (high - low) / count;
  if (!(rough > 0) || !std::isfinite(rough)) return {low};
  const double unit = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * unit;
  for (const double factor : {5.0, 2.0, 1.0})
    if (factor * unit >= rough) step = factor * unit;
  std::vector<double> out;
  for (double at = std::ceil(low / step - 1e-9) * step; at <= high + 1e-9 * step; at += step)
    out.push_back(std::abs(at) < 1e-9 * step ? 0 : at);
  return out;
}

void Frame::set_range(double x_from, double x_to, double y_from, double y_to) {
  const auto widen = [](double& low, double& high) {
    if (!std::isfinite(low) || !std::isfinite(high)) low = 0, high = 1;
    const double least = 1e-9 * std::max(std::abs(low), 1e-9);
    if (high - low > least) return;
    const double room = low == 0 ? 0.5 : 0.05 * std::abs(low);
    low -= room;
    high += room;
  };
  widen(x_from, x_to);
  widen(y_from, y_to);
  x_low = x_from, x_high = x_to, y_low = y_from, y_high = y_to;
}

double Frame::y(double value) const {
  const double share = std::clamp((value - y_low) / (y_high - y_low), -0.02, 1.02);
  return bottom() - plot_height() * share;
}

std::string picture_start(double width, double height, const std::string& title) {
  return fmt::format("<svg role=\"img\" viewBox=\"0 0 {:.0f} {:.0f}\" class=\"chart\" aria-label=\"{}\">",
                     width, height, escaped(title));
}

std::string Frame::start(const std::string& title) const {
  return picture_start(width, height, title);
}

std::string Frame::axes(const std::string& x_label, const std::string& y_label) const {
  std::string out = "<g class=\"axis\">";
  for (const double at : ticks(y_low, y_high, 4))
    out += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/><text x=\"{3:.1f}\" "
        "y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5}</text>",
        left, right(), y(at), left - 6, y(at) + 4, number(at));
  for (const double at : ticks(x_low, x_high, 5))
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>", x(at),
                       bottom() + 16, number(at));
  out += fmt::format("<text class=\"label\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>", right(),
                     height - 6, escaped(x_label));
  out += fmt::format(
      "<text class=\"label\" transform=\"translate(12,{:.1f}) rotate(-90)\" text-anchor=\"end\">{}</text>",
      top, escaped(y_label));
  return out + "</g>";
}

}  // namespace bl::report
