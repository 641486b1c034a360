// What the pictures share: points, text that is safe in XML, lines in the two colors of signs.
#pragma once

#include <string>
#include <vector>

namespace bl::explain {

inline constexpr const char* kPositive = "#2166ac";
inline constexpr const char* kNegative = "#b2182b";
inline constexpr const char* kResponseFill = "#fdd49e";
inline constexpr double kFont = 12;

struct Point {
  double x = 0, y = 0;
};

Point between(const Point& a, const Point& b, double share);

std::string svg_escaped(const std::string& text);
// Cut to `length` letters with an ellipsis; a letter of several bytes stays whole.
std::string svg_shortened(const std::string& text, std::size_t length);
// About how wide a text is, in pixels at kFont.
double svg_text_width(const std::string& text);

// Attributes: text-anchor and others, as they stand in the element.
std::string svg_text(const Point& at, const std::string& text, const std::string& attributes = "");
// Words set in lines of at most `width` pixels, the first at `at`; lines are 1.25 kFont apart.
struct Paragraph {
  std::string svg;
  std::size_t lines = 0;
};
Paragraph svg_paragraph(const Point& at, const std::string& text, double width,
                        const std::string& attributes = "");

// The opening of a picture of this size on white, with arrow heads "up" and "down" in the colors of signs.
std::string svg_start(double width, double height);

const char* sign_color(bool positive);

}  // namespace bl::explain
