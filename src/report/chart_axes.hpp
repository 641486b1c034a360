// The frame of a chart with two axes: where a value stands in the picture, ticks at round numbers.
#pragma once

#include <string>
#include <vector>

namespace bl::report {

// About `count` round numbers from low to high.
std::vector<double> ticks(double low, double high, int count);

struct Frame {
  double width = 380, height = 250;
  double left = 54, top = 10, right_room = 22, foot = 42;
  double x_low = 0, x_high = 1, y_low = 0, y_high = 1;

  // A range without extent is widened.
  void set_range(double x_from, double x_to, double y_from, double y_to);
  double right() const { return width - right_room; }
  double bottom() const { return height - foot; }
  double plot_width() const { return right() - left; }
  double plot_height() const { return bottom() - top; }
  double x(double value) const { return left + plot_width() * (value - x_low) / (x_high - x_low); }
  double y(double value) const;  // kept within the frame

  std::string start(const std::string& title) const;
  std::string axes(const std::string& x_label, const std::string& y_label) const;
};

// The opening of a picture of this size, that grows and shrinks with the page and is read out by its title.
std::string picture_start(double width, double height, const std::string& title);

}  // namespace bl::report
