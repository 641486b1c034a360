#include "report/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain/svg_parts.hpp"
#include "report/chart_axes.hpp"
#include "report/html.hpp"

namespace bl::report {

namespace {

std::string points(const Frame& f, const std::vector<double>& x, const std::vector<double>& y) {
  std::string out;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (std::isfinite(y[i]))
      out += fmt::format("{}{:.1f},{:.1f}", out.empty() ? "" : " ", f.x(x[i]), f.y(y[i]));
  return out;
}

std::string stairs(const Frame& f, const Line& line) {
  std::string out;
  for (std::size_t i = 0; i < line.x.size(); ++i) {
    if (i > 0) out += fmt::format(" {:.1f},{:.1f}", f.x(line.x[i]), f.y(line.y[i - 1]));
    out += fmt::format("{}{:.1f},{:.1f}", i == 0 ? "" : " ", f.x(line.x[i]), f.y(line.y[i]));
  }
  return out;
}

std::string band(const Frame& f, const Line& line, std::size_t style) {
  if (line.lower.empty()) return {};
  std::vector<double> back_x(line.x.rbegin(), line.x.rend()), back_y(line.lower.rbegin(), line.lower.rend());
  return fmt::format("<polygon class=\"band s{}\" points=\"{} {}\"/>", style, points(f, line.x, line.upper),
                     points(f, back_x, back_y));
}

std::string rug(const Frame& f, const std::vector<double>& shares) {
  constexpr double kHighest = 26;
  if (shares.empty()) return {};
  const double top = *std::max_element(shares.begin(), shares.end());
  const double step = f.plot_width() / static_cast<double>(shares.size());
  std::string out = "<g class=\"rug\">";
  for (std::size_t i = 0; i < shares.size() && top > 0; ++i) {
    const double height = kHighest * shares[i] / top;
    out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>",
                       f.left + step * static_cast<double>(i), f.bottom() - height, std::max(1.0, step - 1),
                       height);
  }
  return out + "</g>";
}

void include(double value, double& low, double& high) {
  if (!std::isfinite(value)) return;
  low = std::isnan(low) ? value : std::min(low, value);
  high = std::isnan(high) ? value : std::max(high, value);
}

Frame frame_of(const LineChart& chart) {
  Frame f;
  double x_low = kNone, x_high = kNone, y_low = kNone, y_high = kNone;
  for (const Line& line : chart.lines) {
    for (const double x : line.x) include(x, x_low, x_high);
    for (const auto* values : {&line.y, &line.lower, &line.upper})
      for (const double y : *values) include(y, y_low, y_high);
  }
  const double room = std::isnan(y_low) ? 0 : 0.05 * (y_high - y_low);
  f.set_range(x_low, x_high, std::isnan(chart.y_low) ? y_low - room : chart.y_low,
              std::isnan(chart.y_high) ? y_high + room : chart.y_high);
  return f;
}

}  // namespace

std::string line_chart(const LineChart& chart) {
  const Frame f = frame_of(chart);
  std::string out = f.start(chart.title) + f.axes(chart.x_label, chart.y_label) + rug(f, chart.histogram);
  if (chart.diagonal)
    out += fmt::format("<line class=\"reference\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>",
                       f.x(f.x_low), f.y(f.x_low), f.x(f.x_high), f.y(f.x_high));
  for (const double mark : chart.marks)
    if (mark >= f.x_low && mark <= f.x_high)
      out += fmt::format("<line class=\"mark\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>",
                         f.x(mark), f.top, f.bottom());
  for (std::size_t i = 0; i < chart.lines.size(); ++i) out += band(f, chart.lines[i], i % kStyles);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const Line& line = chart.lines[i];
    out += fmt::format("<polyline class=\"line s{}\" points=\"{}\">", i % kStyles,
                       chart.steps ? stairs(f, line) : points(f, line.x, line.y));
    if (!line.label.empty()) out += "<title>" + escaped(line.label) + "</title>";
    out += "</polyline>";
  }
  return out + "</svg>";
}

std::string figure(const NamedChart& chart) {
  const std::string note = chart.note.empty() ? "" : ", " + escaped(chart.note);
  return figure("<b>" + escaped(chart.name) + "</b>" + note, chart.svg);
}

std::string legend(const std::vector<std::string>& labels) {
  if (labels.empty() || (labels.size() == 1 && labels[0].empty())) return {};
  std::string out = "<p class=\"legend\">";
  for (std::size_t i = 0; i < labels.size(); ++i)
    out += fmt::format(
        "<span><svg width=\"28\" height=\"10\" aria-hidden=\"true\"><line class=\"line s{}\" x1=\"1\" "
        "x2=\"27\" "
        "y1=\"5\" y2=\"5\"/></svg> {}</span> ",
        i % kStyles, escaped(labels[i]));
  return out + "</p>\n";
}

std::string histogram_chart(const std::string& title, const std::string& x_label,
                            const std::vector<double>& shares, double low, double high) {
  Frame f;
  const double even = 1 / static_cast<double>(shares.size());
  const double top = std::max(even, *std::max_element(shares.begin(), shares.end()));
  f.set_range(low, high, 0, 1.1 * top);
  std::string out = f.start(title) + f.axes(x_label, "share of rows");
  const double step = f.plot_width() / static_cast<double>(shares.size());
  for (std::size_t i = 0; i < shares.size(); ++i)
    out += fmt::format(
        "<rect class=\"fill s0\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" "
        "height=\"{:.1f}\"><title>{}</title></rect>",
        f.left + step * static_cast<double>(i), f.y(shares[i]), step - 1, f.bottom() - f.y(shares[i]),
        percent(shares[i]));
  return out +
         fmt::format(
             "<line class=\"reference\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/></svg>",
             f.left, f.right(), f.y(even));
}

std::string heat_map(const HeatMap& map) {
  Frame f;
  f.set_range(map.x_low, map.x_high, map.y_low, map.y_high);
  double low = kNone, high = kNone;
  for (const auto& row : map.values)
    for (const double value : row) include(value, low, high);
  std::string cells;
  const double height = f.plot_height() / static_cast<double>(map.values.size());
  for (std::size_t r = 0; r < map.values.size(); ++r) {
    const double width = f.plot_width() / static_cast<double>(map.values[r].size());
    for (std::size_t c = 0; c < map.values[r].size(); ++c)
      cells += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill-opacity=\"{:.3f}\"/>",
          f.left + width * static_cast<double>(c), f.bottom() - height * static_cast<double>(r + 1),
          width + 0.3, height + 0.3,
          high > low ? 0.04 + 0.96 * (map.values[r][c] - low) / (high - low) : 0.5);
  }
  return f.start(fmt::format("{}: from {} (light) to {} (dark)", map.title, number(low), number(high))) +
         "<g class=\"heat\">" + cells + "</g>" + f.axes(map.x_label, map.y_label) + "</svg>";
}

}  // namespace bl::report
