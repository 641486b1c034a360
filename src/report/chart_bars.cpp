#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "explain/svg_parts.hpp"
#include "report/chart.hpp"
#include "report/chart_axes.hpp"
#include "report/html.hpp"

namespace bl::report {

namespace {

constexpr double kWidth = 520, kNarrow = 380, kRow = 24, kRight = 92, kFoot = 22;
constexpr std::size_t kLongestName = 30;

// Room on the left for the longest name.
template <class Rows>
double name_room(const Rows& rows) {
  double room = 40;
  for (const auto& row : rows)
    room = std::max(room, explain::svg_text_width(explain::svg_shortened(row.label, kLongestName)));
  return std::min(room, 190.0) + 12;
}

std::string name_of_row(const std::string& label, double left, double y) {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}<title>{}</title></text>",
                     left - 8, y, escaped(explain::svg_shortened(label, kLongestName)), escaped(label));
}

}  // namespace

std::string bar_chart(const BarChart& chart) {
  const double width = chart.narrow ? kNarrow : kWidth;
  const double left = std::min(name_room(chart.bars), 0.4 * width),
               height = kRow * static_cast<double>(chart.bars.size()) + 6;
  double high = chart.high, low = 0;
  for (const Bar& bar : chart.bars) {
    const double reach = std::isnan(bar.error) ? 0 : bar.error;
    if (std::isnan(chart.high)) high = std::fmax(high, std::fmax(bar.value + reach, bar.second));
    low = std::min(low, bar.value - reach);
  }
  if (!(high > low)) high = low + 1;
  const auto at = [&](double value) { return left + (width - kRight - left) * (value - low) / (high - low); };
  std::string out = picture_start(width, height, chart.title);
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const Bar& bar = chart.bars[i];
    const double y = kRow * static_cast<double>(i) + 4;
    const double from = at(std::min(0.0, bar.value)), to = at(std::max(0.0, bar.value));
    out += name_of_row(bar.label, left, y + 14);
    out += fmt::format("<rect class=\"fill s0\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\"/>",
                       from, y + 2, std::max(0.5, to - from), std::isnan(bar.second) ? 15 : 8);
    if (!std::isnan(bar.second))
      out += fmt::format("<rect class=\"fill s1\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"8\"/>",
                         at(0), y + 11, std::max(0.5, at(bar.second) - at(0)));
    if (!std::isnan(bar.error))
      out +=
          fmt::format("<line class=\"whisker\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>",
                      at(bar.value - bar.error), at(bar.value + bar.error), y + 9.5);
    const auto text = [&](double value) { return chart.percent ? percent(value) : number(value); };
    out += fmt::format("<text class=\"value\" x=\"{:.1f}\" y=\"{:.1f}\">{}{}</text>",
                       std::max(to, std::isnan(bar.error) ? to : at(bar.value + bar.error)) + 6, y + 14,
                       text(bar.value), std::isnan(bar.second) ? "" : " / " + text(bar.second));
  }
  return out + "</svg>";
}

std::string interval_chart(const std::string& title, const std::vector<IntervalRow>& rows) {
  const double left = name_room(rows), bottom = kRow * static_cast<double>(rows.size()) + 4;
  double low = 0, high = 0;
  for (const IntervalRow& row : rows) {
    low = std::fmin(low, std::fmin(row.estimate, row.lower));
    high = std::fmax(high, std::fmax(row.estimate, row.upper));
  }
  if (!(high > low)) high = low + 1;
  const double room = 0.04 * (high - low);
  const auto at = [&](double value) {
    return left + (kWidth - kRight - left) * (value - low + room) / (high - low + 2 * room);
  };
  std::string out = picture_start(kWidth, bottom + kFoot, title) + "<g class=\"axis\">";
  for (const double tick : ticks(low, high, 5))
    out += fmt::format(
        "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1:.1f}\"/><text x=\"{0:.1f}\" y=\"{2:.1f}\" "
        "text-anchor=\"middle\">{3}</text>",
        at(tick), bottom, bottom + 15, number(tick));
  out += fmt::format("</g><line class=\"mark\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1:.1f}\"/>",
                     at(0), bottom);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double y = kRow * (static_cast<double>(i) + 0.5) + 2;
    const bool known = std::isfinite(rows[i].lower) && std::isfinite(rows[i].upper);
    out += name_of_row(rows[i].label, left, y + 4);
    if (known)
      out +=
          fmt::format("<line class=\"whisker\" x1=\"{0:.1f}\" x2=\"{1:.1f}\" y1=\"{2:.1f}\" y2=\"{2:.1f}\"/>",
                      at(rows[i].lower), at(rows[i].upper), y);
    out += fmt::format("<circle class=\"{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4.5\"/>",
                       known ? "fill s0" : "hollow", at(rows[i].estimate), y);
    out += fmt::format("<text class=\"value\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", kWidth - kRight + 8,
                       y + 4, number(rows[i].estimate));
  }
  return out + "</svg>";
}

std::string stacked_bar(const std::string& title, const std::vector<double>& shares) {
  constexpr double kBarWidth = 160, kBarHeight = 14;
  std::string out = fmt::format(
      "<svg role=\"img\" class=\"stacked\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "aria-label=\"{2}\">",
      kBarWidth, kBarHeight, escaped(title));
  double from = 0;
  for (std::size_t i = 0; i < shares.size(); ++i) {
    out += fmt::format("<rect class=\"fill s{}\" x=\"{:.1f}\" y=\"0\" width=\"{:.1f}\" height=\"{}\"/>",
                       i % kStyles, kBarWidth * from, std::max(0.0, kBarWidth * shares[i] - 0.8), kBarHeight);
    from += shares[i];
  }
  return out + "</svg>";
}

}  // namespace bl::report
