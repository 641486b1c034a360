#include "report/pixels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "data/table.hpp"
#include "explain/hierarchy.hpp"
#include "explain/picture.hpp"
#include "report/html.hpp"

namespace bl::report {

namespace {

constexpr std::size_t kDrawnBlocks = 12;

// Width of the square image; 0 where the columns are none. Pixels that are constant are no features, but
// columns.
long width_of(const FittedModel& model) {
  long pixels = 0;
  for (const SchemaColumn& column : model.stored.encoder.schema().columns)
    pixels = std::max(pixels, pixel_of(column.name) + 1);
  const auto width = static_cast<long>(std::lround(std::sqrt(static_cast<double>(pixels))));
  return width * width == pixels ? width : 0;
}

std::string head_picture(const explain::Problem& problem, const explain::Head& head, long width) {
  std::vector<double> weights(static_cast<std::size_t>(width * width), 0);
  for (const explain::Monomial& term : head.terms) {
    const Index place = pixel_of(problem.variables[term.factors[0].variable].column);
    if (place < 0 || term.factors.size() > 1) continue;
    weights[static_cast<std::size_t>(place)] = term.coefficient;
  }
  return fmt::format("<img class=\"pixels\" width=\"112\" height=\"112\" alt=\"weights of {}\" src=\"{}\">",
                     escaped(head.name), explain::picture_uri(weights, {width, width}));
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
