#include "report/picture_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "explain/svg_parts.hpp"
#include "report/html.hpp"

namespace bl::report {

namespace {

constexpr double kPanel = 380, kGap = 24, kName = 22, kMargin = 16, kHead = 34, kLegend = 26;
constexpr std::size_t kAcross = 3, kLongestTitle = 62;

// The rules of the page's style that charts need, without variables, which not every viewer knows. Colours of
// Okabe and Ito, and dashes beside them.
constexpr const char* kStyle =
    "<style>text{font:12px Helvetica,Arial,sans-serif;fill:#1b1f24}.title{font-size:17px;font-weight:bold}"
    ".name{font-weight:bold}.note{font-weight:normal;fill:#59636e}"
    ".axis line{stroke:#d5dae0}.axis text{font-size:11px;fill:#59636e}.axis "
    ".label{font-size:12px;fill:#1b1f24}"
    ".value{font-size:11.5px;fill:#59636e}.line{fill:none;stroke-width:2.2}.band{opacity:.18;stroke:none}"
    ".mark{stroke:#59636e}.reference{stroke:#59636e;stroke-dasharray:3 3}.rug rect{fill:#59636e;opacity:.25}";

std::string style() {
  constexpr const char* kColours[kStyles] = {"#0072b2", "#d55e00", "#009e73",
                                             "#b0568d", "#8a6d00", "#2f2f2f"};
  constexpr const char* kDashes[kStyles] = {"none", "7 3", "2 3", "9 3 2 3", "4 2", "1 2"};
  std::string out = kStyle;
  for (std::size_t i = 0; i < kStyles; ++i)
    out += fmt::format(".line.s{0}{{stroke:{1};stroke-dasharray:{2}}}.band.s{0},.fill.s{0}{{fill:{1}}}", i,
                       kColours[i], kDashes[i]);
  return out + "</style>\n";
}

struct Size {
  double width = kPanel, height = 0;
};

// As picture_start wrote it.
Size size_of(const std::string& svg) {
  Size size;
  const std::size_t at = svg.find("viewBox=");
  if (at != std::string::npos)
    (void)std::sscanf(svg.c_str() + at, "viewBox=\"0 0 %lf %lf", &size.width, &size.height);
  return size;
}

std::string panel(const NamedChart& chart, double x, double y) {
  const Size size = size_of(chart.svg);
  const std::string note = chart.note.empty() ? "" : ", " + chart.note;
  const std::string name = explain::svg_shortened(chart.name, kLongestTitle);
  return fmt::format(
             "<text class=\"name\" x=\"{:.0f}\" y=\"{:.0f}\">{}<tspan class=\"note\">{}</tspan></text>\n", x,
             y + 14, escaped(name), escaped(note)) +
         fmt::format("<svg x=\"{:.0f}\" y=\"{:.0f}\" width=\"{:.0f}\" height=\"{:.0f}\" {}\n", x, y + kName,
                     size.width, size.height, chart.svg.substr(5));
}

std::string legend_line(const std::vector<std::string>& labels, double y) {
  std::string out;
  double x = kMargin;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    out += fmt::format(
        "<line class=\"line s{}\" x1=\"{:.0f}\" x2=\"{:.0f}\" y1=\"{:.0f}\" y2=\"{:.0f}\"/><text "
        "x=\"{:.0f}\" "
        "y=\"{:.0f}\">{}</text>\n",
        i % kStyles, x, x + 28, y, y, x + 34, y + 4, escaped(labels[i]));
    x += 34 + explain::svg_text_width(labels[i]) + 24;
  }
  return out;
}

}  // namespace

std::string picture_sheet(const std::string& title, const std::vector<std::string>& legend,
                          const std::vector<NamedChart>& charts) {
  double y = kMargin + kHead + kLegend;
  std::string body;
  for (std::size_t i = 0; i < charts.size(); i += kAcross) {
    double tallest = 0;
    for (std::size_t k = i; k < std::min(i + kAcross, charts.size()); ++k) {
      body += panel(charts[k], kMargin + (kPanel + kGap) * static_cast<double>(k - i), y);
      tallest = std::max(tallest, size_of(charts[k].svg).height);
    }
    y += kName + tallest + kGap;
  }
  const auto across = static_cast<double>(std::clamp<std::size_t>(charts.size(), 2, kAcross));
  const double width = 2 * kMargin + across * kPanel + (across - 1) * kGap;
  return fmt::format(
             "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 "
             "{0:.0f} "
             "{1:.0f}\">\n",
             width, y) +
         style() + "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n" +
         fmt::format("<text class=\"title\" x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", kMargin, kMargin + 18,
                     escaped(title)) +
         legend_line(legend, kMargin + kHead + 4) + body + "</svg>\n";
}

}  // namespace bl::report
