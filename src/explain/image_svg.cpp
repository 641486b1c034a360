#include "explain/image_svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "explain/hierarchy.hpp"
#include "explain/picture.hpp"
#include "explain/svg_parts.hpp"
#include "model/parameters.hpp"

namespace bl::explain {

namespace {

constexpr double kSide = 84, kImageGap = 10, kBlockWidth = 3 * kSide + 2 * kImageGap,
                 kBlockHeight = kSide + 44;
constexpr Index kColumns = 3;
constexpr double kImageMargin = 20, kImageTop = 58;

}  // namespace

std::optional<ImageShape> image_of(const StoredModel& model) {
  using nlohmann::json;
  const json data = model.information.value("data", json::object());
  const json shape = data.value("image", json());
  if (!shape.is_array() || shape.size() != 2 || !shape[0].is_number_integer() ||
      !shape[1].is_number_integer())
    return std::nullopt;
  constexpr std::int64_t kLargest = 1 << 14;
  const auto height = shape[0].get<std::int64_t>(), width = shape[1].get<std::int64_t>();
  if (height < 1 || width < 1 || height > kLargest || width > kLargest ||
      model.architecture.basis.kind != BasisKind::affine)
    return std::nullopt;
  return ImageShape{static_cast<Index>(height), static_cast<Index>(width)};
}

std::vector<ImageBlock> image_blocks(const Problem& problem, const std::string& asked) {
  constexpr std::size_t kMost = 12;
  const auto layers = hierarchy(problem, 1);
  std::vector<ImageBlock> blocks;
  for (std::size_t b = 0; b < layers[0].size(); ++b)
    if (asked.empty() || layers[0][b].block->name == asked)
      blocks.push_back({static_cast<Index>(b), layers[0][b].influence});
  std::stable_sort(blocks.begin(), blocks.end(),
                   [](const ImageBlock& a, const ImageBlock& b) { return a.influence > b.influence; });
  if (blocks.size() > kMost) blocks.resize(kMost);
  return blocks;
}

std::vector<double> head_image(const StoredModel& model, const ImageShape& shape, HeadKind kind,
                               Index block) {
  std::vector<double> image(static_cast<std::size_t>(shape.height * shape.width), 0);
  const ParameterLayout layout(model.architecture);
  const Index heads = model.architecture.layers[0].heads(kind);
  for (const TensorInfo& tensor : layout.tensors()) {
    if (tensor.role != TensorRole::weight || tensor.layer != 0 || tensor.kind != kind) continue;
    const auto& columns = model.encoder.columns();
    for (Index head = block * heads; head < (block + 1) * heads; ++head)
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const Index pixel = pixel_of(columns[c].name);
        if (pixel >= 0 && pixel < static_cast<Index>(image.size()))
          image[static_cast<std::size_t>(pixel)] +=
              model.parameters[static_cast<std::size_t>(tensor.offset + head * tensor.cols) + c];
      }
  }
  return image;
}

std::string image_svg(const StoredModel& model, const ImageShape& shape,
                      const std::vector<ImageBlock>& blocks) {
  const auto count = static_cast<Index>(blocks.size());
  const double width =
      2 * kImageMargin + static_cast<double>(std::min(count, kColumns)) * (kBlockWidth + 2 * kImageGap);
  const Index lines = (count + kColumns - 1) / kColumns;
  const double height = kImageTop + static_cast<double>(lines) * kBlockHeight + kImageMargin;
  std::string out = svg_start(std::max(width, 640.0), height);
  out +=
      svg_text({12, 22}, "What the blocks of the first layer look for", "font-weight='bold' font-size='14'");
  out += svg_text({12, 40}, "U: wants to see. C: forbids. T: balances. Blue raises a head, red lowers it.");
  for (Index i = 0; i < count; ++i) {
    const double x = kImageMargin + static_cast<double>(i % kColumns) * (kBlockWidth + 2 * kImageGap);
    const Index line = i / kColumns;
    const double y = kImageTop + static_cast<double>(line) * kBlockHeight;
    const ImageBlock& one = blocks[static_cast<std::size_t>(i)];
    out += svg_text({x, y + 12},
                    fmt::format("L1.B{}", one.block + 1) +
                        (one.influence > 0 ? fmt::format(", influence {:.1f}%", 100 * one.influence) : ""));
    double at = x;
    for (const auto& [kind, letter] :
         {std::pair{HeadKind::utility, "U"}, std::pair{HeadKind::inequality, "C"},
          std::pair{HeadKind::equality, "T"}}) {
      if (model.architecture.layers[0].heads(kind) == 0) continue;
      out += fmt::format(
          "<image x='{:.0f}' y='{:.0f}' width='{:.0f}' height='{:.0f}' style='image-rendering:pixelated' "
          "href='{}'/>\n<rect x='{:.0f}' y='{:.0f}' width='{:.0f}' height='{:.0f}' fill='none' "
          "stroke='#bbb'/>\n",
          at, y + 18, kSide, kSide, picture_uri(head_image(model, shape, kind, one.block), shape), at, y + 18,
          kSide, kSide);
      out += svg_text({at + kSide / 2, y + 32 + kSide}, letter, "text-anchor='middle'");
      at += kSide + kImageGap;
    }
  }
  return out + "</svg>\n";
}

}  // namespace bl::explain
