#include "report/pixels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "data/table.hpp"
#include "explain/hierarchy.hpp"
#include "report/base64.hpp"
#include "report/html.hpp"

namespace bl::report {

namespace {

constexpr std::size_t kDrawnBlocks = 12;

// Width of the square image; 0 where the columns are none. Pixels that are constant are no features, but columns.
long width_of(const FittedModel& model) {
  long pixels = 0;
  for (const SchemaColumn& column : model.stored.encoder.schema().columns)
    pixels = std::max(pixels, pixel_of(column.name) + 1);
  const auto width = static_cast<long>(std::lround(std::sqrt(static_cast<double>(pixels))));
  return width * width == pixels ? width : 0;
}

void put(std::vector<unsigned char>& bytes, std::uint32_t value, int count) {
  for (int i = 0; i < count; ++i) bytes.push_back(static_cast<unsigned char>(value >> (8 * i) & 255U));
}

// Values from -1 (red) over 0 (white) to 1 (blue) as a bitmap of 256 colours, rows from the top.
std::vector<unsigned char> bitmap(const std::vector<double>& values, long width) {
  constexpr std::uint32_t kHeader = 14 + 40, kColours = 256;
  const auto row = static_cast<std::uint32_t>((width + 3) / 4 * 4), side = static_cast<std::uint32_t>(width);
  std::vector<unsigned char> out = {'B', 'M'};
  put(out, kHeader + 4 * kColours + row * side, 4);
  put(out, 0, 4);
  put(out, kHeader + 4 * kColours, 4);
  for (const std::uint32_t field : {40U, side, side}) put(out, field, 4);
  put(out, 1, 2);
  put(out, 8, 2);
  for (const std::uint32_t field : {0U, row * side, 0U, 0U, kColours, kColours}) put(out, field, 4);
  for (std::uint32_t c = 0; c < kColours; ++c) {  // blue, green, red, unused
    const double t = (static_cast<double>(c) - 128) / 127;
    const auto fade = [&](double end) {
      return static_cast<std::uint32_t>(255 + (end - 255) * std::min(1.0, std::abs(t)));
    };
    put(out, t > 0 ? fade(0xac) : fade(0x2b), 1);
    put(out, t > 0 ? fade(0x66) : fade(0x18), 1);
    put(out, t > 0 ? fade(0x21) : fade(0xb2), 1);
    put(out, 0, 1);
  }
  for (long y = width - 1; y >= 0; --y)
    for (long x = 0; x < static_cast<long>(row); ++x)
      out.push_back(
          x < width ? static_cast<unsigned char>(128 + 127 * values[static_cast<std::size_t>(y * width + x)])
                    : 0);
  return out;
}

std::string head_picture(const explain::Problem& problem, const explain::Head& head, long width) {
  std::vector<double> weights(static_cast<std::size_t>(width * width), 0);
  double largest = 0;
  for (const explain::Monomial& term : head.terms) {
    const Index place = pixel_of(problem.variables[term.factors[0].variable].column);
    if (place < 0 || term.factors.size() > 1) continue;
    weights[static_cast<std::size_t>(place)] = term.coefficient;
    largest = std::max(largest, std::abs(term.coefficient));
  }
  for (double& weight : weights) weight /= std::max(largest, 1e-300);
  return fmt::format(
      "<img class=\"pixels\" width=\"112\" height=\"112\" alt=\"weights of {0}\" "
      "src=\"data:image/bmp;base64,{1}\">",
      escaped(head.name), base64(bitmap(weights, width)));
}

}  // namespace

bool reads_pixels(const FittedModel& model) {
  const auto& features = model.stored.encoder.features();
  return !features.empty() && width_of(model) > 1 &&
         std::all_of(features.begin(), features.end(),
                     [](const FeatureEncoding& f) { return pixel_of(f.name) >= 0; });
}

std::string pixel_heads_html(const FittedModel& model, const explain::Problem& standardised) {
  const long width = width_of(model);
  std::vector<explain::BlockProfile> blocks = explain::hierarchy(standardised, 1).front();
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const explain::BlockProfile& a, const explain::BlockProfile& b) {
                     return a.influence > b.influence;
                   });
  std::string out = "<div class=\"figures\">";
  for (std::size_t i = 0; i < std::min(blocks.size(), kDrawnBlocks); ++i) {
    std::string pictures;
    for (const explain::Head& head : blocks[i].block->heads)
      pictures += head_picture(standardised, head, width);
    out += figure(fmt::format("<b>{}</b>, {:.0f}%: U, C and T from left to right",
                              escaped(blocks[i].block->name), 100 * blocks[i].influence),
                  "<div class=\"heads-row\">" + pictures + "</div>");
  }
  return out + "</div>\n";
}

}  // namespace bl::report
