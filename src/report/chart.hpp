// Charts as SVG. Drawn by our own small code: the page must be readable with scripts off, so charts are made
// here and not by a script in the page, and no C++ library of the distribution draws themable SVG.
//
// Colours and dashes come from the page's style (classes s0 ... s5), so that a chart follows light and dark.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace bl::report {

inline constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
inline constexpr std::size_t kStyles = 6;  // lines that can be told apart

struct Line {
  std::string label = {};
  std::vector<double> x = {}, y = {};
  std::vector<double> lower = {}, upper = {};  // a band, where given
};

struct LineChart {
  std::string title;  // for those who do not see it
  std::string x_label, y_label;
  std::vector<Line> lines;
  double y_low = kNone, y_high = kNone;  // taken from the lines where not given
  std::vector<double> histogram = {};    // shares of rows in bins of equal width over the range of x
  std::vector<double> marks = {};        // x of vertical lines
  bool diagonal = false;                 // what perfect would be
  bool steps = false;
};
std::string line_chart(const LineChart& chart);

// A chart with what stands beside it: a name and a note in plain text.
struct NamedChart {
  std::string name, note, svg;
};
std::string figure(const NamedChart& chart);

// Lines and their names, to stand under charts; nothing for a single line without a name.
std::string legend(const std::vector<std::string>& labels);

struct Bar {
  std::string label;
  double value = 0;
  double error = kNone;   // half a standard interval
  double second = kNone;  // compared with
};
struct BarChart {
  std::string title;
  std::vector<Bar> bars;
  bool percent = false;
  double high = kNone;  // end of the axis; taken from the bars where not given
  bool narrow = false;  // to stand beside charts with axes
};
std::string bar_chart(const BarChart& chart);

// Estimates with intervals and a line at zero. Without an interval the point is hollow.
struct IntervalRow {
  std::string label;
  double estimate = 0, lower = kNone, upper = kNone;
};
std::string interval_chart(const std::string& title, const std::vector<IntervalRow>& rows);

// Shares of rows in bins over [low, high], with the height that all bins would have if alike.
std::string histogram_chart(const std::string& title, const std::string& x_label,
                            const std::vector<double>& shares, double low, double high);

// Shares of a whole side by side; names of the parts are those of the legend.
std::string stacked_bar(const std::string& title, const std::vector<double>& shares);

// Values on a grid, dark where they are high: [y][x].
struct HeatMap {
  std::string title, x_label, y_label;
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;
  std::vector<std::vector<double>> values;
};
std::string heat_map(const HeatMap& map);

}  // namespace bl::report
